/** Options from a Saltfile, and from a user's own `saltrc`. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { parseCommandLine } from "../../../cli/program/command_line.ts";
import { saltMain } from "../../../cli/programs/salt.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { runInProcess } from "../../support/program.ts";

/** A host whose user is in a directory of their own, with another for a home. */
async function place(env: Record<string, string> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "brine-saltfile-"));
  const [cwd, home] = [path.join(root, "cwd"), path.join(root, "home")];
  for (const directory of [cwd, path.join(home, ".salt")]) mkdirSync(directory, { recursive: true });
  const current = await currentRuntime();
  const runtime: Runtime = {
    ...current,
    host: Object.assign(Object.create(current.host), { user: () => ({ ...current.host.user(), home }) }),
    process: Object.assign(Object.create(current.process), { cwd: () => cwd, env: (name: string) => env[name] }),
  };
  const told: string[] = [];
  const parse = (...argv: string[]) =>
    parseCommandLine(runtime, "salt", argv, {
      version: "1",
      stdinText: () => Promise.resolve("m\nf\n"),
      complain: (text) => void told.push(text),
    });
  return { root, cwd, home, told, parse, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

const SALTFILE =
  "salt:\n  timeout: 17\n  static: true\n  output: json\n  batch: 5\n  nosuch: 1\nsalt-key:\n  yes: true\n";

describe("a Saltfile", () => {
  for (const where of ["cwd", "home/.salt"]) {
    test(`in ${where} has options that count as given`, async () => {
      using here = await place();
      writeFileSync(path.join(here.root, where, "Saltfile"), SALTFILE);
      const run = await here.parse("--out=yaml", "m", "f");
      assert.equal(run.kind, "run");
      if (run.kind !== "run") return;
      const { timeout, static: all, output, batch, nosuch } = run.options;
      assert.deepEqual([timeout, all, output, batch, nosuch], [17, true, "yaml", "5", undefined]);
      assert.deepEqual([...run.explicit].sort(), ["batch", "output", "static", "timeout"]);
      assert.deepEqual(here.told, []);
    });
  }

  test("that the environment names counts, and one that is named goes before it", async () => {
    using files = await place();
    for (const [name, seconds] of [["a", 1], ["b", 2]] as const) {
      writeFileSync(path.join(files.root, name), `salt: {timeout: ${seconds}}\n`);
    }
    using here = await place({ SALT_SALTFILE: path.join(files.root, "a") });
    const timeoutOf = async (...words: string[]) => {
      const run = await here.parse(...words, "m", "f");
      return run.kind === "run" && run.options.timeout;
    };
    assert.equal(await timeoutOf(), 1);
    assert.equal(await timeoutOf("--saltfile", path.join(files.root, "b")), 2);
  });

  test("counts with options from stdin, too", async () => {
    using here = await place();
    writeFileSync(path.join(here.cwd, "Saltfile"), SALTFILE);
    const run = await here.parse("--args-stdin");
    assert.deepEqual(run.kind === "run" && [run.options.timeout, run.positionals], [17, ["m", "f"]]);
  });

  test("that is named and not there is a usage error", async () => {
    using here = await place();
    const run = await here.parse("--saltfile=/nonexistent/Saltfile", "m", "f");
    assert.equal(run.kind, "exit");
    if (run.kind !== "exit") return;
    assert.equal(run.exitCode, 64);
    assert.ok(
      run.stderr.endsWith("\n\nsalt: error: '/nonexistent/Saltfile' file does not exist.\n\n"),
      JSON.stringify(run.stderr),
    );
  });

  for (const [name, text] of [["no YAML", "salt: ["], ["no map", "salt: [a]\n"]]) {
    test(`with ${name} is a usage error`, async () => {
      using here = await place();
      const file = path.join(here.root, "Saltfile");
      writeFileSync(file, text!);
      const run = await here.parse("--saltfile", file, "m", "f");
      assert.deepEqual([run.kind, run.kind === "exit" && run.exitCode], ["exit", 64]);
    });
  }

  test("that other users may write is used only if it is named", async () => {
    using here = await place();
    const file = path.join(here.cwd, "Saltfile");
    writeFileSync(file, SALTFILE);
    chmodSync(file, 0o666);
    const found = await here.parse("m", "f");
    assert.equal(found.kind === "run" && found.options.timeout, 5);
    assert.match(here.told.join(), /Saltfile is ignored: other users may write it.*--saltfile/);
    const named = await here.parse("--saltfile", file, "m", "f");
    assert.equal(named.kind === "run" && named.options.timeout, 17);
  });
});

test("a user's saltrc goes over the master's configuration, and the command line over both", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-saltrc-"));
  try {
    const current = await currentRuntime();
    writeFileSync(path.join(root, "master"), JSON.stringify({ root_dir: root, output: "quiet" }));
    mkdirSync(path.join(root, "pki/minions"), { recursive: true });
    for (
      const { file, env } of [
        { file: ".saltrc", env: {} },
        { file: ".config/salt/saltrc", env: {} },
        { file: "named", env: { SALT_CLIENT_CONFIG: path.join(root, "named") } },
      ] as { file: string; env: Record<string, string> }[]
    ) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), "output: json\n");
      const runtime: Runtime = {
        ...current,
        host: Object.assign(Object.create(current.host), { user: () => ({ ...current.host.user(), home: root }) }),
        process: Object.assign(Object.create(current.process), { env: (name: string) => env[name] }),
      };
      const preview = async (...words: string[]) =>
        (await runInProcess("salt", saltMain, ["-c", root, "--preview-target", "nobody", ...words], "", { runtime }))
          .stdout;
      assert.equal(await preview("--out-indent=2"), "[]\n", file);
      assert.equal(await preview("--out=quiet"), "");
      rmSync(path.join(root, file));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

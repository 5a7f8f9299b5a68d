/** What the programs log, and where: `-l`, `--log-file`, `--log-file-level`, and the options of the same names. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { callMain } from "../../../cli/programs/call.ts";
import { keyMain } from "../../../cli/programs/key.ts";
import { saltMain } from "../../../cli/programs/salt.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { runInProcess } from "../../support/program.ts";

const TIMEOUT = { timeout: 60_000 };

async function bed(opts: Record<string, unknown>) {
  const root = mkdtempSync(path.join(tmpdir(), "brine-log-"));
  const { host } = await currentRuntime();
  const common = { root_dir: root, user: host.user().name, enable_fqdns_grains: false };
  for (const [name, more] of [["master", {}], ["minion", { id: "local1", file_client: "local" }]] as const) {
    writeFileSync(path.join(root, name), JSON.stringify({ ...common, ...more, ...opts }));
  }
  return {
    root,
    text: (name: string) => existsSync(path.join(root, name)) ? readFileSync(path.join(root, name), "utf8") : undefined,
    // A command that fails is logged as an error.
    call: (...words: string[]) =>
      runInProcess("salt-call", callMain, ["-c", root, "--local", ...words, "cmd.run", "exit 3"]),
    salt: (...words: string[]) => runInProcess("salt", saltMain, ["-c", root, ...words, "*", "test.ping"]),
    key: (...words: string[]) => runInProcess("salt-key", keyMain, ["-c", root, ...words]),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const DEBUG = /^\[DEBUG {3}\] configuration read: file=.*\n/m;
const ERROR = /^\[ERROR {3}\] command failed/m;
const FILE_ERROR = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[.{17}:\d+ *\]\[ERROR {3}\]\[\d+\] command failed/m;

describe("the console shows", () => {
  for (
    const { name, opts = {}, words = [], debug, error } of [
      { name: "errors by default", debug: false, error: true },
      { name: "what -l asks for", words: ["-l", "debug"], debug: true, error: true },
      { name: "what log_level asks for", opts: { log_level: "debug" }, debug: true, error: true },
      {
        name: "what -l asks for, over log_level",
        opts: { log_level: "debug" },
        words: ["-l", "error"],
        debug: false,
        error: true,
      },
      { name: "nothing for -l quiet", words: ["-l", "quiet"], debug: false, error: false },
      { name: "warnings for an unknown level", opts: { log_level: "loud" }, debug: false, error: true },
    ] as { name: string; opts?: Record<string, unknown>; words?: string[]; debug: boolean; error: boolean }[]
  ) {
    test(name, TIMEOUT, async () => {
      using place = await bed(opts);
      const { stderr, exitCode } = await place.call(...words);
      assert.deepEqual([DEBUG.test(stderr), ERROR.test(stderr), exitCode], [debug, error, 1], stderr);
    });
  }
});

describe("the log file has", () => {
  for (
    const { name, opts = {}, words = [], file, debug, error } of [
      {
        name: "errors where log_file says",
        opts: { log_file: "/own/log" },
        file: "own/log",
        debug: false,
        error: true,
      },
      {
        name: "what --log-file-level asks for",
        opts: { log_file: "/l" },
        words: ["--log-file-level", "debug"],
        file: "l",
        debug: true,
        error: true,
      },
      {
        name: "what log_level_logfile asks for",
        opts: { log_file: "/l", log_level_logfile: "debug" },
        file: "l",
        debug: true,
        error: true,
      },
      {
        name: "not what -l asks for",
        opts: { log_file: "/l" },
        words: ["-l", "debug"],
        file: "l",
        debug: false,
        error: true,
      },
    ] as {
      name: string;
      opts?: Record<string, unknown>;
      words?: string[];
      file: string;
      debug: boolean;
      error: boolean;
    }[]
  ) {
    test(name, TIMEOUT, async () => {
      using place = await bed(opts);
      await place.call(...words);
      const text = place.text(file) ?? "";
      assert.deepEqual([/configuration read/.test(text), FILE_ERROR.test(text)], [debug, error], text);
    });
  }

  test("its place as --log-file says, which is not below root_dir", TIMEOUT, async () => {
    using place = await bed({});
    await place.call("--log-file", path.join(place.root, "typed/log"));
    assert.match(place.text("typed/log") ?? "", FILE_ERROR);
  });

  test("for salt-key what key_logfile says", TIMEOUT, async () => {
    using place = await bed({ key_logfile: "/keys.log", log_level_logfile: "debug" });
    await place.key("-L");
    assert.match(place.text("keys.log") ?? "", /configuration read/);
  });

  test("no directories are created for a file that was not named, without a warning", TIMEOUT, async () => {
    using place = await bed({});
    const { stderr } = await place.salt();
    assert.ok(!existsSync(path.join(place.root, "var")));
    assert.doesNotMatch(stderr, /log file/);
  });

  test("a warning in its stead if it cannot be written", TIMEOUT, async () => {
    using place = await bed({ log_file: "/master/log" });
    const { stderr } = await place.call();
    assert.match(stderr, /^WARNING: the log file cannot be written: /m);
  });
});

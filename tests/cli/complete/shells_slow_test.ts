/** The shells themselves: what they offer after a press of the tab key. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMPLETED, SHELLS } from "../../../cli/complete/shells.ts";
import { PROGRAMS } from "../../../cli/options/programs.ts";
import { encode } from "../../../src/protocol/wire/msgpack.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const lacks = (shell: string) =>
  spawnSync(shell, ["--version"]).error === undefined ? false : `no ${shell}: apt install ${shell}`;
const TIMEOUT = { timeout: 120_000 };

describe("completion in shells", TIMEOUT, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-complete-"));
  const env = { ...process.env, PATH: `${root}/bin:${process.env.PATH}`, SALT_CONFIG_DIR: `${root}/etc`, HOME: root };

  before(() => {
    for (const name of ["bin", "etc", "pki/minions", "pki/minions_pre"]) {
      mkdirSync(path.join(root, name), { recursive: true });
    }
    const words = "Deno" in globalThis ? "run -A --no-check --node-modules-dir=manual" : "";
    const file = fileURLToPath(new URL("../../../cli/brine.ts", import.meta.url));
    writeFileSync(`${root}/bin/brine`, `#!/bin/sh\nexec "${process.execPath}" ${words} "${file}" "$@"\n`);
    chmodSync(`${root}/bin/brine`, 0o755);
    for (const program of COMPLETED) {
      writeFileSync(`${root}/bin/${program}`, `#!/bin/sh\nexec brine ${program} "$@"\n`, { mode: 0o755 });
    }
    writeFileSync(
      `${root}/etc/master`,
      JSON.stringify({
        root_dir: root,
        pki_dir: `${root}/pki`,
        cachedir: `${root}/cache`,
        file_roots: { base: [`${root}/states`] },
      }),
    );
    for (const id of ["web1", "web2", "db1"]) writeFileSync(`${root}/pki/minions/${id}`, PAIRS.minion.publicPem);
    mkdirSync(`${root}/states/web`, { recursive: true });
    for (const name of ["top", "web/init", "web/tls"]) writeFileSync(`${root}/states/${name}.sls`, "");
    for (const [id, os] of [["web1", "Debian"], ["web2", "Alpine"], ["db1", "$(touch pwned)"]] as const) {
      mkdirSync(`${root}/cache/minions/${id}`, { recursive: true });
      writeFileSync(`${root}/cache/minions/${id}/data.p`, encode({ grains: { os }, pillar: {} }, "bin"));
    }
    // A stranger chooses its id.
    for (const id of ["new1", "new$(touch pwned)", "new;reboot", "new`x`", "new x"]) {
      writeFileSync(`${root}/pki/minions_pre/${id}`, PAIRS.minion.publicPem);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  test("each program that is completed exists", () => {
    for (const program of COMPLETED) assert.ok(Object.hasOwn(PROGRAMS, program), program);
  });

  /** What bash fills COMPREPLY with for a line whose cursor is at its end. */
  const bash = (line: string, words: string[]) => {
    const script = `${SHELLS.bash}
COMP_LINE=${quoted(line)}; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=${
      words.length - 1
    }
compopt() { :; }
_brine_complete
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { env, cwd: root, encoding: "utf8" });
    assert.equal(stderr, "");
    return stdout.split("\n").filter((word) => word !== "").sort();
  };
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

  test("bash", { ...TIMEOUT, skip: lacks("bash") }, () => {
    assert.deepEqual(bash("salt w", ["salt", "w"]), ["web1", "web2"]);
    assert.deepEqual(bash("salt web1 test.pi", ["salt", "web1", "test.pi"]), ["test.ping"]);
    assert.deepEqual(bash("salt --log-level=war", ["salt", "--log-level", "=", "war"]), ["warning"]);
    assert.deepEqual(bash("salt --log-level=", ["salt", "--log-level", "="]).length, 10);
    assert.deepEqual(bash("salt-key -a ", ["salt-key", "-a", ""]), ["new1"]);
    assert.deepEqual(bash("salt web1 state.apply w", ["salt", "web1", "state.apply", "w"]), ["web", "web.tls"]);
    // Bash has the part in front of the colon already.
    assert.deepEqual(bash("salt -G os:", ["salt", "-G", "os", ":"]), ["Alpine", "Debian"]);
    assert.deepEqual(bash("salt -G o", ["salt", "-G", "o"]), ["os:"]);
  });

  test("zsh", { ...TIMEOUT, skip: lacks("zsh") }, () => {
    const zsh = (...words: string[]) => {
      // What zsh does with candidates needs a terminal: it is enough to see which it is given.
      const script = `
compdef() { : }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }
_describe() { print -rl -- "\${(@P)3}" }
_files() { print files }
${SHELLS.zsh}
words=(${words.map(quoted).join(" ")}); CURRENT=${words.length}
_brine_complete`;
      const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { env, cwd: root, encoding: "utf8" });
      assert.equal(stderr, "");
      return stdout.split("\n").filter((word) => word !== "").sort();
    };
    assert.deepEqual(zsh("salt", "w"), ["web1", "web2"]);
    assert.deepEqual(zsh("salt", "web1", "test.pi"), ["test.ping"]);
    assert.deepEqual(zsh("salt-key", "-a", ""), ["new1"]);
    assert.deepEqual(zsh("salt-cp", "web1", ""), ["files"]);
    assert.deepEqual(zsh("salt", "--log-file-"), [
      "--log-file-level:Level of messages in the file. One of all, garbage, trace, debug, profile, info, warning, error, critical, quiet.",
    ]);
  });

  test("fish", { ...TIMEOUT, skip: lacks("fish") }, () => {
    const fish = (line: string) => {
      const script = `brine completion fish | source; complete -C ${quoted(line)}`;
      const { stdout, stderr } = spawnSync("fish", ["-N", "-c", script], { env, cwd: root, encoding: "utf8" });
      assert.equal(stderr, "");
      return stdout.split("\n").filter((word) => word !== "").map((row) => row.split("\t")[0]).sort();
    };
    assert.deepEqual(fish("salt w"), ["web1", "web2"]);
    assert.deepEqual(fish("salt web1 test.pi"), ["test.ping"]);
    assert.deepEqual(fish("salt-key -a "), ["new1"]);
    assert.deepEqual(fish("salt --log-lev"), ["--log-level"]);
  });
});

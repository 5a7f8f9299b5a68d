import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { brineMain } from "../../../cli/programs/brine.ts";
import { keyMain } from "../../../cli/programs/key.ts";
import { runInProcess } from "../../support/program.ts";
import { PAIRS } from "../../support/start_cluster.ts";

/** Runs `brine bootstrap` on a master with these options. */
async function bootstrap(opts: object, words: string[], key = true) {
  const root = mkdtempSync(join(tmpdir(), "brine-bootstrap-"));
  try {
    mkdirSync(join(root, "pki"));
    if (key) writeFileSync(join(root, "pki/master.pub"), PAIRS.master.publicPem);
    writeFileSync(join(root, "master"), JSON.stringify({ root_dir: root, pki_dir: join(root, "pki"), ...opts }));
    const ran = await runInProcess("brine", brineMain, ["-c", root, "bootstrap", ...words]);
    const keys = await runInProcess("salt-key", keyMain, ["-c", root, "-f", "master.pub", "--out=json"]);
    return { ...ran, finger: key ? JSON.parse(keys.stdout).local["master.pub"] : undefined };
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe("brine bootstrap", () => {
  for (
    const { name, opts = {}, words, want } of [
      { name: "a master by name", words: ["web1", "salt.example"], want: "--master salt.example --id web1" },
      {
        name: "another port",
        opts: { ret_port: 5506 },
        words: ["a", "b"],
        want: "--master b --master-port 5506 --id a",
      },
      { name: "its own address", opts: { interface: "192.0.2.7" }, words: ["a"], want: "--master 192.0.2.7 --id a" },
    ]
  ) {
    test(`${name} and its fingerprint are in the line`, async () => {
      const { stdout, exitCode, finger } = await bootstrap(opts, words);
      assert.equal(stdout, `sh install.sh minion ${want} --fingerprint ${finger}\n`);
      assert.match(finger, /^[0-9a-f]{2}(?::[0-9a-f]{2}){31}$/);
      assert.equal(exitCode, 0);
    });
  }

  for (
    const { name, words, key = true, code, says } of [
      { name: "an id that a shell would read", words: ["$(reboot)"], code: 64, says: /"\$\(reboot\)"/ },
      { name: "an id that looks like an option", words: ["--", "-rf"], code: 64, says: /"-rf"/ },
      { name: "a master that a shell would read", words: ["web1", "a;b"], code: 64, says: /"a;b"/ },
      { name: "no id", words: [], code: 64, says: /brine bootstrap ID/ },
      { name: "a master without a key", words: ["web1"], key: false, code: 1, says: /has no key yet/ },
    ]
  ) {
    test(`${name} is refused, and no line is printed`, async () => {
      const { stdout, stderr, exitCode } = await bootstrap({}, words, key);
      assert.deepEqual({ stdout, exitCode }, { stdout: "", exitCode: code });
      assert.match(stderr, says);
    });
  }
});

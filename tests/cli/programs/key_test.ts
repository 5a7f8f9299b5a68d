import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { keyMain } from "../../../cli/programs/key.ts";
import { pattern, runInProcess } from "../../support/program.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const golden = new URL("../../golden/", import.meta.url);
const fixtures = new URL("fixtures/", golden);
const layouts = JSON.parse(readFileSync(new URL("keys/layouts.json", fixtures), "utf8"));
const STATUSES = ["minions", "minions_pre", "minions_rejected", "minions_denied"];

/** Lays the key directories of a recorded run; the configuration directory that goes with them. */
function lay(root: string, layout: string): string {
  const pki = join(root, "keys/pki");
  for (const status of STATUSES) mkdirSync(join(pki, status), { recursive: true });
  if (layout !== "empty") {
    for (const status of STATUSES) {
      for (const id of layouts.std[status]) copyFileSync(new URL(`keys/${id}.pub`, fixtures), join(pki, status, id));
    }
    copyFileSync(new URL("keys/master.pub", fixtures), join(pki, "master.pub"));
    for (const status of STATUSES) {
      for (const id of readdirSync(join(pki, status))) chmodSync(join(pki, status, id), 0o644);
    }
    chmodSync(join(pki, "master.pub"), 0o644);
  }
  if (layout === "broken") writeFileSync(join(pki, "minions_pre/junk"), "not a key\n");
  const conf = join(root, "conf");
  mkdirSync(conf);
  writeFileSync(
    join(conf, "master"),
    readFileSync(new URL("conf/master-keys", fixtures), "utf8").replaceAll("{ROOT}", root),
  );
  return conf;
}

describe("salt-key prints and ends as recorded", () => {
  const cases = readdirSync(new URL("cli/", golden)).filter((name) => name.startsWith("key-")).sort();
  for (const name of cases) {
    const recorded = JSON.parse(readFileSync(new URL(`cli/${name}`, golden), "utf8"));
    test(recorded.id, { timeout: 60_000 }, async () => {
      const root = mkdtempSync(join(tmpdir(), "brine-key-"));
      try {
        const conf = lay(root, /layout: (\w+)/.exec(recorded.requires)?.[1] ?? "std");
        const argv = recorded.argv.map((word: string) => word.replace("{KEYCONF}", conf).replace("{WORK}", root));
        const run = await runInProcess("salt-key", keyMain, argv, recorded.stdin ?? "");
        assert.match(run.stdout, pattern(recorded.stdout, { WORK: root }));
        assert.match(run.stderr, pattern(recorded.stderr, { WORK: root }));
        assert.equal(run.exitCode, recorded.exit_code);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});

test("salt-key -F: fingerprints of both of the master's own keys", async () => {
  const root = mkdtempSync(join(tmpdir(), "brine-key-"));
  try {
    const conf = lay(root, "std");
    writeFileSync(join(root, "keys/pki/master.pem"), PAIRS.master.privatePem);
    const { stdout } = await runInProcess("salt-key", keyMain, ["-c", conf, "-F", "--out=json"]);
    assert.deepEqual(Object.keys(JSON.parse(stdout).local).sort(), ["master.pem", "master.pub"]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

describe("salt-key changes the key directories", () => {
  for (
    const { argv, from, to } of [
      { argv: ["-a", "web2", "-y"], from: "minions_pre/web2", to: "minions/web2" },
      { argv: ["-r", "web2", "-y"], from: "minions_pre/web2", to: "minions_rejected/web2" },
      { argv: ["-d", "web1", "-y"], from: "minions/web1", to: undefined },
    ]
  ) {
    test(argv.join(" "), async () => {
      const root = mkdtempSync(join(tmpdir(), "brine-key-"));
      try {
        const conf = lay(root, "std");
        const pki = join(root, "keys/pki");
        const before = readFileSync(join(pki, from), "utf8");
        await runInProcess("salt-key", keyMain, ["-c", conf, ...argv]);
        assert.throws(() => readFileSync(join(pki, from)), /ENOENT/);
        if (to !== undefined) assert.equal(readFileSync(join(pki, to), "utf8"), before);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});

describe("salt-key changes nothing where words are left over", () => {
  const kept = (pki: string) => STATUSES.map((status) => readdirSync(join(pki, status)).sort());
  for (
    const [argv, said, exitCode] of [
      [["-y", "-D", "web1"], /^Error: Delete all takes no arguments\. Use -d to delete specified keys\n$/, 0],
      [["-D", "-y", "--", "web1"], /Delete all takes no arguments/, 0],
      [["-yD", "web1"], /Delete all takes no arguments/, 0],
      [["-y", "-A", "web2"], /error: --accept-all takes no arguments: 'web2'\. For one key, use -a\n$/, 64],
      [["-y", "-R", "web2"], /error: --reject-all takes no arguments: 'web2'\. For one key, use -r\n$/, 64],
    ] as [string[], RegExp, number][]
  ) {
    test(argv.join(" "), async () => {
      const root = mkdtempSync(join(tmpdir(), "brine-key-"));
      try {
        const conf = lay(root, "std");
        const pki = join(root, "keys/pki");
        const before = kept(pki);
        const run = await runInProcess("salt-key", keyMain, ["-c", conf, ...argv]);
        assert.deepEqual(kept(pki), before);
        assert.match(run.stderr, said);
        assert.deepEqual([run.exitCode, run.stdout], [exitCode, ""]);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});

describe("salt-key says that an accepted key is replaced before it does", () => {
  const run = async (argv: string[], stdin = "") => {
    const root = mkdtempSync(join(tmpdir(), "brine-key-"));
    try {
      const conf = lay(root, "std");
      const pki = join(root, "keys/pki");
      writeFileSync(join(pki, "minions/web1"), PAIRS.minion.publicPem);
      writeFileSync(join(pki, "minions_denied/web1"), PAIRS.other.publicPem);
      const ran = await runInProcess("salt-key", keyMain, ["-c", conf, ...argv], stdin);
      const replaced = readFileSync(join(pki, "minions/web1"), "utf8") === PAIRS.other.publicPem;
      const history = await runInProcess("salt-key", keyMain, ["-c", conf, "--history=web1"]);
      return { ...ran, replaced, history: history.stdout };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  const WARNING =
    /^WARNING: web1 has an accepted key already: ([0-9a-f]{2}(?::[0-9a-f]{2})+)\. Accepting ([0-9a-f:]+) replaces it, and disconnects the host that holds it\.$/m;

  for (
    const { argv, stdin, replaced } of [
      { argv: ["-a", "web1", "--include-denied"], stdin: "\n", replaced: false },
      { argv: ["-a", "web1", "--include-denied"], stdin: "n\n", replaced: false },
      { argv: ["-a", "web1", "--include-denied"], stdin: "y\n", replaced: true },
      { argv: ["-a", "web1", "--include-denied", "-y"], stdin: "", replaced: true },
      { argv: ["-A", "--include-denied", "-y"], stdin: "", replaced: true },
    ]
  ) {
    test(`${argv.join(" ")} with ${JSON.stringify(stdin)}`, async () => {
      const ran = await run(argv, stdin);
      const [, old, next] = WARNING.exec(ran.stderr)!;
      assert.notEqual(old, next);
      assert.equal(ran.replaced, replaced);
      if (!argv.includes("-y")) assert.match(ran.stdout, /Proceed\? \[N\/y\] /);
      if (replaced) assert.match(ran.history, new RegExp(`accept web1 \\(was denied\\).* ${next} replaced ${old}`));
    });
  }

  test("and nothing where none is", async () => {
    const { stderr, replaced } = await run(["-a", "web2", "--include-denied", "-y"]);
    assert.deepEqual([stderr, replaced], ["", false]);
  });
});

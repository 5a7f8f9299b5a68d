/** Command lines made from every option of every program, and what Salt 3006 does with them. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseOptions } from "../../../cli/options/parse_options.ts";
import type { Program } from "../../../cli/options/request.ts";
import { keyMain } from "../../../cli/programs/key.ts";
import { runInProcess } from "../../support/program.ts";

interface CommandLine {
  program: Program;
  argv: string[];
  /** Salt's exit code. */
  code: number;
  /** The reason that Salt gives, without the usage line. */
  error?: string;
  /** The words that are left when the options are taken. */
  words?: string[];
  /** The ids in the key directories afterwards. */
  keys?: Record<string, string>;
}

const VECTORS = new URL("../../vectors/command_lines.json", import.meta.url);
const ROWS = JSON.parse(readFileSync(VECTORS, "utf8")) as CommandLine[];
const PUBLIC = new URL("../../golden/fixtures/keys/master.pub", import.meta.url);
const IDS: Record<string, string[]> = {
  minions: ["acc1", "acc2"],
  minions_pre: ["pend1", "pend2"],
  minions_rejected: ["rej1"],
  minions_denied: ["den1"],
};

const idsOf = (pki: string) =>
  Object.fromEntries(Object.keys(IDS).map((state) => [state, readdirSync(join(pki, state)).sort().join(" ")]));

/** Runs salt-key over the keys of {@linkcode IDS}. */
async function saltKey(argv: string[]) {
  const root = mkdtempSync(join(tmpdir(), "brine-words-"));
  try {
    const pki = join(root, "pki");
    for (const [state, ids] of Object.entries(IDS)) {
      mkdirSync(join(pki, state), { recursive: true });
      for (const id of ids) copyFileSync(PUBLIC, join(pki, state, id));
    }
    mkdirSync(join(root, "cache"));
    writeFileSync(
      join(root, "master"),
      ["pki_dir: pki", "cachedir: cache", "sock_dir: sock", "log_file: log"].map((line) =>
        `${line.replace(": ", `: ${root}/`)}\n`
      ).join(""),
    );
    const run = await runInProcess("salt-key", keyMain, ["-c", root, ...argv]);
    return { ...run, keys: idsOf(pki) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Salt accepts or rejects every key, whichever was typed behind `-A` and `-R`; Brine does nothing. */
function isRefused({ argv }: CommandLine): boolean {
  const result = parseOptions("salt-key", argv, { version: "" });
  return result.kind === "exit" && /--(?:accept|reject)-all takes no arguments/.test(result.stderr);
}

for (const row of ROWS.filter(({ program }) => program !== "salt-key")) {
  test(`${row.program} ${JSON.stringify(row.argv)} is taken as Salt takes it`, () => {
    const result = parseOptions(row.program, row.argv, { version: "3006" });
    if (row.code !== 0) {
      assert.ok(result.kind === "exit");
      assert.equal(result.exitCode, row.code);
      if (row.error !== undefined) assert.ok(result.stderr.includes(row.error), result.stderr);
      return;
    }
    assert.ok(result.kind === "run", JSON.stringify(result));
    if (row.words !== undefined) assert.deepEqual(result.positionals, row.words);
  });
}

for (const row of ROWS.filter(({ program }) => program === "salt-key")) {
  test(`salt-key ${JSON.stringify(row.argv)} does with keys what Salt does, or nothing`, async () => {
    const run = await saltKey(row.argv);
    if (isRefused(row)) {
      assert.equal(run.exitCode, 64);
      assert.deepEqual(run.keys, Object.fromEntries(Object.entries(IDS).map(([state, ids]) => [state, ids.join(" ")])));
      return;
    }
    assert.deepEqual(run.keys, row.keys);
    assert.equal(run.exitCode, row.code);
    if (row.error !== undefined) assert.ok(run.stderr.includes(row.error), run.stderr);
  });
}

for (
  const { argv, error } of [
    { argv: ["-y", "-D", "junk"], error: "Delete all takes no arguments. Use -d to delete specified keys" },
    { argv: ["-y", "-D", ""], error: "Delete all takes no arguments. Use -d to delete specified keys" },
    { argv: ["-y", "-A", "pend1"], error: "--accept-all takes no arguments: 'pend1'. For one key, use -a" },
    { argv: ["-y", "-R", "--", "pend1"], error: "--reject-all takes no arguments: 'pend1'. For one key, use -r" },
  ]
) {
  test(`salt-key ${argv.join(" ")} changes no key`, async () => {
    const run = await saltKey(argv);
    assert.ok(run.stderr.includes(error), run.stderr);
    assert.equal(run.keys.minions_pre, "pend1 pend2");
    assert.equal(run.keys.minions, "acc1 acc2");
  });
}

for (
  const { program, argv, advice } of [
    {
      program: "salt-key",
      argv: ["-d", "web1", "web2"],
      advice: ["Ignored: 'web2'. Write several keys as one word, with commas: -d web1,web2"],
    },
    {
      program: "salt-key",
      argv: ["-a", "web1", "-d", "web2"],
      advice: ["Only one action is possible at a time: --accept. Ignored: --delete"],
    },
    { program: "salt-key", argv: ["-a", "web1"], advice: [] },
    { program: "salt-master", argv: ["stop"], advice: ["This program takes no arguments; ignored: 'stop'"] },
    { program: "salt-minion", argv: ["-d"], advice: [] },
  ] as const
) {
  test(`${program} ${argv.join(" ")} tells a person what is ignored`, () => {
    const result = parseOptions(program, argv, { version: "" });
    assert.ok(result.kind === "run");
    assert.deepEqual(result.advice, advice);
  });
}

for (
  const { given, dest } of [
    { given: "--rota=True", dest: "rotate_aes_key" },
    { given: "--rotate=web1", dest: "rotate" },
    { given: "--hist=web1", dest: "history" },
  ]
) {
  test(`salt-key ${given} is ${dest}: an option of Brine's takes no beginning of one of Salt's`, () => {
    const result = parseOptions("salt-key", [given], { version: "" });
    assert.ok(result.kind === "run" && result.explicit.has(dest));
  });
}

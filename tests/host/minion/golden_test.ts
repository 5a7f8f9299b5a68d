import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInput } from "../../../src/model/job/args.ts";
import { SALT_COMPAT } from "../../../src/base/version.ts";
import { inTemporary } from "../../plugins/temporary.ts";
import { type TestMinion, testMinion } from "../../support/context.ts";

interface GoldenCase {
  argv: string[];
  stdout: string;
  exit_code: number;
  /** Commands of a shell that come before it. */
  setup?: string[];
}

/** Runs of the reference whose returns ours must equal, each with the grains that it needs. */
const CASES = [
  "args-arg-repr",
  "args-arg-type",
  "err-bad-kwarg",
  "err-bad-kwargs-two",
  "err-cmd-noshell",
  "err-cmd-retcode",
  "err-cmd-run-all",
  "err-cmd-stderr",
  "err-cmderr",
  "err-cmderr-json",
  "err-cmderr_info",
  "err-dup-arg",
  "err-invoc",
  "err-keyerr",
  "err-missing-args",
  "err-missing-function",
  "err-missing-module",
  "err-missing-one",
  "err-no-dot",
  "err-notfound",
  "err-retcode",
  "err-retcode-json",
  "err-test-exception",
  "err-too-many-args",
  "err-typeerr",
  "err-valueerr",
  "err-zerodiv",
  "mod-cmd-cwd-bad",
  "mod-cmd-env",
  "mod-cmd-exec-code",
  "mod-cmd-has-exec",
  "mod-cmd-retcode",
  "mod-cmd-run",
  "mod-cmd-run-all",
  "mod-cmd-run-stderr",
  "mod-cmd-run-stdout",
  "mod-cmd-runas-bad",
  "mod-cmd-script",
  "mod-cmd-shell",
  "mod-cmd-success-retcodes",
  "mod-cmd-timeout",
  "mod-cmd-which",
  "mod-cmd-which-bin",
  "mod-config-get",
  "mod-config-get-default",
  "mod-config-option",
  "mod-config-valid-fileproto",
  "mod-disk-usage-type",
  "mod-event-fire",
  "mod-event-fire-master",
  "mod-event-send",
  "mod-file-basename",
  "mod-file-dirname",
  "mod-file-join",
  "mod-file-remove-relative",
  "mod-grains-equals",
  "mod-grains-filter",
  "mod-grains-has",
  "mod-grains-has-not",
  "mod-grains-ls",
  "mod-group-info",
  "mod-group-info-missing",
  "mod-hashutil-b64",
  "mod-hashutil-b64d",
  "mod-hashutil-bad",
  "mod-hashutil-digest",
  "mod-hashutil-hmac",
  "mod-hashutil-md5",
  "mod-match-compound",
  "mod-match-filter-by",
  "mod-match-glob",
  "mod-match-grain",
  "mod-match-list",
  "mod-match-pillar",
  "mod-network-calc-net",
  "mod-network-convert-cidr",
  "mod-network-in-subnet",
  "mod-network-ip-in-subnet",
  "mod-network-ping-arg",
  "mod-network-private",
  "mod-pillar-fetch-missing",
  "mod-pillar-get",
  "mod-pillar-keys",
  "mod-pillar-raw",
  "mod-random-int",
  "mod-random-sample-fixed",
  "mod-random-seed",
  "mod-saltutil-find-job",
  "mod-saltutil-is-running",
  "mod-saltutil-kill-job",
  "mod-saltutil-refresh-pillar",
  "mod-saltutil-running",
  "mod-saltutil-sync-grains",
  "mod-sys-argspec",
  "mod-sys-argspec-missing",
  "mod-sys-list-functions-glob",
  "mod-test-assertion",
  "mod-test-outputter",
  "mod-test-sleep",
  "mod-test-try",
  "mod-test-version",
  "mod-user-info-missing",
];

/** Runs in one directory, `{WORK}`, each with what those before it left there. */
const SEQUENCE = [
  "mod-file-write",
  "mod-file-append",
  "mod-file-read",
  "mod-file-contains",
  "mod-file-exists",
  "mod-file-dir-exists",
  "mod-file-replace",
  "mod-file-grep",
  "mod-file-line",
  "mod-file-sed",
  "mod-file-comment",
  "mod-file-rename",
  "mod-file-copy",
  "mod-file-copy-missing",
  "mod-file-blockreplace",
  "mod-file-get-hash",
  "mod-file-check-hash",
  "mod-file-get-mode",
  "mod-file-set-mode",
  "mod-file-chown-bad",
  "mod-file-symlink",
  "mod-file-is-link",
  "mod-file-readlink",
  "mod-file-touch",
  "mod-file-find",
  "mod-file-mkdir",
  "mod-file-remove",
  "mod-file-remove-missing",
  "mod-file-stats-missing",
  "mod-file-patch-missing",
];

/** Runs that set grains, each with what those before it left. */
const GRAINS_SEQUENCE = [
  "mod-grains-setval",
  "mod-grains-get-set",
  "mod-grains-append",
  "mod-grains-append-dup",
  "mod-grains-remove",
  "mod-grains-delval",
  "mod-grains-delkey",
];

/** Runs that are not compared here, by how they begin: where they are, or what there is not. */
const ELSEWHERE: Record<string, string> = {
  "mod-cmd-run-nofile": "its message has the environment of its run",
  "mod-cp-": "they need files: tests/plugins/cp_test.ts",
  "mod-mine-": "they need a master: tests/integration/mine_test.ts",
  "mod-pillar-ls": "it has a pillar compiled: tests/cli/pillar_golden_test.ts",
  "mod-pkg-": "they need dpkg: tests/plugins/salt_calls",
  "mod-schedule-": "they follow each other: tests/golden/replay_slow_test.ts",
  "mod-service-missing": "it needs services: tests/plugins/service_slow_test.ts",
  "mod-state-": "there are no states",
  "mod-sys-doc": "the documentation of the probe is that of Python",
  "mod-sys-list-functions": "the probe has fewer functions here",
  "mod-sys-state-argspec": "there are no states",
  "mod-user-info": "the home directory of root is the host's",
  "mod-user-list-groups": "the groups of root are the host's",
};

const PLACEHOLDERS: Record<string, string> = {
  "{PID}": "\\d+",
  "{JID}": "\\d{20}",
  "{VERSION}": SALT_COMPAT.replaceAll(".", "\\."),
  // Any number of lines, as they stand in a text or in a JSON string.
  "{TRACEBACK}": "[^]*?",
};

function pattern(text: string): RegExp {
  const source = text.split(/(\{[A-Z]+\})/)
    .map((part) =>
      Object.hasOwn(PLACEHOLDERS, part) ? PLACEHOLDERS[part] : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    );
  return new RegExp(`^${source.join("")}$`);
}

/** A text as the nested outputter shows it under the minion's id. */
function nested(text: string): string {
  return `alpha:\n${text.split("\n").map((line) => line === "" ? "    " : `    ${line}`).join("\n")}\n`;
}

/** As the default outputter shows such information; here without importing it. */
function formatInfo(info: unknown): string {
  assert.deepEqual(info, { k: ["v1", "v2"], n: 1 });
  return "k:\n    - v1\n    - v2\nn:\n    1";
}

const context = {
  modules: { gold: () => import("./gold.ts") },
  opts: { id: "alpha" },
  grains: { role: "web", site: { dc: "east", rack: 7 }, os: "Debian" },
  pillar: { app: { name: "demo", ports: [80, 443], nested: { deep: { key: "val" } } }, flag: true, nothing: null },
};

function goldenCase({ runtime }: TestMinion, id: string, work = "{WORK}"): GoldenCase {
  const path = new URL(`../../golden/cli/${id}.json`, import.meta.url).pathname;
  return JSON.parse(runtime.fs.readText(path).replaceAll("{WORK}", work));
}

async function check(minion: TestMinion, id: string, golden: GoldenCase): Promise<void> {
  const words = golden.argv.slice(golden.argv.indexOf("alpha") + 1);
  const [fun, ...arg] = words as [string, ...string[]];
  const outcome = await minion.run(fun, parseInput(arg), { formatInfo });
  const shown = golden.argv.includes("--out=json")
    ? `${JSON.stringify({ alpha: outcome.return }, null, 4)}\n`
    : nested(String(outcome.return));
  // Trailing blanks of a line are the outputter's.
  const trim = (text: string) => text.replace(/ +$/gm, "").trimEnd();
  assert.match(trim(shown), pattern(trim(golden.stdout)), id);
  assert.equal(outcome.retcode === 0 || outcome.retcode === null ? 0 : 1, golden.exit_code, `${id}: retcode`);
}

for (const id of CASES) {
  test(`golden: ${id}`, async () => {
    const minion = await testMinion(context);
    await check(minion, id, goldenCase(minion, id));
  });
}

test("golden: files, one run after the other", async () => {
  const minion = await testMinion(context);
  const { runtime } = minion;
  await inTemporary(runtime, async (directory) => {
    for (const id of SEQUENCE) {
      const golden = goldenCase(minion, id, directory);
      for (const command of golden.setup ?? []) {
        const shell = await runtime.process.spawn({ argv: ["/bin/sh", "-c", command], cwd: directory });
        assert.equal((await shell.exited).code, 0, command);
      }
      await check(minion, id, golden);
    }
  });
});

test("golden: grains, one run after the other", async () => {
  const { runtime } = await testMinion();
  await inTemporary(runtime, async (directory) => {
    const opts = { ...context.opts, conf_file: `${directory}/minion` };
    const minion = await testMinion({ ...context, opts, grains: structuredClone(context.grains) });
    for (const id of GRAINS_SEQUENCE) await check(minion, id, goldenCase(minion, id));
  });
});

test("golden: every run of a module is compared, or is known not to be", async () => {
  const { runtime } = await testMinion();
  const compared = new Set([...CASES, ...SEQUENCE, ...GRAINS_SEQUENCE]);
  const names = runtime.fs.list(new URL("../../golden/cli/", import.meta.url).pathname)
    .filter((name) => name.startsWith("mod-")).map((name) => name.replace(/\.json$/, ""));
  assert.ok(names.length >= 147);
  const open = names.filter((name) => !compared.has(name));
  assert.deepEqual(open.filter((name) => !Object.keys(ELSEWHERE).some((start) => name.startsWith(start))), []);
  for (const start of Object.keys(ELSEWHERE)) assert.ok(open.some((name) => name.startsWith(start)), start);
});

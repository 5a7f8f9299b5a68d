import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInput } from "../../src/job/args.ts";
import { SALT_COMPAT } from "../../src/version.ts";
import { testMinion } from "../support/context.ts";

interface GoldenCase {
  argv: string[];
  stdout: string;
  exit_code: number;
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
  "mod-cmd-which",
  "mod-cmd-which-bin",
  "mod-config-get",
  "mod-config-get-default",
  "mod-config-option",
  "mod-config-valid-fileproto",
  "mod-event-fire",
  "mod-event-fire-master",
  "mod-event-send",
  "mod-grains-equals",
  "mod-grains-filter",
  "mod-grains-has",
  "mod-grains-has-not",
  "mod-grains-ls",
  "mod-pillar-fetch-missing",
  "mod-pillar-get",
  "mod-pillar-keys",
  "mod-pillar-raw",
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
  "mod-test-try",
  "mod-test-version",
];

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

for (const id of CASES) {
  test(`golden: ${id}`, async () => {
    const minion = await testMinion({
      modules: { gold: () => import("./gold.ts") },
      grains: { role: "web", site: { dc: "east", rack: 7 }, os: "Debian" },
      pillar: { app: { name: "demo", ports: [80, 443], nested: { deep: { key: "val" } } }, flag: true, nothing: null },
    });
    const path = new URL(`../golden/cli/${id}.json`, import.meta.url).pathname;
    const golden: GoldenCase = JSON.parse(minion.runtime.fs.readText(path));
    const words = golden.argv.slice(golden.argv.indexOf("alpha") + 1);
    const [fun, ...arg] = words as [string, ...string[]];
    const outcome = await minion.run(fun, parseInput(arg), { formatInfo });
    const shown = golden.argv.includes("--out=json")
      ? `${JSON.stringify({ alpha: outcome.return }, null, 4)}\n`
      : nested(String(outcome.return));
    // Trailing blanks of a line are the outputter's.
    const trim = (text: string) => text.replace(/ +$/gm, "").trimEnd();
    assert.match(trim(shown), pattern(trim(golden.stdout)));
    assert.equal(outcome.retcode === 0 || outcome.retcode === null ? 0 : 1, golden.exit_code, "retcode");
  });
}

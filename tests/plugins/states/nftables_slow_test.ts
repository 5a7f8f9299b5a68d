import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../../src/plugins/commands.ts";
import { states } from "../../../src/plugins/states/nftables.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { kwargs, testMinion } from "../../support/context.ts";
import { memoryHost } from "../../support/memory_host.ts";
import { callState, fakeStateHost, replayStates } from "../../support/recorded_states.ts";
import { stateMinion, withPrograms } from "../../support/state_job.ts";
import { inTemporary } from "../temporary.ts";

await replayStates("nftables", { nftables: states });

for (const [text, dry] of [["in a dry run nothing is flushed", true], ["flushed, then deleted", false]] as const) {
  test(`nftables.chain_absent: ${text}`, async () => {
    const yes = [{ result: true, comment: "yes" }];
    const host = await fakeStateHost({ test: dry }, {
      "nftables.check_chain": yes,
      "nftables.flush": yes,
      "nftables.delete_chain": yes,
    });
    const ret = await callState(states, host.context, "chain_absent", { name: "mine" });
    assert.deepEqual([ret.result, ret.changes], dry ? [null, {}] : [true, { locale: "mine" }]);
    assert.equal(host.calls.length, dry ? 1 : 3);
  });
}

const runtime = await currentRuntime();
const namespace = `brine-nft-${runtime.process.pid}`;

/** Why there is no namespace for rules here; false if there is one. */
async function reason(): Promise<string | false> {
  const missing = ["ip", "nft"].find((name) => programPath({ runtime }, name) === undefined);
  if (missing !== undefined) return `there is no ${missing}`;
  const minion = await testMinion();
  const words = `ip netns add ${namespace} && ip netns exec ${namespace} nft list tables`;
  return await minion.value("cmd.retcode", words, kwargs({ python_shell: true })) === 0
    ? false
    : "no network namespace with nftables can be made";
}

const skip = await reason();

describe("nftables", { skip }, () => {
  test(
    "tables, chains and rules come, are saved, and go in a namespace of their own",
    { timeout: 120_000 },
    async () => {
      await inTemporary(runtime, async (directory) => {
        const within = `exec ip netns exec ${namespace} ${programPath({ runtime }, "nft")} "$@"`;
        const variables = withPrograms(`${directory}/bin`, { nft: within });
        const grains = { os: "Debian", os_family: "Debian" };
        const { minion, state } = await stateMinion(variables, { nftables: states }, { grains });
        const web = { name: "web", table: "filter", chain: "input", proto: "tcp", dports: "80,443", jump: "accept" };
        const results: unknown[] = [];
        const run = async (fun: string, keyword: Record<string, unknown>) => {
          const { result, changes } = await state(`nftables.${fun}`, keyword);
          results.push([fun, result, Object.keys(changes).length > 0]);
        };
        try {
          await run("table_present", { name: "filter" });
          await run("table_present", { name: "filter" });
          const hook = { table_type: "filter", hook: "input", priority: 10 };
          await run("chain_present", { name: "input", ...hook });
          await run("chain_present", { name: "mine" });
          await run("chain_present", { name: "mine" });
          await run("append", web);
          await run("insert", { ...web, dports: "22", position: 0 });
          await run("set_policy", { name: "p", chain: "input", policy: "drop" });
          await run("set_policy", { name: "p", chain: "input", policy: "drop" });
          assert.equal(await minion.value("nftables.get_policy", "filter", "input"), "drop");
          const saved = String(await minion.value("nftables.save", `${directory}/rules`));
          assert.equal(saved, runtime.fs.readText(`${directory}/rules`));
          assert.match(saved, /policy drop;\n\t\ttcp dport 22 accept\n\t\ttcp dport \{ 80, 443 \} accept\n/);
          const handle = await minion.value("nftables.get_rule_handle", "filter", "input", "tcp dport { 22 } accept");
          assert.match(String((handle as { handle: string }).handle), /^\d+$/);
          await run("delete", { ...web, dports: "22" });
          await run("delete", { ...web, dports: "22" });
          await run("flush", { name: "f", chain: "input" });
          await run("chain_absent", { name: "mine" });
          await run("chain_absent", { name: "mine" });
          await run("table_absent", { name: "filter" });
          await run("table_absent", { name: "filter" });
          assert.match(String(await minion.value("nftables.version")), /^v\d/);
        } finally {
          await (await testMinion()).value("cmd.run", `ip netns delete ${namespace}`);
        }
        assert.deepEqual(results, [
          ["table_present", true, true],
          ["table_present", true, false],
          ["chain_present", true, true],
          ["chain_present", true, true],
          ["chain_present", true, false],
          ["append", true, true],
          ["insert", true, true],
          ["set_policy", true, true],
          ["set_policy", true, false],
          ["delete", true, true],
          ["delete", true, false],
          ["flush", true, true],
          ["chain_absent", true, true],
          ["chain_absent", true, false],
          ["table_absent", true, true],
          ["table_absent", true, false],
        ]);
      });
    },
  );
});

const REFUSED: [fun: string, arg: unknown[], says: RegExp][] = [
  ["check_table", ["filter; flush ruleset"], /"filter; flush ruleset" as the name of a table/],
  ["append", ["filter", "input {", "accept"], /"input \{" as the name of a chain/],
  ["check_table", ["filter", "ipx"], /"ipx" as a family of nftables/],
  ["append", ["filter", "input", "accept; add table ip x"], /"accept; add table ip x" as a rule/],
  ["append", ["filter", "input", "accept\nadd table ip x"], /as a rule/],
  ["insert", ["filter", "input", "3; x", "accept"], /"3; x" as a position/],
  ["new_chain", ["filter", "y", "filter", "input", "0; }; x"], /"0; }; x": expected a word or number/],
  ["set_policy", ["filter", "input", "drop; }"], /policy "drop; }": expected accept or drop/],
  ["build_rule", [kwargs({ dports: "80,x" })], /"80,x" as ports/],
];

for (const [fun, arg, says] of REFUSED) {
  test(`nftables.${fun} refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, ran } = await memoryHost({
      programs: ["nft"],
      answers: {
        "nft list tables ip": "table ip filter",
        "nft list table ip filter": "chain input {",
      },
    });
    const outcome = await minion.run(`nftables.${fun}`, arg);
    assert.match(String(outcome.return), says);
    assert.ok(ran.every((words) => /^nft (?:list|--handle)/.test(words)), ran.join("\n"));
  });
}

/** Rules of iptables: as texts beside Salt's, and for real in a network namespace of their own. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { ruleText } from "../../src/plugins/modules/iptables/rule.ts";
import { parseSaved } from "../../src/plugins/modules/iptables/saved.ts";
import { states } from "../../src/plugins/states/iptables.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { vectors } from "../support/vectors.ts";
import { inTemporary } from "./temporary.ts";

const recorded = vectors("states/iptables_rules");

for (const { args, text } of recorded.rules) {
  test(`iptables.build_rule: ${text}`, () => {
    if (text.startsWith("Error: ")) assert.throws(() => ruleText(args), { message: text });
    else assert.equal(ruleText(args), text);
  });
}

test("iptables.get_saved_rules: tables, chains and rules as Salt reads them", () => {
  assert.deepEqual(parseSaved(recorded.saved), recorded.parsed);
});

const runtime = await currentRuntime();
const namespace = `brine-${runtime.process.pid}`;

/** Why there is no namespace for rules here; false if there is one. */
async function reason(): Promise<string | false> {
  const missing = ["ip", "iptables"].find((name) => programPath({ runtime }, name) === undefined);
  if (missing !== undefined) return `there is no ${missing}`;
  const minion = await testMinion();
  const made = await minion.run("cmd.retcode", [`ip netns add ${namespace}`]);
  return made.return === 0 ? false : "no network namespace can be made";
}

const skip = await reason();

describe("iptables", { skip }, () => {
  test("rules are added, inserted, deleted and saved in a namespace of their own", { timeout: 120_000 }, async () => {
    const programs = ["iptables", "iptables-save", "ip6tables", "ip6tables-save"];
    await inTemporary(runtime, async (directory) => {
      const within = (name: string) => `exec ip netns exec ${namespace} ${programPath({ runtime }, name)} "$@"`;
      const variables = withPrograms(
        `${directory}/bin`,
        Object.fromEntries(programs.map((name) => [name, within(name)])),
      );
      const grains = { os: "Debian", os_family: "Debian" };
      const { minion, state } = await stateMinion(variables, { iptables: states }, { grains });
      const web = { name: "web", chain: "INPUT", proto: "tcp", dport: 80, comment: "the web", jump: "ACCEPT" };
      try {
        assert.equal((await state("iptables.append", web, true)).result, null);
        assert.deepEqual((await state("iptables.append", web)).changes, { locale: "web" });
        assert.match(String((await state("iptables.append", web)).comment), /already set/);
        assert.equal((await state("iptables.chain_present", { name: "mine" })).result, true);
        const jump = { name: "to mine", chain: "INPUT", position: 1, jump: "mine" };
        assert.deepEqual((await state("iptables.insert", jump)).changes, { locale: "to mine" });
        const found = await minion.value("iptables.get_rules") as Record<string, Record<string, { rules: unknown[] }>>;
        assert.deepEqual(found.filter!.INPUT!.rules, [
          { jump: ["mine"] },
          {
            protocol: ["tcp"],
            match: ["tcp", "comment"],
            destination_port: ["80"],
            comment: ["the web"],
            jump: ["ACCEPT"],
          },
        ]);
        const file = `${directory}/rules/v4`;
        const saved = await state("iptables.set_policy", {
          name: "drop",
          chain: "FORWARD",
          policy: "DROP",
          save: file,
        });
        assert.equal(saved.result, true);
        const policy = await minion.value(
          "iptables.get_saved_policy",
          "filter",
          "FORWARD",
          kwargs({ conf_file: file }),
        );
        assert.deepEqual([policy, await minion.value("iptables.get_policy", "filter", "FORWARD")], ["DROP", "DROP"]);
        assert.match(
          String((await state("iptables.chain_absent", { name: "mine" })).comment),
          /^Failed to delete mine chain/,
        );
        assert.deepEqual((await state("iptables.delete", { ...jump, position: 1 })).changes, { locale: "to mine" });
        assert.equal((await state("iptables.chain_absent", { name: "mine" })).result, true);
        assert.deepEqual((await state("iptables.delete", web)).changes, { locale: "web" });
        assert.match(String((await state("iptables.delete", web)).comment), /already absent/);
        assert.equal((await state("iptables.append", { ...web, jump: "nowhere" })).result, false);
        assert.match(String(await minion.value("iptables.version")), /^v\d/);
      } finally {
        await (await testMinion()).value("cmd.run", `ip netns delete ${namespace}`);
      }
    });
  });
});

import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { splitLinesKeepEnds, splitWords } from "../../language/python/text.ts";
import { join } from "../../language/python/posixpath.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { programPath, runAll } from "../commands.ts";
import { isDirectory } from "../linux/paths.ts";
import {
  chainOf,
  checkChain,
  checkTable,
  firstNo,
  nft,
  type NftAnswer,
  nftCheck,
  no,
  ruleHandle,
  ruleset,
  tables,
  tableTexts,
  yes,
} from "./nftables/program.ts";
import { chainComplaint, handleOf, hookWords, policyWord } from "./nftables/places.ts";
import { ALL_FAMILIES, chainName, nftRuleText, ruleFamily, ruleWords } from "./nftables/rule.ts";

/** Where each system keeps rules over a restart: a file, or a directory for one. */
const FILE = "/etc/nftables";
const NAME = "salt-all-in-one.nft";

/** @throws {CommandExecutionError} for a system of which that is not known */
function fileOf({ grains }: JobContext, asked: unknown): string {
  if (truthy(asked)) return str(asked);
  if (["RedHat", "Arch", "Debian"].includes(str(grains.os_family)) || grains.os === "Gentoo") return FILE;
  throw new CommandExecutionError(
    `Cannot tell where ${
      str(grains.os ?? "this system")
    } keeps rules: name a file, such as filename=/etc/nftables.conf`,
  );
}

const where = ({ table, family }: Args): string => `Table ${str(table)} in family ${str(family)}`;
const chainText = ({ chain, table, family }: Args): string =>
  `Chain ${str(chain)} in table ${str(table)} in family ${str(family)}`;

/** nft's words for a chain. */
const chainWords = ({ family, table, chain }: Args): string[] => [
  ruleFamily(family),
  chainName(table, "table"),
  chainName(chain, "chain"),
];

/** Adds a rule behind the others, or before them or the rule at a place. */
async function addRule(context: JobContext, verb: "add" | "insert", args: Args): Promise<NftAnswer> {
  const { table, chain, rule, family, position } = args;
  if (!truthy(chain)) return no("Chain needs to be specified");
  if (!truthy(rule)) return no("Rule needs to be specified");
  const missing = await firstNo(context, args, checkTable, checkChain);
  if (missing !== undefined) return missing;
  if ((await nftCheck(context, args)).result) {
    return no(`Rule ${str(rule)} chain ${str(chain)} in table ${str(table)} in family ${str(family)} already exists`);
  }
  const place = truthy(position) ? ["position", handleOf(position)] : [];
  const said = await nft(context, [verb, "rule", ...chainWords(args), ...place, ...ruleWords(rule)]);
  const what = `rule "${str(rule)}" chain ${str(chain)} in table ${str(table)} in family ${str(family)}.`;
  return said === "" ? yes(`Added ${what}`) : no(`Failed to add ${what}`);
}

const FAMILY = "\n\nfamily: ipv4, ipv6, inet, arp, bridge or netdev";

const CHAIN = "table='filter', chain=None, family='ipv4'";
const RULE = "table='filter', chain=None, rule=None, family='ipv4'";

/** The rules of the firewall, with nft. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "nft") === undefined
      ? { unavailable: "The nftables execution module failed to load: nftables is not installed." }
      : true,
  functions: executionFunctions({
    "version()": {
      doc: "The version of nft.\n\n    salt '*' nftables.version",
      run: async (context) => splitWords(await nft(context, ["--version"]))[1] ?? "",
    },
    "build_rule(table=None, chain=None, command=None, position='', full=None, family='ipv4', **kwargs)": {
      doc: `The text of a rule; with full='"True"' of the whole command.\n\ncommand: add, insert or delete\nfull: ` +
        "the text True or true\n\n" +
        `    salt '*' nftables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT${FAMILY}`,
      run(_, { table, chain, command, position, full, family, kwargs }): Record<string, unknown> {
        const nftFamily = ruleFamily(family);
        const rule = nftRuleText(kwargs as Args, nftFamily);
        const built = (text: string) => ({
          comment: text === "" ? "" : "Successfully built rule",
          rule: text,
          result: true,
        });
        // As in Salt, where only the text asks for the whole command.
        if (full !== "True" && full !== "true") return built(rule);
        const lacking = Object.entries({ Table: table, Chain: chain, Command: command }).find(([, value]) =>
          !truthy(value)
        );
        if (lacking !== undefined) return { comment: `${lacking[0]} needs to be specified`, rule, result: false };
        const inserts = str(command).toLowerCase() === "insert";
        const place = inserts && truthy(position) ? ` position ${str(position)}` : "";
        const verb = inserts ? "insert" : str(command);
        return built(`nft ${verb} rule ${nftFamily} ${str(table)} ${str(chain)}${place} ${rule}`);
      },
    },
    "get_saved_rules(conf_file=None)": {
      doc: "The lines of the file of rules, without comments.\n\n    salt '*' nftables.get_saved_rules",
      run(context, { conf_file: asked }): string[] {
        const path = fileOf(context, asked);
        const lines = splitLinesKeepEnds(context.runtime.fs.readText(path));
        return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
      },
    },
    "list_tables(family='ipv4')": {
      doc: `The tables that there are now.\n\n    salt '*' nftables.list_tables${FAMILY}`,
      run: (context, { family }) => tables(context, ruleFamily(family)),
    },
    "get_rules(family='ipv4')": {
      doc: `The rules that hold now, a text for each table.\n\n    salt '*' nftables.get_rules${FAMILY}`,
      run: (context, { family }) => tableTexts(context, ruleFamily(family)),
    },
    "get_rules_json(family='ipv4')": {
      doc: "The rules that hold now, as nft lists them in JSON.\n\n" +
        `    salt '*' nftables.get_rules_json family=ipv6${FAMILY}`,
      run: (context, { family }) => ruleset(context, ruleFamily(family)),
    },
    "save(filename=None, family='ipv4')": {
      doc: `Saves the rules of all families; below a directory as ${NAME}. Returns what it wrote.\n\n` +
        `    salt '*' nftables.save /etc/nftables${FAMILY}`,
      async run(context, { filename: asked }): Promise<string> {
        const { fs } = context.runtime;
        const named = fileOf(context, asked);
        let rules = "#! nft -f\n";
        for (const family of ALL_FAMILIES) {
          const texts = await tableTexts(context, family);
          rules += `${texts.length > 0 ? "\n" : ""}${texts.join("\n")}`;
        }
        rules += "\n";
        const path = isDirectory(fs, named) ? join(named, NAME) : named;
        try {
          fs.writeAt(path, 0, new TextEncoder().encode(rules), { truncate: true, mode: 0o644 });
        } catch (cause) {
          throw new CommandExecutionError(`Problem writing to configuration file: ${(cause as Error).message}`, {
            cause,
          });
        }
        return rules;
      },
    },
    [`get_rule_handle(${RULE})` as const]: {
      doc: "The number by which nft knows a rule.\n\n" +
        `    salt '*' nftables.get_rule_handle filter input rule='tcp dport 22 log accept'${FAMILY}`,
      run: ruleHandle,
    },
    [`check(${RULE})` as const]: {
      doc: "Whether there is such a rule.\n\n" +
        `    salt '*' nftables.check filter input rule='tcp dport 22 log accept'${FAMILY}`,
      run: nftCheck,
    },
    [`check_chain(${CHAIN})` as const]: {
      doc: `Whether there is such a chain.\n\n    salt '*' nftables.check_chain filter input${FAMILY}`,
      run: checkChain,
    },
    "check_table(table=None, family='ipv4')": {
      doc: `Whether there is such a table.\n\n    salt '*' nftables.check_table nat${FAMILY}`,
      run: checkTable,
    },
    "new_table(table, family='ipv4')": {
      doc: `Makes a table.\n\n    salt '*' nftables.new_table filter${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        if (!truthy(args.table)) return no("Table needs to be specified");
        const there = await checkTable(context, args);
        if (there.result) return there;
        const said = await nft(context, ["add", "table", ruleFamily(args.family), chainName(args.table, "table")]);
        return said === "" ? yes(`${where(args)} created`) : no(`${where(args)} could not be created`);
      },
    },
    "delete_table(table, family='ipv4')": {
      doc: `Deletes a table.\n\n    salt '*' nftables.delete_table filter${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        const missing = await checkTable(context, args);
        if (!missing.result) return missing;
        const said = await nft(context, ["delete", "table", ruleFamily(args.family), chainName(args.table, "table")]);
        return said === "" ? yes(`${where(args)} deleted`) : no(`${where(args)} could not be deleted`);
      },
    },
    "new_chain(table='filter', chain=None, table_type=None, hook=None, priority=None, family='ipv4')": {
      doc: "Makes a chain; with type, hook and priority it is one that packets come through.\n\n" +
        `    salt '*' nftables.new_chain filter input table_type=filter hook=input priority=0${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        if (!truthy(args.chain)) return no("Chain needs to be specified");
        const missing = await checkTable(context, args);
        if (!missing.result) return missing;
        if ((await checkChain(context, args)).result) return no(`${chainText(args)} already exists`);
        const complaint = chainComplaint(args);
        if (complaint !== undefined) return complaint;
        const said = await nft(context, ["--", "add", "chain", ...chainWords(args), ...hookWords(args) ?? []]);
        return said === "" ? yes(`${chainText(args)} created`) : no(`${chainText(args)} could not be created`);
      },
    },
    [`delete_chain(${CHAIN})` as const]: {
      doc: `Deletes a chain.\n\n    salt '*' nftables.delete_chain filter input${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        if (!truthy(args.chain)) return no("Chain needs to be specified");
        const missing = await firstNo(context, args, checkTable, checkChain);
        if (missing !== undefined) return missing;
        const said = await nft(context, ["delete", "chain", ...chainWords(args)]);
        return said === "" ? yes(`${chainText(args)} deleted`) : no(`${chainText(args)} could not be deleted`);
      },
    },
    [`append(${RULE})` as const]: {
      doc: "Adds a rule behind the others, unless it is there.\n\n" +
        `    salt '*' nftables.append filter input rule='tcp dport 22 log accept'${FAMILY}`,
      run: (context, args) => addRule(context, "add", args),
    },
    "insert(table='filter', chain=None, position=None, rule=None, family='ipv4')": {
      doc: "Adds a rule before the others, or before the rule with the handle `position`, unless it is there.\n\n" +
        `    salt '*' nftables.insert filter input position=3 rule='tcp dport 22 log accept'${FAMILY}`,
      run: (context, args) => addRule(context, "insert", args),
    },
    "delete(table, chain=None, position=None, rule=None, family='ipv4')": {
      doc: "Deletes a rule, by its handle or by what it says.\n\n" +
        `    salt '*' nftables.delete filter input rule='tcp dport 22 log accept'${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        const { table, chain, rule, position, family } = args;
        if (truthy(position) && truthy(rule)) return no("Only specify a position or a rule, not both");
        const missing = await firstNo(context, args, checkTable, checkChain);
        if (missing !== undefined) return missing;
        let handle: string;
        if (truthy(position)) handle = handleOf(position);
        else {
          const found = await ruleHandle(context, args);
          if (!("handle" in found)) {
            return no(
              `Rule ${str(rule)} chain ${str(chain)} in table ${str(table)} in family ${str(family)} does not exist`,
            );
          }
          handle = found.handle;
        }
        const said = await nft(context, ["delete", "rule", ...chainWords(args), "handle", handle]);
        return said === ""
          ? yes(`Deleted rule "${str(rule)}" in chain ${str(chain)} in table ${str(table)} in family ${str(family)}.`)
          : no(
            `Failed to delete rule "${str(rule)}" in chain ${str(chain)}  table ${str(table)} in family ${str(family)}`,
          );
      },
    },
    "flush(table='filter', chain='', family='ipv4')": {
      doc: `Deletes all rules of a chain, or of a table.\n\n    salt '*' nftables.flush filter input${FAMILY}`,
      async run(context, args): Promise<NftAnswer> {
        const { table, chain, family } = args;
        const checks = truthy(chain) ? [checkTable, checkChain] : [checkTable];
        const missing = await firstNo(context, args, ...checks);
        if (missing !== undefined) return missing;
        const words = truthy(chain)
          ? ["chain", ...chainWords(args)]
          : ["table", ruleFamily(family), chainName(table, "table")];
        const said = await nft(context, ["flush", ...words]);
        const what = `from ${truthy(chain) ? `chain ${str(chain)} in ` : ""}table ${str(table)} in family ${
          str(family)
        }.`;
        return said === "" ? yes(`Flushed rules ${what}`) : no(`Failed to flush rules ${what}`);
      },
    },
    [`get_policy(${CHAIN})` as const]: {
      doc: `The policy of a chain; null if it has none.\n\n    salt '*' nftables.get_policy filter input${FAMILY}`,
      run: async (context, args) =>
        truthy(args.chain) ? (await chainOf(context, args))?.policy ?? null : "Error: Chain needs to be specified",
    },
    "set_policy(table='filter', chain=None, policy=None, family='ipv4')": {
      doc: "Sets the policy of a chain that packets come through; false if it is no such chain.\n\npolicy: accept " +
        "or drop\n\n" + `    salt '*' nftables.set_policy filter input accept${FAMILY}`,
      async run(context, args): Promise<unknown> {
        if (!truthy(args.chain)) return "Error: Chain needs to be specified";
        if (!truthy(args.policy)) return "Error: Policy needs to be specified";
        const policy = policyWord(args.policy);
        const found = await chainOf(context, args);
        // Only a chain of a hook has a policy.
        if (found?.type === undefined || found.hook === undefined || found.prio === undefined) return false;
        const hook = `type ${str(found.type)} hook ${str(found.hook)} priority ${str(found.prio)};`;
        const words = ["nft", "add", "chain", ...chainWords(args), `{ ${hook} policy ${policy}; }`];
        return (await runAll(context, words)).retcode === 0;
      },
    },
  }),
};

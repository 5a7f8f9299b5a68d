import { dirName } from "../../base/paths.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { type CommandOutcome, needProgram, programPath, runAll } from "../commands.ts";
import { shellWords } from "../linux/words.ts";
import { ruleText } from "./iptables/rule.ts";
import { parseSaved, type SavedRules } from "./iptables/saved.ts";

type Family = "ipv4" | "ipv6";

const familyOf = (value: unknown): Family => value === "ipv6" ? "ipv6" : "ipv4";

const programOf = (family: Family): string => family === "ipv6" ? "ip6tables" : "iptables";

/** Where each family of systems keeps rules over a restart: of IPv4, and of IPv6. */
const FILES: Readonly<Record<string, readonly [string, string]>> = {
  RedHat: ["/etc/sysconfig/iptables", "/etc/sysconfig/ip6tables"],
  Arch: ["/etc/iptables/iptables.rules", "/etc/iptables/ip6tables.rules"],
  Debian: ["/etc/iptables/rules.v4", "/etc/iptables/rules.v6"],
  Gentoo: ["/var/lib/iptables/rules-save", "/var/lib/ip6tables/rules-save"],
  Suse: ["/etc/sysconfig/scripts/SuSEfirewall2-custom", "/etc/sysconfig/scripts/SuSEfirewall2-custom"],
  Void: ["/etc/iptables/iptables.rules", "/etc/iptables/ip6tables.rules"],
  Alpine: ["/etc/iptables/rules-save", "/etc/iptables/rules6-save"],
  NILinuxRT: ["/etc/natinst/share/iptables.conf", "/etc/natinst/share/ip6tables.conf"],
};

/** @throws {CommandExecutionError} for a system of which that is not known */
function fileOf({ grains }: JobContext, family: Family): string {
  const found = FILES[str(grains.os_family ?? "")] ?? FILES[str(grains.os ?? "")];
  if (found !== undefined) return found[family === "ipv6" ? 1 : 0];
  throw new CommandExecutionError(
    `Cannot save rules on ${str(grains.os ?? "this system")}: name a file, such as filename=/etc/iptables.rules`,
  );
}

/** Runs it with these words; it waits for others that change rules. */
async function call(context: JobContext, family: Family, words: string[]): Promise<CommandOutcome> {
  needProgram(context, programOf(family));
  return await runAll(context, [programOf(family), "--wait", ...words], { ignore_retcode: true });
}

async function saved(context: JobContext, family: Family, words: string[] = []): Promise<string> {
  needProgram(context, `${programOf(family)}-save`);
  return (await runAll(context, [`${programOf(family)}-save`, ...words], { ignore_retcode: true })).stdout;
}

const needed = (args: Args, ...names: string[]): string | undefined => {
  const missing = names.find((name) => !truthy(args[name]));
  if (missing === undefined) return undefined;
  const title = missing[0]!.toUpperCase() + missing.slice(1);
  return `Error: ${title} needs to be specified${missing === "position" ? " or use append (-A)" : ""}`;
};

const isThere = async (context: JobContext, { table, chain, rule, family }: Args): Promise<boolean> =>
  (await call(context, familyOf(family), ["-t", str(table), "-C", str(chain), ...shellWords(str(rule))])).retcode === 0;

async function rules(context: JobContext, family: Family, file?: unknown): Promise<SavedRules> {
  if (file === undefined) return parseSaved(await saved(context, family));
  const path = truthy(file) ? str(file) : fileOf(context, family);
  return parseSaved(context.runtime.fs.readText(path));
}

function buildRule(args: Args): string {
  const { table, chain, command, position, full, family, kwargs } = args;
  let rule: string;
  try {
    rule = ruleText(kwargs as Args);
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
  if (!truthy(full)) return rule;
  const lacking = needed({ table, chain, command }, "table", "chain", "command");
  if (lacking !== undefined) return lacking;
  const flag = "ACDIRLSFZNXPE".includes(str(command)) ? "-" : "--";
  const words = [programOf(familyOf(family)), "--wait", "-t", table, `${flag}${str(command)}`, chain, position, rule];
  return words.map(str).filter((word) => word !== "").join(" ");
}

/** A function that changes a chain; what iptables says where it fails, else true. */
const chainFunction = (name: string, flag: string, doc: string) =>
  executionFunction({
    signature: "table='filter', chain=None, family='ipv4'",
    doc: `${doc}\n\n    salt '*' iptables.${name} filter IN_SSH`,
    async run(context, args) {
      const lacking = needed(args, "chain");
      if (lacking !== undefined) return lacking;
      const { stderr } = await call(context, familyOf(args.family), ["-t", str(args.table), flag, str(args.chain)]);
      return stderr === "" ? true : stderr;
    },
  });

const policyOf = (found: SavedRules, { table, chain }: Args): string | null =>
  found[str(table)]?.[str(chain)]?.policy ?? null;

/** The rules of the firewall. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "iptables") === undefined ? { unavailable: "The program iptables is missing" } : true,
  functions: executionFunctions({
    "version(family='ipv4')": {
      doc: "The version of iptables.\n\n    salt '*' iptables.version",
      run: async (context, { family }) =>
        (await runAll(context, [programOf(familyOf(family)), "--version"])).stdout.split(/\s+/)[1] ?? "",
    },
    "build_rule(table='filter', chain=None, command=None, position='', full=None, family='ipv4', **kwargs)": {
      doc: "The text of a rule; with `full` of the whole command.\n\n" +
        "    salt '*' iptables.build_rule match=state connstate=RELATED jump=ACCEPT\n\n" +
        "command: A to append, I to insert, D to delete, C to check",
      run: (_, args) => buildRule(args),
    },
    "get_rules(family='ipv4')": {
      doc: "The rules that hold now, by table and chain.\n\n    salt '*' iptables.get_rules",
      run: (context, { family }) => rules(context, familyOf(family)),
    },
    "get_saved_rules(conf_file=None, family='ipv4')": {
      doc: "The rules of the file that is read at the system's start.\n\n    salt '*' iptables.get_saved_rules",
      run: (context, { conf_file, family }) => rules(context, familyOf(family), conf_file),
    },
    "get_policy(table='filter', chain=None, family='ipv4')": {
      doc: "The policy of a chain now.\n\n    salt '*' iptables.get_policy filter INPUT",
      run: async (context, args) =>
        needed(args, "chain") ?? policyOf(await rules(context, familyOf(args.family)), args),
    },
    "get_saved_policy(table='filter', chain=None, conf_file=None, family='ipv4')": {
      doc: "The policy of a chain in the file.\n\n    salt '*' iptables.get_saved_policy filter INPUT",
      run: async (context, args) =>
        needed(args, "chain") ?? policyOf(await rules(context, familyOf(args.family), args.conf_file), args),
    },
    "set_policy(table='filter', chain=None, policy=None, family='ipv4')": {
      doc: "Sets the policy of a chain; an empty text if that went well.\n\n" +
        "    salt '*' iptables.set_policy filter INPUT ACCEPT\n\npolicy: ACCEPT or DROP",
      async run(context, args) {
        const lacking = needed(args, "chain", "policy");
        if (lacking !== undefined) return lacking;
        const words = ["-t", str(args.table), "-P", str(args.chain), str(args.policy)];
        return (await call(context, familyOf(args.family), words)).stderr;
      },
    },
    "save(filename=None, family='ipv4')": {
      doc: "Saves the rules for the system's next start.\n\n    salt '*' iptables.save /etc/sysconfig/iptables",
      async run(context, { filename, family: asked }): Promise<unknown> {
        const family = familyOf(asked);
        const path = truthy(filename) ? str(filename) : fileOf(context, family);
        const filters = await context.call("config.option", ["iptables.save_filters"]);
        const patterns = Array.isArray(filters) ? filters.map((one) => new RegExp(str(one))) : [];
        const lines = (await saved(context, family)).split("\n").filter((line) =>
          !patterns.some((one) => one.test(line))
        );
        context.runtime.fs.mkdir(dirName(path), 0o755);
        return await context.call("file.write", [path, lines.join("\n")]);
      },
    },
    "check(table='filter', chain=None, rule=None, family='ipv4')": {
      doc: "True if there is such a rule.\n\n    salt '*' iptables.check filter INPUT rule='-j ACCEPT'",
      run: async (context, args) => needed(args, "chain", "rule") ?? await isThere(context, args),
    },
    "check_chain(table='filter', chain=None, family='ipv4')": {
      doc: "True if there is such a chain.\n\n    salt '*' iptables.check_chain filter INPUT",
      async run(context, args) {
        const lacking = needed(args, "chain");
        if (lacking !== undefined) return lacking;
        return (await saved(context, familyOf(args.family), ["-t", str(args.table)])).includes(`:${str(args.chain)} `);
      },
    },
    new_chain: chainFunction("new_chain", "-N", "Makes a chain; true if that went well."),
    delete_chain: chainFunction("delete_chain", "-X", "Deletes a chain; true if that went well."),
    "append(table='filter', chain=None, rule=None, family='ipv4')": {
      doc:
        "Adds a rule behind the others, unless it is there.\n\n    salt '*' iptables.append filter INPUT rule='-j DROP'",
      async run(context, args) {
        const lacking = needed(args, "chain", "rule");
        if (lacking !== undefined) return lacking;
        if (await isThere(context, args)) return false;
        const words = ["-t", str(args.table), "-A", str(args.chain), ...shellWords(str(args.rule))];
        return (await call(context, familyOf(args.family), words)).stderr === "";
      },
    },
    "insert(table='filter', chain=None, position=None, rule=None, family='ipv4')": {
      doc:
        "Adds a rule at a place, from the end if that is below zero, unless it is there; an empty text if that went " +
        "well.\n\n    salt '*' iptables.insert filter INPUT position=3 rule='-j ACCEPT'",
      async run(context, args): Promise<unknown> {
        const lacking = needed(args, "chain", "position", "rule");
        if (lacking !== undefined) return lacking;
        const family = familyOf(args.family);
        const [table, chain] = [str(args.table), str(args.chain)];
        let position = Number(args.position);
        if (position < 0) {
          // Counted from the end: -1 is behind the last rule.
          const all = (await rules(context, family))[table]?.[chain]?.rules.length ?? 0;
          position = Math.max(all + position + 1, 1);
        }
        if (await isThere(context, args)) return false;
        const words = ["-t", table, "-I", chain, str(position), ...shellWords(str(args.rule))];
        return (await call(context, family, words)).stderr;
      },
    },
    "delete(table: str, chain: str=None, position=None, rule=None, family='ipv4')": {
      doc: "Deletes a rule, by its place or by what it says; an empty text if that went well.\n\n" +
        "    salt '*' iptables.delete filter INPUT position=3",
      async run(context, { table, chain, position, rule, family }) {
        if (truthy(position) && truthy(rule)) return "Error: Only specify a position or a rule, not both";
        const what = truthy(position) ? [str(position)] : shellWords(str(rule ?? ""));
        return (await call(context, familyOf(family), ["-t", table, "-D", chain, ...what])).stderr;
      },
    },
    "flush(table: str='filter', chain='', family='ipv4')": {
      doc: "Deletes all rules of a chain, or of a table; an empty text if that went well.\n\n" +
        "    salt '*' iptables.flush filter INPUT",
      async run(context, { table, chain, family }) {
        const words = ["-t", table, "-F", ...(truthy(chain) ? [str(chain)] : [])];
        return (await call(context, familyOf(family), words)).stderr;
      },
    },
  }),
};

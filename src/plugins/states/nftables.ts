import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { strip } from "../../language/python/text.ts";
import { chainComplaint, handleOf, policyWord } from "../modules/nftables/places.ts";

type Action = "append" | "insert" | "delete";

interface Answer {
  result: boolean;
  comment: string;
}

/** What an execution function answers. */
const ask = async (context: StateContext, fun: string, positional: unknown[], keyword: Args = {}) =>
  await context.call(`nftables.${fun}`, positional, keyword) as Answer;

/** @throws {SaltInvocationError} if the state lacks one of these arguments */
function needed(kwargs: Args, ...names: string[]): void {
  const missing = names.find((name) => !(name in kwargs));
  if (missing !== undefined) throw new SaltInvocationError(`The argument "${missing}" of this state is missing`);
}

interface Rule {
  name: unknown;
  family: unknown;
  kwargs: Args;
  text: string;
  command: string;
}

const COMMANDS: Record<Action, string> = { append: "add", insert: "insert", delete: "D" };

/** Words that differ between the states. */
const TEXTS: Record<Action, { there: (r: Rule) => string; would: (r: Rule) => string; done: (r: Rule) => string }> = {
  append: {
    there: ({ name, command, family }) => `nftables rule for ${str(name)} already set (${command}) for ${str(family)}`,
    would: ({ name, command, family }) =>
      `nftables rule for ${str(name)} needs to be set (${command}) for ${str(family)}`,
    done: ({ name, command, family }) => `nftables rule for ${str(name)} to: ${command} for ${str(family)}`,
  },
  insert: {
    there: ({ name, command, family }) => `nftables rule for ${str(name)} already set for ${str(family)} (${command})`,
    would: ({ name, command, family }) =>
      `nftables rule for ${str(name)} needs to be set for ${str(family)} (${command})`,
    done: ({ name, command, family }) => `nftables rule for ${str(name)} to: ${command} for ${str(family)}`,
  },
  delete: {
    there: ({ name, command, family }) =>
      `nftables rule for ${str(name)} already absent for ${str(family)} (${command})`,
    would: ({ name, command, family }) =>
      `nftables rule for ${str(name)} needs to be deleted for ${str(family)} (${command})`,
    done: ({ name, command, family }) => `nftables rule for ${str(name)} for ${command}${str(family)}`,
  },
};

async function carryOut(context: StateContext, action: Action, { family, kwargs, text }: Rule): Promise<Answer> {
  const { table, chain, position } = kwargs;
  if (action === "append") return await ask(context, "append", [table, chain, text, family]);
  if (action === "insert") return await ask(context, "insert", [table, chain, position, text, family]);
  return await ask(context, "delete", [table, chain], {
    family,
    ...("position" in kwargs ? { position } : { rule: text }),
  });
}

/** A rule that is to be in a chain, or not. */
async function rule(context: StateContext, action: Action, args: Args): Promise<StateReturn> {
  const { name, family } = args;
  const kwargs = args.kwargs as Args;
  needed(kwargs, "table", "chain", ...(action === "insert" ? ["position"] : []));
  const build = async (more: Args) =>
    await context.call("nftables.build_rule", [], { ...more, family, ...kwargs }) as Answer & { rule: string };
  const text = (await build({})).rule;
  const command = strip((await build({ full: true, command: COMMANDS[action] })).rule);
  const one: Rule = { name, family, kwargs, text, command };
  const words = TEXTS[action];
  const { result: there } = await ask(context, "check", [kwargs.table, kwargs.chain, text, family]);
  // What is deleted by its handle is looked for by that.
  const byHandle = action === "delete" && "position" in kwargs;
  if (action === "delete" ? !there && !byHandle : there) return outcome(name, true, words.there(one));
  const lacking = text === "" && !byHandle ? { result: false, comment: "Rule needs to be specified" } : undefined;
  if (action === "insert" && truthy(kwargs.position)) handleOf(kwargs.position);
  if (context.test && lacking === undefined) return outcome(name, null, words.would(one));
  const done = lacking ?? await carryOut(context, action, one);
  if (!done.result) {
    const verb = action === "delete" ? "delete" : "set";
    const tail = action === "append" ? ` for ${str(family)}.\n${done.comment}` : "";
    return outcome(
      name,
      false,
      `Failed to ${verb} nftables rule for ${str(name)}.\nAttempted rule was ${command}${tail}`,
    );
  }
  const changes = { locale: name };
  if (truthy(kwargs.save)) {
    await context.call("nftables.save", [], { filename: null, family });
    const saved = action === "delete" ? "Deleted and Saved" : "Set and Saved";
    return outcome(name, true, `${saved} ${words.done(one)}`, changes);
  }
  const comment = action === "delete" ? `Delete nftables rule for ${str(name)} ${command}` : `Set ${words.done(one)}`;
  return outcome(name, true, comment, changes);
}

const ofRule = (action: Action, doc: string) =>
  stateFunction({
    signature: "name, family='ipv4', **kwargs",
    doc,
    run: (context, args) => rule(context, action, args),
  });

/** The rules of the firewall, with nft. */
export const states: StateModule = {
  virtual: needs("nftables.version", "nftables module could not be loaded"),
  functions: stateFunctions({
    append: ofRule("append", "The rule is in the chain; it comes behind the others if it is new."),
    insert: ofRule(
      "insert",
      "The rule is in the chain; it comes before the rule with the handle `position` if it is new.",
    ),
    delete: ofRule("delete", "The rule is not in the chain."),
    "chain_present(name, table='filter', table_type=None, hook=None, priority=None, family='ipv4')": {
      doc: "The chain exists; with type, hook and priority it is one that packets come through.",
      async run(context, args) {
        const { name, table, family, table_type, hook, priority } = args;
        if ((await ask(context, "check_chain", [table, name], { family })).result) {
          return outcome(
            name,
            true,
            `nftables ${str(name)} chain is already exist in ${str(table)} table for ${str(family)}`,
          );
        }
        const complaint = chainComplaint({ chain: name, table_type, hook, priority });
        if (context.test && complaint === undefined) {
          return outcome(
            name,
            null,
            `nftables chain ${str(name)} would be created in table ${str(table)} for family ${str(family)}`,
          );
        }
        const made = complaint ??
          await ask(context, "new_chain", [table, name], { table_type, hook, priority, family });
        return made.result
          ? outcome(
            name,
            true,
            `nftables ${str(name)} chain in ${str(table)} table create success for ${str(family)}`,
            {
              locale: name,
            },
          )
          : outcome(
            name,
            false,
            `Failed to create ${str(name)} chain in ${str(table)} table: ${strip(made.comment)} for ${str(family)}`,
          );
      },
    },
    "chain_absent(name, table='filter', family='ipv4')": {
      doc: "The chain does not exist.",
      async run(context, { name, table, family }) {
        const where = `${str(name)} chain in ${str(table)} table`;
        if (!(await ask(context, "check_chain", [table, name, family])).result) {
          const comment = `nftables ${str(name)} chain is already absent in ${str(table)} table for ${str(family)}`;
          return outcome(name, true, comment);
        }
        if (context.test) return outcome(name, null, `nftables ${where} would be deleted for ${str(family)}`);
        const flushed = await ask(context, "flush", [table, name, family]);
        if (!flushed.result) {
          return outcome(name, false, `Failed to flush ${where}: ${strip(flushed.comment)} for ${str(family)}`);
        }
        const deleted = await ask(context, "delete_chain", [table, name, family]);
        return deleted.result
          ? outcome(name, true, `nftables ${where} delete success for ${str(family)}`, { locale: name })
          : outcome(name, false, `Failed to delete ${where}: ${strip(deleted.comment)} for ${str(family)}`);
      },
    },
    "flush(name, family='ipv4', ignore_absence: bool=False, **kwargs)": {
      doc: "Deletes all rules of a chain, or of a table.",
      async run(context, args) {
        const { name, family, ignore_absence: ignoring } = args;
        if (context.test) return outcome(name, null, "nftables flush not performed in test mode.");
        const { table = "filter", chain = "" } = args.kwargs;
        const tableThere = (await ask(context, "check_table", [table], { family })).result;
        if (!ignoring && !tableThere) {
          const comment = `Failed to flush table ${str(table)} in family ${str(family)}, table does not exist.`;
          return outcome(name, false, comment);
        }
        let chainThere = true;
        if ("chain" in args.kwargs!) {
          chainThere = (await ask(context, "check_chain", [table, chain], { family })).result;
          if (!ignoring && !chainThere) {
            return outcome(
              name,
              false,
              `Failed to flush chain ${str(chain)} in table ${str(table)} in family ${
                str(family)
              }, chain does not exist.`,
            );
          }
        }
        const { result } = await ask(context, "flush", [table, chain, family]);
        if (!result && !(ignoring && (!tableThere || !chainThere))) {
          return outcome(name, false, "Failed to flush nftables rules");
        }
        const comment = `Flush nftables rules in ${str(table)} table ${str(chain)} chain ${str(family)} family`;
        return outcome(name, true, comment, { locale: name });
      },
    },
    "set_policy(name, table='filter', family='ipv4', **kwargs)": {
      doc: "The chain has this policy.",
      async run(context, { name, table, family, kwargs }) {
        const { chain, policy, save, save_filename: filename } = kwargs;
        needed(kwargs, "chain", "policy");
        const now = await context.call("nftables.get_policy", [table, chain, family]);
        const of = `nftables default policy for chain ${str(chain)} on table ${str(table)} for ${str(family)}`;
        const wanted = str(policy).toLowerCase();
        if (str(now ?? "").toLowerCase() === wanted) return outcome(name, true, `${of} already set to ${str(policy)}`);
        policyWord(wanted);
        if (context.test) return outcome(name, null, `${of} needs to be set to ${str(policy)}`);
        if (!truthy(await context.call("nftables.set_policy", [table, chain, wanted, family]))) {
          return outcome(name, false, "Failed to set nftables default policy");
        }
        const what = `default policy for ${str(chain)} to ${str(policy)} family ${str(family)}`;
        if (!truthy(save)) return outcome(name, true, `Set ${what}`, { locale: name });
        await context.call("nftables.save", [], { filename: filename ?? null, family });
        return outcome(name, true, `Set and saved ${what}`, { locale: name });
      },
    },
    "table_present(name, family='ipv4', **kwargs)": {
      doc: "The table exists.",
      async run(context, { name, family }) {
        const table = `nftables table ${str(name)}`;
        if ((await ask(context, "check_table", [name], { family })).result) {
          return outcome(name, true, `${table} already exists in family ${str(family)}`);
        }
        if (context.test) return outcome(name, null, `${table} would be created in family ${str(family)}`);
        return (await ask(context, "new_table", [name], { family })).result
          ? outcome(name, true, `${table} successfully created in family ${str(family)}`, { locale: name })
          : outcome(name, false, `Failed to create table ${str(name)} for family ${str(family)}`);
      },
    },
    "table_absent(name, family='ipv4', **kwargs)": {
      doc: "The table does not exist.",
      async run(context, { name, family }) {
        const table = `nftables table ${str(name)}`;
        if (!(await ask(context, "check_table", [name, family])).result) {
          return outcome(name, true, `${table} is already absent from family ${str(family)}`);
        }
        if (context.test) return outcome(name, null, `${table} would be deleted from family ${str(family)}`);
        return (await ask(context, "delete_table", [name], { family })).result
          ? outcome(name, true, `${table} successfully deleted from family ${str(family)}`, { locale: name })
          : outcome(name, false, `Failed to delete table ${str(name)} from family ${str(family)}`);
      },
    },
  }),
};

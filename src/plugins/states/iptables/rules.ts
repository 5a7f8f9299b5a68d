/** The states of single rules: `iptables.append`, `insert` and `delete`. */
import { tagOf } from "../../../content/state/run/chunk.ts";
import { type LowChunk, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, equal, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";

export type Action = "append" | "insert" | "delete";

/** The letters of iptables' commands. */
const COMMANDS: Record<Action, string> = { append: "A", insert: "I", delete: "D" };

interface Rule {
  name: string;
  table: unknown;
  family: unknown;
  /** Everything else, with what the rule says. */
  keyword: Args;
  /** The rule alone, and the whole command. */
  text: unknown;
  command: string;
}

async function ruleOf(context: StateContext, action: Action, args: KeywordArgs): Promise<Rule> {
  const { name, table, family, kwargs } = args;
  const keyword: Args = { ...kwargs, name, table };
  delete keyword.__agg__;
  const text = await context.call("iptables.build_rule", [], { family, ...keyword });
  const full = await context.call("iptables.build_rule", [], {
    full: action === "append" ? "True" : true,
    family,
    command: COMMANDS[action],
    ...keyword,
  });
  return { name: String(name), table, family, keyword, text, command: String(full).trim() };
}

/** Saves the rules; what the function says, or undefined if that is not wanted. */
export async function saveIfAsked(context: StateContext, save: unknown, family: unknown): Promise<unknown> {
  if (!truthy(save)) return undefined;
  return await context.call("iptables.save", [], { filename: save === true ? null : save, family });
}

const listsOf = (found: unknown): unknown[] =>
  Object.values(found as Record<string, Record<string, Args>>).flatMap((chains) =>
    Object.values(chains).map((chain) => chain.rules ?? null)
  );

/** Saves the rules if the file has others than those that hold. */
async function saveIfOther(context: StateContext, rule: Rule): Promise<string> {
  const { name, family, command, keyword: { save } } = rule;
  if (!truthy(save)) return "";
  const kept = await context.call("iptables.get_saved_rules", [], { conf_file: save === true ? null : save, family });
  const now = await context.call("iptables.get_rules", [], { family });
  if (equal(listsOf(now), listsOf(kept))) return "";
  const out = await saveIfAsked(context, save, family);
  return `\nSaved iptables rule ${name} for ${family}\n${command}\n${out}`;
}

/** Words that differ between the states. */
const TEXTS: Record<
  Action,
  {
    there: (r: Rule) => string;
    would: (r: Rule) => string;
    done: (r: Rule) => string;
    saved: string;
    failed: (r: Rule) => string;
  }
> = {
  append: {
    there: ({ name, command, family }) => `iptables rule for ${name} already set (${command}) for ${family}`,
    would: ({ name, command, family }) => `iptables rule for ${name} needs to be set (${command}) for ${family}`,
    done: ({ name, command, family }) => `Set iptables rule for ${name} to: ${command} for ${family}`,
    saved: "Set and saved",
    failed: ({ name, command, family }) =>
      `Failed to set iptables rule for ${name}.\nAttempted rule was ${command} for ${family}`,
  },
  insert: {
    there: ({ name, command, family }) => `iptables rule for ${name} already set for ${family} (${command})`,
    would: ({ name, command, family }) => `iptables rule for ${name} needs to be set for ${family} (${command})`,
    done: ({ name, command, family }) => `Set iptables rule for ${name} to: ${command} for ${family}`,
    saved: "Set and saved",
    failed: ({ name, command }) => `Failed to set iptables rule for ${name}.\nAttempted rule was ${command}`,
  },
  delete: {
    there: ({ name, command, family }) => `iptables rule for ${name} already absent for ${family} (${command})`,
    would: ({ name, command, family }) => `iptables rule for ${name} needs to be deleted for ${family} (${command})`,
    done: ({ name, command }) => `Delete iptables rule for ${name} ${command}`,
    saved: "Deleted and saved",
    failed: ({ name, command }) => `Failed to delete iptables rule for ${name}.\nAttempted rule was ${command}`,
  },
};

/** True for a rule that lacks what iptables must be told. */
function isImpossible(action: Action, { command, text, keyword }: Rule): boolean {
  const isIncomplete = [str(text), command].some((one) => one.startsWith("Error: "));
  return isIncomplete || (action === "insert" && !truthy(keyword.position ?? null));
}

/** Does it; true if that went well. */
async function carryOut(
  context: StateContext,
  action: Action,
  { table, family, keyword, text }: Rule,
): Promise<boolean> {
  const { chain, position } = keyword;
  if (action === "append") return truthy(await context.call("iptables.append", [table, chain, text, family]));
  if (action === "insert") {
    return !truthy(await context.call("iptables.insert", [table, chain, position, text, family]));
  }
  const what = "position" in keyword ? { position } : { rule: text };
  return !truthy(await context.call("iptables.delete", [table, chain], { family, ...what }));
}

/** One rule that is to be there, or not. */
async function one(context: StateContext, action: Action, args: KeywordArgs): Promise<StateReturn> {
  const rule = await ruleOf(context, action, args);
  const { name, table, family, keyword, text } = rule;
  const there = await context.call("iptables.check", [table, keyword.chain, text, family]) === true;
  const words = TEXTS[action];
  if (action === "delete") {
    if (!there && !("position" in keyword)) return outcome(name, true, words.there(rule));
  } else if (there) return outcome(name, true, words.there(rule) + await saveIfOther(context, rule));
  if (isImpossible(action, rule)) return outcome(name, false, words.failed(rule));
  if (context.test) return outcome(name, null, words.would(rule));
  if (!await carryOut(context, action, rule)) return outcome(name, false, words.failed(rule));
  const out = await saveIfAsked(context, keyword.save, family);
  const comment = out === undefined
    ? words.done(rule)
    : `${words.saved} iptables rule ${name} for ${family}\n${rule.command}\n${out}`;
  return outcome(name, true, comment, { locale: name });
}

/** Several rules that were folded into one state: saved once, at the end. */
async function several(
  context: StateContext,
  action: Action,
  args: Args,
  rules: LowChunk[],
): Promise<StateReturn> {
  const done: unknown[] = [];
  const comments: string[] = [];
  let result: boolean | null = null;
  let save: unknown;
  for (const chunk of rules) {
    const { rules: _, __agg__: _agg, save: asked, name, table = "filter", family = "ipv4", ...kwargs } = chunk;
    if (truthy(asked)) save = asked;
    const ret = await one(context, action, { name, table, family, kwargs });
    if ("locale" in ret.changes) done.push(ret.changes.locale);
    comments.push(String(ret.comment));
    result = ret.result;
  }
  await saveIfAsked(context, save, args.family);
  return outcome(args.name, result, comments.join("\n"), done.length === 0 ? {} : { locale: done });
}

/** `iptables.append`, `insert` or `delete` */
export async function rule(context: StateContext, action: Action, args: KeywordArgs): Promise<StateReturn> {
  const { rules } = args.kwargs as { rules?: LowChunk[] };
  return rules === undefined ? await one(context, action, args) : await several(context, action, args, rules);
}

/** Folds later rules of the same function into this state. */
export function aggregate(
  _context: StateContext,
  low: LowChunk,
  chunks: readonly LowChunk[],
  running: ReadonlyMap<string, StateReturn>,
): LowChunk {
  if (low.fun !== "append" && low.fun !== "insert") return low;
  const found: LowChunk[] = [];
  for (const chunk of chunks) {
    if (chunk === low || running.has(tagOf(chunk)) || chunk.state !== "iptables") continue;
    if ("__agg__" in chunk || chunk.fun !== low.fun) continue;
    found.push(structuredClone(chunk));
    chunk.__agg__ = true;
  }
  if (found.length === 0) return low;
  // Salt forgets the rule of the state that the others are folded into.
  const own = Array.isArray(low.rules) ? low.rules as LowChunk[] : [structuredClone(low)];
  low.rules = [...own, ...found];
  return low;
}

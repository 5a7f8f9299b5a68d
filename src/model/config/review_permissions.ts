/** Finds rules of permissions that match less than in real Salt: Brine matches the whole text, Salt only its beginning. */
import { listOf } from "../../language/python/values.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { isRecord } from "../../base/record.ts";

/** A pattern that was perhaps written to match longer texts. */
export interface NarrowPattern {
  /** Place in the configuration: `external_auth.pam.ann`. */
  place: string;
  pattern: string;
}

/** Kinds of functions that a pattern may name: of a minion, or of the master. */
type NamedKind = "function" | "runner" | "wheel function";

/** A pattern that is the whole name of a function, or the beginning of one. */
interface NamePattern extends NarrowPattern {
  /** Functions that the pattern may name: `@jobs: [list_jobs]` means a runner or a wheel function `jobs.list_jobs`. */
  names: [kind: NamedKind, name: string][];
}

/** Ends of patterns that state the end, and patterns that look like the whole name of a function or minion. */
const SAYS_ITS_END = /(?:\.[*+]|\$|\\Z)$/;
const WHOLE_NAME = /^[\w-]+(?:\.[\w-]+)+$/;

/** Keys of rules for functions with their modules → kinds of these functions. Any other key with `@` is a module. */
const KINDS: Readonly<Record<string, readonly NamedKind[]>> = {
  "@runner": ["runner"],
  "@runners": ["runner"],
  "@wheel": ["wheel function"],
  "@wheels": ["wheel function"],
};

/** Patterns of functions and arguments that match longer texts in Salt. @param kinds kinds of the functions in the rules */
function* narrowIn(rules: unknown, place: string, kinds: readonly NamedKind[]): Generator<NarrowPattern | NamePattern> {
  for (const rule of listOf(rules)) {
    if (typeof rule === "string") {
      if (!rule.startsWith("@")) yield* narrowName(rule, place, kinds);
    } else if (isRecord(rule)) {
      for (const [key, conditions] of Object.entries(rule)) {
        if (key === "@publish") continue;
        if (!key.startsWith("@")) yield* narrowConditions(conditions, place, kinds);
        else if (Object.hasOwn(KINDS, key)) yield* narrowConditions(conditions, place, KINDS[key]!);
        else yield* narrowConditions(conditions, place, ["runner", "wheel function"], key.slice(1));
      }
    }
  }
}

/** @param module module of functions that are named without it: `@jobs: [list_jobs]` */
function* narrowName(
  pattern: string,
  place: string,
  kinds: readonly NamedKind[],
  module?: string,
): Generator<NarrowPattern | NamePattern> {
  if (SAYS_ITS_END.test(pattern)) return;
  if (!(module === undefined ? WHOLE_NAME : /^\w+$/).test(pattern)) yield { place, pattern };
  else {
    const name = module === undefined ? pattern : `${module}.${pattern}`;
    yield { place, pattern, names: kinds.map((kind) => [kind, name]) };
  }
}

function* narrowConditions(
  conditions: unknown,
  place: string,
  kinds: readonly NamedKind[],
  module?: string,
): Generator<NarrowPattern | NamePattern> {
  for (const condition of listOf(conditions)) {
    const names = isRecord(condition) ? Object.keys(condition) : [condition];
    for (const name of names) if (typeof name === "string") yield* narrowName(name, place, kinds, module);
    for (const wanted of isRecord(condition) ? Object.values(condition).flatMap(listOf) : []) {
      if (!isRecord(wanted)) continue;
      const patterns = [...listOf(wanted.args), ...isRecord(wanted.kwargs) ? Object.values(wanted.kwargs) : []];
      for (const pattern of patterns) {
        if (typeof pattern === "string" && !SAYS_ITS_END.test(pattern)) yield { place, pattern };
      }
    }
  }
}

/** The patterns in a master's permissions that match less than in real Salt, as far as they can be recognized. */
export const narrowPatterns = (opts: Record<string, unknown>): NarrowPattern[] =>
  patterns(opts).filter((found) => !("names" in found));

/** The patterns that are names of functions, or the beginnings of names: only the tables of functions show which. */
export const namePatterns = (opts: Record<string, unknown>): NamePattern[] =>
  patterns(opts).filter((found) => "names" in found);

function patterns(opts: Record<string, unknown>): (NarrowPattern | NamePattern)[] {
  const found: (NarrowPattern | NamePattern)[] = [];
  for (const [eauth, section] of Object.entries(isRecord(opts.external_auth) ? opts.external_auth : {})) {
    for (const [user, rules] of Object.entries(isRecord(section) ? section : {})) {
      if (!user.startsWith("^")) found.push(...narrowIn(rules, `external_auth.${eauth}.${user}`, ["function"]));
    }
  }
  const tables: [option: string, kinds: NamedKind[]][] = [
    ["publisher_acl", ["function"]],
    ["peer", ["function"]],
    ["peer_run", ["runner"]],
    // Minions choose the names in the mine.
    ["mine_get", []],
  ];
  for (const [option, kinds] of tables) {
    const table = opts[option];
    for (const [who, rules] of Object.entries(isRecord(table) ? table : {})) {
      found.push(...narrowIn(rules, `${option}.${who}`, kinds));
      const isId = option === "publisher_acl" || /^[\w-]+(?:\.[\w-]+)*$/.test(who) || SAYS_ITS_END.test(who);
      if (!isId) found.push({ place: option, pattern: who });
    }
  }
  return found.filter(({ pattern }) => compiles(pattern));
}

/** False for a pattern that matches nothing at all, which is told elsewhere. */
function compiles(pattern: string): boolean {
  try {
    compilePattern(pattern);
    return true;
  } catch {
    return false;
  }
}

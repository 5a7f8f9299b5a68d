/** Rules of permissions whose patterns match less than real Salt's: they match the whole text, and Salt's its beginning. */
import { listOf } from "../../language/python/given.ts";
import { compilePattern } from "../../language/python/regexp.ts";
import { isRecord } from "../../base/record.ts";

/** A pattern that is the beginning of what it may have been written for. */
export interface NarrowPattern {
  /** Where it stands: `external_auth.pam.ann`. */
  place: string;
  pattern: string;
}

/** A pattern that says where it ends, or is the whole name of a function or minion. */
const SAYS_ITS_END = /(?:\.[*+]|\$|\\Z)$/;
const WHOLE_NAME = /^[\w-]+(?:\.[\w-]+)+$/;

/** Patterns of arguments, and of functions, whose text may go on behind what they say. */
function* narrowIn(rules: unknown, place: string): Generator<NarrowPattern> {
  for (const rule of listOf(rules)) {
    if (typeof rule === "string") {
      if (!rule.startsWith("@") && !SAYS_ITS_END.test(rule) && !WHOLE_NAME.test(rule)) yield { place, pattern: rule };
    } else if (isRecord(rule)) {
      for (const [key, conditions] of Object.entries(rule)) {
        if (key === "@publish") continue;
        yield* narrowConditions(
          conditions,
          place,
          key.startsWith("@") && !["@runner", "@runners", "@wheel", "@wheels"].includes(key),
        );
      }
    }
  }
}

/** @param short functions are named without their module: `@jobs: [list_jobs]` */
function* narrowConditions(conditions: unknown, place: string, short: boolean): Generator<NarrowPattern> {
  for (const condition of listOf(conditions)) {
    const names = isRecord(condition) ? Object.keys(condition) : [condition];
    for (const name of names) {
      if (typeof name !== "string" || SAYS_ITS_END.test(name) || (short ? /^\w+$/ : WHOLE_NAME).test(name)) continue;
      yield { place, pattern: name };
    }
    for (const wanted of isRecord(condition) ? Object.values(condition).flatMap(listOf) : []) {
      if (!isRecord(wanted)) continue;
      const patterns = [...listOf(wanted.args), ...isRecord(wanted.kwargs) ? Object.values(wanted.kwargs) : []];
      for (const pattern of patterns) {
        if (typeof pattern === "string" && !SAYS_ITS_END.test(pattern)) yield { place, pattern };
      }
    }
  }
}

/** The patterns of a master's permissions that match less here than with real Salt, as far as they can be told from others. */
export function narrowPatterns(opts: Record<string, unknown>): NarrowPattern[] {
  const found: NarrowPattern[] = [];
  for (const [eauth, section] of Object.entries(isRecord(opts.external_auth) ? opts.external_auth : {})) {
    for (const [user, rules] of Object.entries(isRecord(section) ? section : {})) {
      if (!user.startsWith("^")) found.push(...narrowIn(rules, `external_auth.${eauth}.${user}`));
    }
  }
  for (const option of ["publisher_acl", "peer", "peer_run", "mine_get"]) {
    const table = opts[option];
    for (const [who, rules] of Object.entries(isRecord(table) ? table : {})) {
      found.push(...narrowIn(rules, `${option}.${who}`));
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

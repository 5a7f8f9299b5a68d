import { listOf, str } from "../../../language/python/values.ts";
import { CostError } from "../../../language/python/steps.ts";
import { wholePattern } from "../../../language/python/regexp.ts";
import { matchExpression } from "../../../model/target/expression.ts";
import type { PatternCache } from "../../../model/target/patterns.ts";
import { isRecord } from "../load.ts";

/**
 * What a user may do, as `external_auth`, `publisher_acl` and `peer` write it: a text is a regular expression of functions on every
 * minion, or `@runner`, `@wheel`, `@publish`, `@<module>`; a map of one key has a compound target, or one of those words, and conditions.
 */
export type Permissions = readonly unknown[];

export interface AclCall {
  fun: string;
  args: readonly unknown[];
  kwargs: Record<string, unknown>;
}

/** The minions that a job is for, as permissions are checked against them. */
export interface TargetScope {
  minions: readonly string[];
  /** Returns the ids of the minions that are known to match a rule's compound target. */
  expand(rule: string): readonly string[];
}

/** The most steps of pattern matching that one decision may take: they take a tenth of a second to a few tenths. */
const STEPS = 50_000_000;

/** The functions that every authenticated caller may call: clients follow their jobs with them. */
const OPEN_FUNCTIONS: readonly string[] = ["saltutil.find_job"];

/** True for a publication of functions that are always allowed. */
export const isOpen = (functions: readonly string[]): boolean => functions.every((fun) => OPEN_FUNCTIONS.includes(fun));

/** The word of the rule that permits fields of a publication beside function, arguments and target. */
const PUBLISH = "@publish";

/** The pattern that allows every function, also a name with line feeds, as Salt's documentation says. */
const ANYTHING = ".*";

/** Returns the key and the value of a map with one entry; a rule with more entries grants nothing. */
function single(rule: unknown): [key: string, value: unknown] | undefined {
  if (!isRecord(rule)) return undefined;
  const entries = Object.entries(rule);
  return entries.length === 1 ? entries[0] : undefined;
}

/** Decides who may call what. Holds no state but compiled patterns. @see salt/utils/minions.py CkMinions */
export class AccessRules {
  readonly #patterns: PatternCache;

  constructor(patterns: PatternCache) {
    this.#patterns = patterns;
  }

  /** True if a pattern matches the whole text, like Python's `re.fullmatch`; a pattern that does not compile matches nothing. */
  #matches(pattern: unknown, text: string): boolean {
    if (typeof pattern !== "string") return false;
    if (pattern === ANYTHING) return true;
    try {
      return this.#patterns.regexp(wholePattern(pattern))(text);
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  }

  /** Returns a decision; false if it takes too many steps of pattern matching. */
  #bounded(decide: () => boolean): boolean {
    try {
      return this.#patterns.steps.within(STEPS, decide);
    } catch (error) {
      if (error instanceof CostError) return false;
      throw error;
    }
  }

  /** Returns what a table like `peer` (regular expression of minion ids → permissions) grants a minion. */
  ofMinion(table: Record<string, unknown>, who: string): unknown[] {
    const granted: unknown[] = [];
    this.#bounded(() => {
      for (const [pattern, entries] of Object.entries(table)) {
        if (Array.isArray(entries) && this.#matches(pattern, who)) granted.push(...entries);
      }
      return true;
    });
    return granted;
  }

  /** True if a table like `peer_run` (regex of who → regexes of functions) lets a caller use every one of the functions. */
  tableAllows(table: Record<string, unknown>, who: string, functions: readonly string[]): boolean {
    const allowed = this.ofMinion(table, who);
    return this.#bounded(() =>
      functions.length > 0 && functions.every((fun) => allowed.some((pattern) => this.#matches(pattern, fun)))
    );
  }

  /**
   * True if there may be minions on which the functions are allowed: checked before the target is expanded, which takes longer.
   */
  mightPublish(permissions: Permissions, calls: readonly AclCall[]): boolean {
    const anywhere = { minions: [""], expand: () => [""] };
    return this.mayPublish(permissions, calls, anywhere);
  }

  /**
   * What a backend's section of `external_auth` grants a user: the entries of every key that is the name, or matches it as
   * a glob or a regular expression, and of `<group>%`. `*` counts if no other name did, or always.
   *
   * @param permissive `permissive_acl`
   */
  of(section: unknown, name: string, groups: readonly string[], permissive: boolean): unknown[] {
    const granted: unknown[] = [];
    let named = false;
    for (const [key, entries] of isRecord(section) ? Object.entries(section) : []) {
      // Keys that begin with "^" are options of the backend and name no users.
      if (key.startsWith("^")) continue;
      if (key === "*") {
        if (permissive) granted.push(...listOf(entries));
      } else if (key.endsWith("%")) {
        if (groups.includes(key.replace(/%+$/, ""))) granted.push(...listOf(entries));
      } else if (key === name || matchExpression(name, key, this.#patterns)) {
        named = true;
        granted.push(...listOf(entries));
      }
    }
    if (!permissive && !named && isRecord(section) && Object.hasOwn(section, "*")) {
      granted.push(...listOf(section["*"]));
    }
    return granted;
  }

  /** Returns what `publisher_acl` grants a user of this host. */
  ofLocalUser(table: Record<string, unknown>, user: string): unknown[] {
    return Object.entries(table).filter(([key]) => matchExpression(user, key, this.#patterns))
      .flatMap(([, entries]) => listOf(entries));
  }

  /**
   * True if every one of the functions may be called on all of the minions. A target that reaches beyond a rule is refused
   * as a whole, never narrowed; and a target that matches no minion is within no rule.
   */
  mayPublish(permissions: Permissions, calls: readonly AclCall[], scope: TargetScope): boolean {
    return this.#bounded(() =>
      calls.length > 0 &&
      calls.every((call) => OPEN_FUNCTIONS.includes(call.fun) || this.#permits(permissions, call, scope))
    );
  }

  /** Like {@link mayPublish}, for a minion as the caller: no function is allowed without a rule. */
  minionMayPublish(permissions: Permissions, calls: readonly AclCall[], scope: TargetScope): boolean {
    return this.#bounded(() => calls.length > 0 && calls.every((call) => this.#permits(permissions, call, scope)));
  }

  #permits(permissions: Permissions, call: AclCall, scope: TargetScope): boolean {
    return permissions.some((rule) => {
      if (typeof rule === "string") return !rule.startsWith("@") && this.#matches(rule, call.fun);
      const entry = single(rule);
      if (entry === undefined || entry[0].startsWith("@")) return false;
      return this.#within(entry[0], scope) && this.#allowed(entry[1], call);
    });
  }

  /** True if every function is permitted on every minion, whatever its arguments. */
  mayRunEverything(permissions: Permissions): boolean {
    return permissions.some((rule) => {
      if (rule === ANYTHING) return true;
      const entry = single(rule);
      return entry?.[0] === "*" && listOf(entry[1]).includes(ANYTHING);
    });
  }

  /**
   * True if a publication may carry a field beside function, arguments and target: `@publish` grants all of them, and
   * `{"@publish": [metadata, {ret: [redis]}]}` those that it names, with these values.
   *
   * @param texts what the field has, if it is text or a list of texts
   */
  mayCarry(permissions: Permissions, field: string, texts: readonly string[] | undefined): boolean {
    return this.#bounded(() =>
      permissions.some((rule) => {
        if (rule === PUBLISH) return true;
        const entry = single(rule);
        if (entry?.[0] !== PUBLISH) return false;
        return listOf(entry[1]).some((granted) => {
          if (typeof granted === "string") return granted === field;
          const named = single(granted);
          return named?.[0] === field && texts !== undefined &&
            texts.every((text) => listOf(named[1]).some((pattern) => this.#matches(pattern, text)));
        });
      })
    );
  }

  /**
   * As {@link mayPublish}, with the rules of a minion taken together before they are looked at
   * (`auth.enable_expanded_auth_matching`): every minion needs some rule that holds for it, not all of them the same one.
   */
  mayPublishExpanded(permissions: Permissions, calls: readonly AclCall[], scope: TargetScope): boolean {
    if (calls.length === 0) return false;
    return this.#bounded(() => calls.every((call) => this.#mayCallEverywhere(permissions, call, scope)));
  }

  #mayCallEverywhere(permissions: Permissions, call: AclCall, scope: TargetScope): boolean {
    if (OPEN_FUNCTIONS.includes(call.fun)) return true;
    const rules = permissions.flatMap((rule) => {
      const entry = single(rule);
      return entry === undefined || entry[0].startsWith("@") ? [] : [entry];
    });
    if (
      permissions.some((rule) => typeof rule === "string" && !rule.startsWith("@") && this.#matches(rule, call.fun))
    ) {
      return true;
    }
    const holding = new Set(
      rules.filter(([, conditions]) => this.#allowed(conditions, call)).flatMap(([target]) => scope.expand(target)),
    );
    return scope.minions.length > 0 && scope.minions.every((id) => holding.has(id));
  }

  #within(target: string, { minions, expand }: TargetScope): boolean {
    if (minions.length === 0) return false;
    const allowed = new Set(expand(target));
    return minions.every((id) => allowed.has(id));
  }

  /** True if the permissions allow a runner or wheel function. */
  mayCall(permissions: Permissions, form: "runner" | "wheel", call: AclCall): boolean {
    const [module, name, ...rest] = call.fun.split(".");
    if (module === undefined || name === undefined || rest.length > 0 || `@${module}` === PUBLISH) return false;
    return this.#bounded(() =>
      permissions.some((rule) => {
        if (typeof rule === "string") return [`@${module}`, `@${form}`, `@${form}s`].includes(rule);
        const entry = single(rule);
        if (entry === undefined) return false;
        const [word, conditions] = entry;
        return word === `@${module}` && this.#allowed(conditions, { ...call, fun: name }) ||
          (word === `@${form}` || word === `@${form}s`) && this.#allowed(conditions, call);
      })
    );
  }

  /** True if one of the conditions holds: a pattern of functions, or a pattern with conditions on the arguments. */
  #allowed(conditions: unknown, call: AclCall): boolean {
    return listOf(conditions).some((condition) => {
      if (typeof condition === "string") return this.#matches(condition, call.fun);
      const entry = single(condition);
      return entry !== undefined && this.#matches(entry[0], call.fun) &&
        listOf(entry[1]).some((wanted) => isRecord(wanted) && this.#argumentsFit(wanted, call));
    });
  }

  #argumentsFit(wanted: Record<string, unknown>, { args, kwargs }: AclCall): boolean {
    const positional = wanted.args === undefined || wanted.args === null ? [] : listOf(wanted.args);
    const named = isRecord(wanted.kwargs) ? Object.entries(wanted.kwargs) : [];
    const fits = (pattern: unknown, value: unknown) => pattern === null || this.#matches(pattern, str(value));
    return positional.every((pattern, at) => at < args.length && fits(pattern, args[at])) &&
      named.every(([name, pattern]) => Object.hasOwn(kwargs, name) && fits(pattern, kwargs[name]));
  }
}

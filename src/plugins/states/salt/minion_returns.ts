/** What minions returned to a state that ran something on them, as `saltutil.cmd` has it. */
import type { StateReturn } from "../../../model/loader/states.ts";
import { entriesOf, isMap, lookup, repr, str, truthy } from "../../../language/python/values.ts";

export interface MinionPart {
  id: string;
  /** Undefined if it did not return. */
  ret: unknown;
  /** True if the minion did not return, or has no key. */
  failed: boolean;
  retcode: unknown;
}

/** The parts in the order in which they came. */
export function returnParts(returned: unknown): MinionPart[] {
  if (!isMap(returned)) return [];
  return entriesOf(returned).map(([id, data]) => {
    const field = (name: string) => isMap(data) ? lookup(data, name) : undefined;
    const own = field("ret");
    const ret = own === undefined ? field("return") : own;
    return { id: str(id), ret, failed: truthy(field("failed") ?? false), retcode: field("retcode") };
  });
}

/** The id of the job, if the first minion's part has one: `{__jid__}`. */
export function jobOf(returned: unknown): { __jid__?: unknown } {
  const first = isMap(returned) ? entriesOf(returned)[0]?.[1] : undefined;
  const jid = isMap(first) ? lookup(first, "jid") : undefined;
  return jid === undefined ? {} : { __jid__: jid };
}

/** Minions that may fail: a list, or a text with commas. Anything else is left out, with a warning. */
export function forgiven(value: unknown): { ids: string[]; warnings?: string[] } {
  if (value === null) return { ids: [] };
  if (typeof value === "string") return { ids: value.split(",").map((id) => id.trim()) };
  if (Array.isArray(value)) return { ids: value.map(str) };
  return { ids: [], warnings: ["'fail_minions' needs to be a list or a comma separated string. Ignored."] };
}

/** Why the part of a minion is a failure, for those whose return does not say so itself. */
export function failureDetail({ id, ret }: MinionPart): string {
  if (ret === undefined) return `Minion ${id} did not return a state result.`;
  if (Array.isArray(ret)) {
    const errors = ret.filter(truthy).map(str);
    return errors.length === 0
      ? `Minion ${id} returned an empty error list.`
      : `Minion ${id} returned errors: ${errors.join("; ")}`;
  }
  return isMap(ret) ? "" : `Minion ${id} returned ${repr(ret)} instead of a state result.`;
}

/** A return with its keys in the order in which these states have them. */
export function outcomeOnMinions(
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: Record<string, unknown> = {},
): StateReturn {
  return { name, changes, comment, result };
}

import { isMap, truthy, typeName } from "../../../language/python/values.ts";

const NEEDED = ["name", "result", "changes", "comment"];

/** The error in the return of a state function, in Salt's words; undefined if the return is fine. */
function malformed(value: unknown): string | undefined {
  if (!isMap(value)) return "Malformed state return. Data must be a dictionary type.";
  const fields = fieldsOf(value);
  if (!isMap(fields.changes)) return "'Changes' should be a dictionary.";
  if (!NEEDED.every((key) => Object.hasOwn(fields, key))) {
    const missing = NEEDED.filter((key) => !Object.hasOwn(fields, key));
    return `The following keys were not present in the state return: ${missing.join(", ")}.`;
  }
  const odd = Array.isArray(fields.comment) ? fields.comment.find((line) => typeof line !== "string") : undefined;
  if (odd !== undefined) return `expected str, bytes, or bytearray not <class '${typeName(odd)}'>`;
  return undefined;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return value instanceof Map ? Object.fromEntries(value) : value as Record<string, unknown>;
}

export type UnifiedReturn = Record<string, unknown> & {
  result: boolean | null;
  changes: Record<string, unknown>;
  comment: string;
};

/**
 * Completes the return of a state function for its readers: a map with all keys, a text as comment, and a result that is true,
 * false or null.
 *
 * @see salt/utils/decorators/state.py OutputUnifier
 */
export function unify(value: unknown): UnifiedReturn {
  const wrong = malformed(value) ?? malformedSubState(value);
  if (wrong !== undefined) {
    return { result: false, name: "later", changes: {}, comment: `An exception occurred in this state: ${wrong}` };
  }
  const { ...fields } = fieldsOf(value);
  if (Array.isArray(fields.comment)) fields.comment = fields.comment.join("\n");
  fields.result = fields.result === null || fields.result === undefined ? null : truthy(fields.result);
  if (Array.isArray(fields.sub_state_run)) fields.sub_state_run = fields.sub_state_run.map(unify);
  return fields as UnifiedReturn;
}

function malformedSubState(value: unknown): string | undefined {
  const { sub_state_run } = fieldsOf(value);
  if (!Array.isArray(sub_state_run)) return undefined;
  return sub_state_run.map(malformed).find((wrong) => wrong !== undefined);
}

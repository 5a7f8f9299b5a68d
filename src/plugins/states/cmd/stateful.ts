/** Commands that tell on stdout what they have changed. */
import type { StateReturn } from "../../../model/loader/states.ts";
import { type AnyMap, entriesOf, isMap, mapOf, str, truthy } from "../../../language/python/values.ts";
import { parseOrderedJson } from "../../../language/python/json.ts";
import { PythonError } from "../../../language/python/python_error.ts";
import { shellWords } from "../../linux/words.ts";

/** `name=value` pairs of one line. @returns undefined if it has something else */
function pairsOf(line: string): [string, string][] | undefined {
  try {
    const pairs = shellWords(line).map((word) => word.split("="));
    return pairs.every((pair) => pair.length === 2) ? pairs as [string, string][] : undefined;
  } catch {
    // A quotation that is not closed.
    return undefined;
  }
}

function jsonOf(text: string): { value: unknown } | undefined {
  try {
    return { value: parseOrderedJson(text) };
  } catch {
    return undefined;
  }
}

function isTrue(value: unknown): boolean {
  const word = str(value).toLowerCase();
  if (["true", "yes", "1"].includes(word)) return true;
  if (["false", "no", "0"].includes(word)) return false;
  throw new PythonError("ValueError", `Failed parsing boolean value: ${str(value)}`);
}

/**
 * The return of a command whose stdout is a JSON object, or ends with a line of `name=value` pairs: `changed=yes comment='done'`.
 *
 * @param ret whose `changes` are what the command returned
 * @see salt/states/cmd.py _reinterpreted_state
 */
export function reinterpreted(ret: StateReturn): StateReturn {
  const { changes: result } = ret;
  const stdout = str(result.stdout ?? "");
  if (stdout === "") {
    return { ...ret, changes: {}, comment: truthy(result.stderr ?? null) ? str(result.stderr) : "" };
  }
  const json = jsonOf(stdout);
  if (json === undefined) return ofPairs(ret, stdout);
  if (!isMap(json.value)) {
    return { ...ret, changes: {}, result: false, comment: "script JSON output must be a JSON object (e.g., {})!" };
  }
  return told(ret, json.value, () => "");
}

function ofPairs(ret: StateReturn, stdout: string): StateReturn {
  const at = stdout.trimEnd().lastIndexOf("\n");
  const pairs = pairsOf(stdout.slice(at + 1));
  if (pairs === undefined) {
    const comment = "Failed parsing script output! Stdout must be JSON or a line of name=value pairs.";
    return { ...ret, result: false, comment };
  }
  // Without the line that was read.
  return told(ret, mapOf(pairs), (text) => text.slice(0, at));
}

function told(ret: StateReturn, data: AnyMap, shorten: (stdout: string) => string): StateReturn {
  const fields = new Map(entriesOf(data));
  const changed = isTrue(fields.get("changed") ?? "no");
  const comment = fields.get("comment") ?? "";
  fields.delete("comment");
  if (!changed) return { ...ret, changes: {}, comment: comment as string };
  for (const [key, value] of Object.entries(ret.changes)) if (!fields.has(key)) fields.set(key, value);
  fields.set("stdout", shorten(str(fields.get("stdout") ?? "")));
  return { ...ret, changes: mapOf(fields) as Record<string, unknown>, comment: comment as string };
}

import type { StateContext } from "../../../model/loader/states.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { decodeUtf8, UnicodeDecodeError } from "../../../language/python/utf8.ts";
import { decodeText } from "../../../language/python/codecs.ts";
import { joinItems } from "../../../language/python/iterate.ts";
import { traverse } from "../../../language/python/traverse.ts";
import { textList } from "./texts.ts";

/** What a state says of its file's content. Null: it says nothing, or names a source. */
type Contents = { contents: string | Uint8Array | null } | { complaint: string };

/** The value at a path of pillar or grains; several are joined as lines. */
function lookedUp(
  data: unknown,
  path: unknown,
  delimiter: unknown,
  kind: string,
): { value: unknown } | { complaint: string } {
  const missing = (of: unknown) => ({ complaint: `${kind} ${str(of)} does not exist` });
  if (!Array.isArray(path)) {
    const value = traverse(data, path, str(delimiter));
    return value === undefined ? missing(path) : { value };
  }
  const values: unknown[] = [];
  for (const one of path) {
    const value = traverse(data, one, str(delimiter));
    if (value === undefined) return missing(one);
    values.push(value);
  }
  return { value: joinItems("\n", values) };
}

/** The content that `contents`, `contents_pillar` or `contents_grains` stand for, as lines with line ends. */
export function contentsFor(context: StateContext, args: Args): Contents {
  const { contents_pillar: pillar, contents_grains: grains, contents_delimiter: delimiter } = args;
  let value = args.contents ?? null;
  for (const [path, data, kind] of [[pillar, context.pillar, "Pillar"], [grains, context.grains, "Grain"]] as const) {
    if (path === null || path === undefined) continue;
    const found = lookedUp(data, path, delimiter, kind);
    if ("complaint" in found) return found;
    value = found.value ?? null;
  }
  if (value === null) return { contents: null };
  if (!truthy(args.allow_empty) && !truthy(value)) {
    const of = truthy(pillar)
      ? `contents_pillar ${str(pillar)}`
      : truthy(grains)
      ? `contents_grains ${str(grains)}`
      : "'contents'";
    return {
      complaint:
        `${of} value would result in empty contents. Set allow_empty to True to allow the managed file to be ` +
        "empty.",
    };
  }
  return asLines(value, args);
}

function asLines(value: unknown, args: Args): Contents {
  let parts: string[];
  try {
    parts = value instanceof Uint8Array
      ? [truthy(args.encoding) ? decodeText(value, str(args.encoding)) : decodeUtf8(value)]
      : textList(value);
  } catch (error) {
    if (!(error instanceof UnicodeDecodeError)) throw error;
    if (!truthy(args.template)) return { contents: value as Uint8Array };
    return {
      complaint:
        "Contents specified by contents/contents_pillar/contents_grains appears to be binary data, and as will " +
        "not be able to be treated as a Jinja template.",
    };
  }
  if (parts.length === 0) {
    return {
      complaint: "Contents specified by contents/contents_pillar/contents_grains is not a string or list of strings, " +
        "and is not binary data. SLS is likely malformed.",
    };
  }
  const text = parts.flatMap(splitLines).map((line) => `${line}\n`).join("");
  return { contents: truthy(args.contents_newline) ? text : text.replace(/\n+$/, "") };
}

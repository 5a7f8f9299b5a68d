/** Lists the keys of YAML files with templates in them. The text is read line by line, because nothing is rendered. */

/** A key or an item of a list. */
export interface Outlined {
  /** The enclosing keys, outermost first. */
  above: readonly string[];
  /** The entry's key; undefined for an item that is a text. */
  key: string | undefined;
  /** The text after the key, or the text of the item. */
  value: string;
  /** Line number, counted from 1. */
  line: number;
  /** True for the first key of a list item, and for an item that is a text. */
  isItem: boolean;
}

/** Stands for a computed value of a template: a key that contains it is unknown. */
export const COMPUTED = "\u00a7";

/** Removes the tags of a template: computed values become {@link COMPUTED}, and lines keep their numbers. */
export function withoutTags(text: string): string {
  return text.replace(/\{#[\s\S]*?#\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}/g, (tag) => {
    const lines = "\n".repeat(tag.split("\n").length - 1);
    return tag.startsWith("{{") ? COMPUTED + lines : lines;
  });
}

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*))?$/;
const BLOCK_SCALAR = /^(?:[&!]\S+\s+)*[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

const unquoted = (text: string) =>
  /^"[^]*"$|^'[^]*'$/.test(text) && text.length > 1 ? text.slice(1, -1) : text.replace(/\s+#.*$/, "");

/** Splits a line at its first colon that is followed by a blank or the end. */
function keyAndValue(text: string): [key: string | undefined, value: string] {
  const quoted = /^["']/.test(text);
  const at = quoted ? -1 : text.search(/:(?:\s|$)/);
  if (!quoted && at < 0) return [undefined, unquoted(text.trim())];
  const found = KEY.exec(quoted ? text : `${text.slice(0, at)}:${text.slice(at + 1)}`);
  if (found === null) return [undefined, unquoted(text.trim())];
  const [, key = "", value = ""] = quoted ? found : [undefined, text.slice(0, at), text.slice(at + 1).trim()];
  return [unquoted(key.trim()), unquoted(value.trim())];
}

/** Lists the keys and items of a YAML text without template tags. Flow collections are treated as values. */
export function outlineOf(text: string): Outlined[] {
  const found: Outlined[] = [];
  const open: { column: number; key: string }[] = [];
  /** The column of the key whose block scalar is being skipped. */
  let scalar = -1;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trimEnd();
    const indent = line.length - line.trimStart().length;
    if (line === "" || scalar >= 0 && indent > scalar) continue;
    scalar = -1;
    if (line.trimStart().startsWith("#") || /^(?:---|\.\.\.)(?:\s|$)/.test(line)) continue;
    const dashes = /^(?:- +|-$)*/.exec(line.trimStart())![0];
    const column = indent + dashes.length;
    const isItem = dashes !== "";
    while (open.length > 0) {
      const last = open.at(-1)!;
      // Items of a list may begin in the column of their key.
      if (isItem ? last.column > indent : last.column >= column) open.pop();
      else break;
    }
    const rest = line.slice(column);
    if (rest === "") continue;
    const [key, value] = keyAndValue(rest);
    found.push({ above: open.map((one) => one.key), key, value, line: index + 1, isItem });
    if (key !== undefined) open.push({ column, key });
    if (BLOCK_SCALAR.test(value)) scalar = key === undefined ? indent : column;
  }
  return found;
}

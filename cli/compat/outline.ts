/** The keys of YAML files that are still templates: read line by line, since nothing is rendered. */

/** A key or an item of a list. */
export interface Outlined {
  /** The keys above it, outermost first. */
  above: readonly string[];
  /** Its own key; undefined for an item that is a text. */
  key: string | undefined;
  /** What follows the key, or the text of the item. */
  value: string;
  /** Counts from 1. */
  line: number;
  /** True for the first key of an item of a list, and for items that are texts. */
  isItem: boolean;
}

/** Stands for what a template would compute: a key with it in it is not known. */
export const COMPUTED = "\u00a7";

/** A template without its tags: computed values are {@link COMPUTED}, and every line stays where it is. */
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

/** A key splits at the first colon with a blank or an end behind it. */
function keyAndValue(text: string): [key: string | undefined, value: string] {
  const quoted = /^["']/.test(text);
  const at = quoted ? -1 : text.search(/:(?:\s|$)/);
  if (!quoted && at < 0) return [undefined, unquoted(text.trim())];
  const found = KEY.exec(quoted ? text : `${text.slice(0, at)}:${text.slice(at + 1)}`);
  if (found === null) return [undefined, unquoted(text.trim())];
  const [, key = "", value = ""] = quoted ? found : [undefined, text.slice(0, at), text.slice(at + 1).trim()];
  return [unquoted(key.trim()), unquoted(value.trim())];
}

/** Lists the keys and items of a YAML text whose template tags are gone. Flow collections stay values. */
export function outlineOf(text: string): Outlined[] {
  const found: Outlined[] = [];
  const open: { column: number; key: string }[] = [];
  /** The column of the key whose block scalar is being passed. */
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
      // The items of a list may begin in the column of their key.
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

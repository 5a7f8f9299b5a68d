import { type AnyMap, isMap, lookup, repr, str } from "./values.ts";

const FIELD = /\{\{|\}\}|\{(\d*)((?:\[[^\]]*\])*)(?:!([sr]))?(?::(.?[<>^])?(\d*)s?)?\}/gs;

/**
 * Python's `str.format` for positional fields: `{0}`, `{6[key]}`, `!s` and `!r`, and a width with its alignment.
 *
 * @throws {TypeError} if a field names a missing argument or key
 */
export function format(template: string, args: readonly unknown[]): string {
  let next = 0;
  return template.replace(
    FIELD,
    (whole, index: string | undefined, path = "", conversion = "s", align = "<", width = "") => {
      if (whole === "{{" || whole === "}}") return whole.slice(1);
      let value = args[index === "" ? next++ : Number(index)];
      for (const [, key = ""] of path.matchAll(/\[([^\]]*)\]/g)) {
        value = Array.isArray(value) ? value[Number(key)] : isMap(value) ? lookup(value as AnyMap, key) : undefined;
      }
      if (value === undefined) throw new TypeError(`Cannot fill the field ${whole}`);
      return pad(conversion === "r" ? repr(value) : str(value), Number(width), align);
    },
  );
}

/** Pads a text to a width; in `align` a fill character other than a blank stands before the alignment, as in `*>`. */
export function pad(text: string, width: number, align = "<"): string {
  const fill = align.length > 1 ? align.slice(0, -1) : " ";
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  const left = align.endsWith(">") ? missing : align.endsWith("^") ? Math.floor(missing / 2) : 0;
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

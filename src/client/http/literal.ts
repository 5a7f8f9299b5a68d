/**
 * A text as salt-api has to be given it where it reads the arguments of runners as a command line is read: `1` would become a
 * number there, and `a=1` a keyword argument. In quotes it stays a text.
 *
 * @see salt/utils/args.py parse_input
 */
export function literal(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // A "#" would pass for a comment, and other control characters are no YAML.
  return JSON.stringify(value).replace(
    /[#\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Quotes a text for salt-api, which reads arguments of runners like a command line: without quotes, `1` would become a number, and
 * `a=1` a keyword argument.
 *
 * @see salt/utils/args.py parse_input
 */
export function literal(value: unknown): unknown {
  if (typeof value !== "string") return value;
  // Escapes "#", which would begin a comment, and control characters, which YAML does not allow.
  return JSON.stringify(value).replace(
    /[#\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

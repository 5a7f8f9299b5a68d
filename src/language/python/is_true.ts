/** What Salt takes for true in a text or number (`salt.utils.data.is_true`): a number above zero, or the word true. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") return value > 0;
  if (typeof value !== "string") return Boolean(value);
  const text = value.trim();
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text) > 0;
  return value.toLowerCase() === "true";
}

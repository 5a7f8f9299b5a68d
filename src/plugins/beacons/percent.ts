/** A threshold such as `80`, `"80%"` or `80.5`. */
export function percentOf(value: unknown): number {
  return Number(typeof value === "string" ? value.replaceAll("%", "") : value);
}

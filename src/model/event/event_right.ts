/**
 * Entries of `external_auth` that let a user read every event: the right itself, and the right to every function on every
 * minion.
 */
const EVERYTHING: readonly unknown[] = ["@events", ".*"];

/**
 * True if a user's permissions cover all events of the master: `@events`, `.*`, or `.*` on the target `*`.
 *
 * @param permissions as `external_auth` writes them
 */
export function coversAllEvents(permissions: readonly unknown[]): boolean {
  return permissions.some((rule) => {
    if (typeof rule !== "object" || rule === null) return EVERYTHING.includes(rule);
    const everywhere = rule instanceof Map ? rule.get("*") : (rule as Record<string, unknown>)["*"];
    return [everywhere].flat().includes(".*");
  });
}

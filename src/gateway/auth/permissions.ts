import { entriesOf, isMap, lookup } from "../../python/containers.ts";
import { equal } from "../../python/equal.ts";
import { repr } from "../../python/repr.ts";
import type { TokenRecord } from "../../client/tokens.ts";

/** Back ends whose own list takes the place of what the configuration grants, and when. */
const OWN_LIST: Record<string, (eauth: unknown) => boolean> = {
  django: (eauth) => isMap(eauth) && lookup(eauth, "^model") !== undefined,
  rest: () => true,
};

function listOf(map: unknown, key: string): unknown[] {
  const value = isMap(map) ? lookup(map, key) : undefined;
  return Array.isArray(value) ? value : [];
}

const byCodePoints = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

/** Texts first, then the structured entries by how Python would write them; each once. */
function sortedPermissions(entries: readonly unknown[]): unknown[] {
  const texts = [...new Set(entries.filter((entry) => typeof entry === "string"))].sort(byCodePoints);
  const structured: unknown[] = [];
  for (const entry of entries) {
    if (typeof entry !== "string" && !structured.some((seen) => equal(seen, entry))) structured.push(entry);
  }
  return [...texts, ...structured.sort((a, b) => byCodePoints(repr(a), repr(b)))];
}

/**
 * What the answer to a sign-in says of the user's permissions, for display: the entries of that very name, those of `*`, and
 * those of the user's groups. What counts when a command is checked is the master's business.
 *
 * @see gateway.md 4.1
 */
export function permissionsOf(record: TokenRecord, externalAuth: Record<string, unknown>): unknown[] {
  const eauth = Object.hasOwn(externalAuth, record.eauth) ? externalAuth[record.eauth] : undefined;
  if (record.auth_list !== undefined && Object.hasOwn(OWN_LIST, record.eauth) && OWN_LIST[record.eauth]!(eauth)) {
    return record.auth_list;
  }
  if (!isMap(eauth)) return [];
  const groups = new Set(record.groups ?? []);
  const ofGroups = entriesOf(eauth).flatMap(([key]) => {
    const name = String(key);
    return name.endsWith("%") && groups.has(name.replace(/%+$/, "")) ? listOf(eauth, name) : [];
  });
  return sortedPermissions([...listOf(eauth, record.name), ...listOf(eauth, "*"), ...ofGroups]);
}

import { entriesOf, equal, isMap, repr } from "../../../language/python/values.ts";
import type { TokenRecord } from "../../../client/tokens.ts";
import { fieldOf } from "../wire/json.ts";
import type { EndListeners, Family } from "./token_families.ts";
import type { Session } from "./sessions.ts";

/** Backends whose own list replaces the permissions of the configuration, and the condition for that. */
const OWN_LIST: Record<string, (eauth: unknown) => boolean> = {
  django: (eauth) => fieldOf(eauth, "^model") !== undefined,
  rest: () => true,
};

function listUnder(map: unknown, key: string): unknown[] {
  const value = fieldOf(map, key);
  return Array.isArray(value) ? value : [];
}

const byCodePoints = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

/** Sorts permissions: texts first, then structured entries in the order of their Python notation; duplicates are removed. */
function sortedPermissions(entries: readonly unknown[]): unknown[] {
  const texts = [...new Set(entries.filter((entry) => typeof entry === "string"))].sort(byCodePoints);
  const structured: unknown[] = [];
  for (const entry of entries) {
    if (typeof entry !== "string" && !structured.some((seen) => equal(seen, entry))) structured.push(entry);
  }
  return [...texts, ...structured.sort((a, b) => byCodePoints(repr(a), repr(b)))];
}

/**
 * The permissions of a user in the answer to a login: the entries of exactly that name, those of `*`, and those of the user's
 * groups. They are only for display: the master checks each command itself.
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
    return name.endsWith("%") && groups.has(name.replace(/%+$/, "")) ? listUnder(eauth, name) : [];
  });
  return sortedPermissions([...listUnder(eauth, record.name), ...listUnder(eauth, "*"), ...ofGroups]);
}

/** An authenticated caller, with its credential. */
export interface Identity {
  /** The eauth token that the master knows this caller by. */
  readonly record: TokenRecord;
  /** The session of a caller with a session id; JSON Web Tokens and API keys have none. */
  readonly session?: Session;
  /** The login of a JSON Web Token; undefined for other credentials. */
  readonly family?: Family;
  /** Called when the session or login ends, so that streams opened with it end too. */
  readonly endListeners?: EndListeners;
  /** The scopes of an API key; undefined means no limit beyond the user's own permissions. */
  readonly scopes?: readonly string[];
}

import { suggestion } from "../../base/nearest_name.ts";

const OVER_HTTP = "use the driver rest with its address";
const IN_FILES = "use the driver sqlite3, or yaml with gpg: True";

/** Salt's sdb drivers that Brine does not have, each with what to do instead. */
export const ABSENT_SDB: Readonly<Record<string, string>> = {
  cache: "use the driver sqlite3",
  confidant: OVER_HTTP,
  consul: `${OVER_HTTP} and /v1/kv/KEY?raw`,
  couchdb: OVER_HTTP,
  etcd: OVER_HTTP,
  keyring: IN_FILES,
  memcached: "use the driver sqlite3: memcached has no logins",
  redis: "use the driver sqlite3, or the external pillar redis",
  tism: OVER_HTTP,
};

/** The error for an unknown driver, with what to do. @param known names of the drivers of Brine */
export function absentSdb(name: string, known: readonly string[]): string {
  const instead = Object.hasOwn(ABSENT_SDB, name) ? ABSENT_SDB[name] : undefined;
  if (instead !== undefined) return `Salt's sdb driver "${name}" is not here: ${instead}`;
  return `There is no sdb driver "${name}": ${suggestion(name, known)}`;
}

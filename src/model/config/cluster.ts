import { ConfigError } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import { shownValue } from "../../base/shown_value.ts";

interface ClusterSettings {
  /** Address of the database: `postgres://user:password@host:5432/database`. */
  postgres: string;
  /** Addresses of NATS servers, at least one: `nats://user:password@host:4222`. */
  nats: string[];
  name: string;
  leaseSeconds: number;
  /** Paths of PEM files. */
  tls?: { ca?: string; cert?: string; key?: string };
}

/** Bounds of a lease, in seconds: a shorter one runs out while the storage is slow, a longer one delays the next master. */
const LEAST_LEASE = 2;
const MAX_LEASE_SECONDS = 300;
const KNOWN = ["postgres", "nats", "name", "lease_seconds", "tls"];
const TLS = ["ca", "cert", "key"];

/** What the option `cluster` should have been, to complete "expected …"; undefined if its value can be used. */
export function clusterFault(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (isRecord(value) && Object.keys(value).length === 0) return undefined;
  if (!isRecord(value)) return "a map with postgres: and nats:";
  const unknown = Object.keys(value).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `a map of ${KNOWN.join(", ")}; "${unknown}" is none of them`;
  const { postgres, nats, name, lease_seconds: seconds, tls } = value;
  if (!isUrl(postgres, ["postgres:", "postgresql:"])) {
    return "postgres: as postgres://user:password@host:5432/database, with special characters as %XX";
  }
  const servers = Array.isArray(nats) ? nats : [nats];
  if (servers.length === 0 || !servers.every((server) => isUrl(server, ["nats:", "tls:"]))) {
    return "nats: as nats://host:4222 or nats://user:password@host:4222, or a list of them, with special characters as %XX";
  }
  if (name !== undefined && !(typeof name === "string" && /^[A-Za-z0-9_-]{1,32}$/.test(name))) {
    return "name: as 1 to 32 letters, digits, - and _";
  }
  const given = Number(seconds ?? LEAST_LEASE);
  if (!(given >= LEAST_LEASE && given <= MAX_LEASE_SECONDS)) {
    return `lease_seconds: from ${LEAST_LEASE} to ${MAX_LEASE_SECONDS}`;
  }
  const isTls = tls === undefined || tls === null ||
    isRecord(tls) && Object.entries(tls).every(([key, path]) => TLS.includes(key) && typeof path === "string");
  return isTls ? undefined : "tls: as a map of ca, cert and key, each the path of a file";
}

function isUrl(value: unknown, protocols: readonly string[]): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  // NATS would take a user name without a password for a token.
  return protocols.includes(protocol) && hostname !== "" && [username, password].every(isEncoded) &&
    (username === "" || password !== "" || protocol.startsWith("postgres"));
}

/** False if a percent sign does not begin an encoded character. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the option `cluster`; undefined if it is not set.
 *
 * @throws {ConfigError} if the option, or another option together with it, cannot be used
 */
export function clusterSettings(opts: Record<string, unknown>): ClusterSettings | undefined {
  const { cluster, minimum_auth_version, order_masters } = opts;
  const expected = clusterFault(cluster);
  if (expected !== undefined) {
    throw new ConfigError(`Cannot use cluster: ${shownValue("cluster", cluster)}: expected ${expected}`);
  }
  if (!isRecord(cluster) || Object.keys(cluster).length === 0) return undefined;
  if (Number(minimum_auth_version ?? 3) < 3) {
    throw new ConfigError(
      `Cannot use cluster with minimum_auth_version: ${minimum_auth_version}: a request of an older ` +
        "minion could be replayed to another master. Set it to 3, and update those minions",
    );
  }
  if (order_masters === true) {
    throw new ConfigError(
      "Cannot use cluster with order_masters: syndics below a cluster are not served. Remove one of the two",
    );
  }
  const { postgres, nats, name, lease_seconds, tls } = cluster;
  return {
    postgres: postgres as string,
    nats: [nats].flat() as string[],
    name: typeof name === "string" ? name : "default",
    leaseSeconds: Number(lease_seconds ?? 5),
    ...(isRecord(tls) ? { tls: tls as ClusterSettings["tls"] & object } : {}),
  };
}

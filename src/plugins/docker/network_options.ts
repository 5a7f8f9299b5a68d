/** Options of networks as people write them, as the daemon reads them. */
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { addressOption, commaItems, labelsOf, optionPairs, subnetOf } from "./option_values.ts";

/** Other names of options; of two for one option the last is named in errors. */
const ALIASES: Readonly<Record<string, string>> = {
  driver_opt: "options",
  driver_opts: "options",
  ipv6: "enable_ipv6",
  ip_range: "iprange",
  aux_address: "aux_addresses",
};

const ALIAS_OF = Object.fromEntries(Object.entries(ALIASES).map(([alias, name]) => [name, alias]));

const record = (value: unknown): Args =>
  Object.fromEntries(entriesOf(value as Args).map(([key, of]): [string, unknown] => [str(key), of]));

/** A map, or a list of maps with one key each. */
function mapOption(value: unknown): Args {
  if (isMap(value)) return record(value);
  if (Array.isArray(value) && value.every((one) => isMap(one) && entriesOf(one).length === 1)) {
    return Object.assign({}, ...value.map(record)) as Args;
  }
  throw new SaltInvocationError(`'${str(value)}' is not a dictionary`);
}

type Translate = (value: unknown, checked: boolean, skipped: readonly string[]) => unknown;

const options: Translate = (value) => optionPairs(value, "=");
const subnet: Translate = (value, checked) => checked ? subnetOf(value) : str(value);
const address = (value: unknown, checked: boolean): string => checked ? addressOption(value) : str(value);

const POOL: Readonly<Record<string, Translate>> = {
  subnet,
  iprange: subnet,
  gateway: address,
  aux_addresses: (value, checked) =>
    Object.fromEntries(Object.entries(optionPairs(value, "=")).map(([host, of]) => [host, address(of, checked)])),
};

/** Addresses of pools are always checked, as Salt has it. */
function pools(value: unknown, _checked: boolean, skipped: readonly string[]): Args[] {
  if (!Array.isArray(value) || !value.every(isMap)) {
    throw new SaltInvocationError("ipam_pools must be a list of dictionaries");
  }
  return value.map((pool) =>
    Object.fromEntries(
      Object.entries(record(pool)).map(([name, of]) => {
        if (skipped.includes(name)) return [name, of];
        const own = ALIASES[name] ?? name;
        return [own, POOL[own]?.(of, true, skipped) ?? of];
      }),
    )
  );
}

const OPTIONS: Readonly<Record<string, Translate>> = {
  driver: str,
  options,
  ipam: mapOption,
  check_duplicate: truthy,
  internal: truthy,
  labels: labelsOf,
  enable_ipv6: truthy,
  attachable: truthy,
  ingress: truthy,
  ipam_driver: str,
  ipam_opts: options,
  ipam_pools: pools,
  ...POOL,
};

interface Translation {
  /** True, or names of options that are taken as they are. */
  skip?: unknown;
  ignoreCollisions?: boolean;
  /** Refuse what is no address. @default true */
  checked?: boolean;
}

/**
 * The options by their own names. Values of null count as not given.
 *
 * @throws {CommandExecutionError} with what is wrong with each, and which were given twice
 */
export function translateNetwork(kwargs: Args, { skip, ignoreCollisions, checked = true }: Translation = {}): Args {
  const given = Object.entries(kwargs).filter(([name, value]) => value !== null && !name.startsWith("__"));
  if (skip === true) return Object.fromEntries(given);
  const skipped = Array.isArray(skip) || (typeof skip === "string" && skip !== "") ? commaItems(skip) : [];
  const found: Args = {};
  const invalid: Record<string, string> = {};
  const collisions: string[] = [];
  // As in Salt, the option's own name wins.
  for (const [name, value] of given.toSorted(([a], [b]) => Number(a in ALIASES) - Number(b in ALIASES))) {
    const own = ALIASES[name] ?? name;
    try {
      const known = Object.hasOwn(OPTIONS, own) && !skipped.includes(own);
      const translated = known ? OPTIONS[own]!(value, checked, skipped) : value;
      if (own in found) collisions.push(`'${ALIAS_OF[own]}' is an alias for '${own}', they cannot both be used`);
      else found[own] = translated;
    } catch (error) {
      if (!(error instanceof SaltInvocationError)) throw error;
      invalid[name] = error.message;
    }
  }
  const info = {
    ...(Object.keys(invalid).length > 0 ? { invalid } : {}),
    ...(collisions.length > 0 && !truthy(ignoreCollisions ?? false) ? { collisions } : {}),
  };
  if (Object.keys(info).length > 0) throw new CommandExecutionError("Failed to translate input", { info });
  return { check_duplicate: true, ...found };
}

const POOL_KEYS: Readonly<Record<string, string>> = {
  subnet: "Subnet",
  iprange: "IPRange",
  gateway: "Gateway",
  aux_addresses: "AuxiliaryAddresses",
};

function poolOf(given: Args): Args {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(POOL_KEYS, name));
  if (unknown !== undefined) {
    throw new SaltInvocationError(
      `An IPAM pool has no option ${repr(unknown)}: expected one of ${Object.keys(POOL_KEYS).join(", ")}`,
    );
  }
  const named = Object.entries(given).filter(([, value]) => value !== null);
  const pool = Object.fromEntries(named.map(([name, value]) => [POOL_KEYS[name]!, value]));
  if (pool.Subnet === undefined) throw new SaltInvocationError("A subnet is required in each IPAM pool");
  return pool;
}

/** Addresses of a network as the daemon has them. */
export interface Ipam extends Args {
  Driver?: unknown;
  Config?: Args[] | null;
  Options?: unknown;
}

/**
 * Options of a network apart from those of its addresses.
 *
 * @returns `ipam` undefined if nothing of it is given
 * @throws {SaltInvocationError} for `ipam` beside other options of addresses, and for a pool without a subnet
 */
export function splitIpam(translated: Args): { ipam: Ipam | undefined; others: Args } {
  const { ipam, ipam_driver: driver, ipam_opts: opts, ipam_pools: more, ...left } = translated;
  const names = Object.keys(POOL_KEYS).filter((name) => name in left);
  const others = Object.fromEntries(Object.entries(left).filter(([name]) => !names.includes(name)));
  const isGiven = driver !== undefined || opts !== undefined || more !== undefined || names.length > 0;
  if (ipam !== undefined) {
    if (!isGiven) return { ipam: ipam as Ipam, others };
    throw new SaltInvocationError(
      "Cannot mix the 'ipam' argument with any of the IPAM config arguments. See documentation for details.",
    );
  }
  if (!isGiven) return { ipam, others };
  const own = Object.fromEntries(names.map((name) => [name, left[name]]));
  const config = [...(names.length > 0 ? [own] : []), ...(more as Args[] | undefined ?? [])].map(poolOf);
  return {
    ipam: { Driver: driver ?? "default", Config: config, ...(truthy(opts ?? null) ? { Options: opts } : {}) },
    others,
  };
}

/** Resolves `sdb://profile/key`: drivers fetch such values from other stores, by profiles in the host's options or pillar. */
import { ConfigError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { hasSdb, type ResolveSdb } from "../config/load.ts";
import type { HostMaster } from "./host_master.ts";
import type { CustomPlace } from "./loaded_file.ts";
import { CommandExecutionError, SaltInvocationError } from "./family.ts";
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

/** What sdb drivers receive of the host. */
export interface SdbContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Readonly<Record<string, unknown>>;
  /** Pillar with profiles that the options do not have. */
  readonly pillar: Readonly<Record<string, unknown>>;
  /** Aborts when the job is killed. @default never */
  readonly signal?: AbortSignal;
  /** The minion's functions and data; only for a job of a minion. */
  readonly grains?: Readonly<Record<string, unknown>>;
  readonly hostMaster?: HostMaster | undefined;
  call?(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

/** The export `sdb` of a file under `plugins/sdb/`. Messages of its errors MUST NOT contain values. */
export interface SdbDriver {
  /** The value of a key; null if there is none. */
  get(context: SdbContext, key: string, profile: AnyMap): unknown;
  /** Stores a value. Absent from a driver that only reads. */
  set?(context: SdbContext, key: string, value: unknown, profile: AnyMap): unknown;
  /** Deletes a value. Absent from a driver that cannot. */
  delete?(context: SdbContext, key: string, profile: AnyMap): unknown;
}

/** Drivers: name → function that loads the driver. */
export type SdbRegistry = Record<string, () => Promise<{ sdb: SdbDriver }>>;

const SCHEME = "sdb://";
/** Characters of a generated secret, at most. */
const MAX_CHARACTERS = 65_536;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)";

const isSdb = (value: unknown): value is string => typeof value === "string" && value.startsWith(SCHEME);

/** The profile in an address. The key may be a secret itself, so messages show only the profile. */
const sdbProfile = (uri: string): string => uri.slice(SCHEME.length).split("/", 1)[0]!;

/** The sdb stores of one host. @see salt/utils/sdb.py */
export class Sdb {
  readonly #context: SdbContext;
  readonly #drivers: SdbRegistry;

  constructor(context: SdbContext, drivers: SdbRegistry) {
    this.#context = context;
    this.#drivers = drivers;
  }

  /**
   * The value of an address. Text that is not an address of a known profile is returned unchanged.
   *
   * @param strict throw for such a text instead
   * @throws {SaltInvocationError} in Salt's words
   * @throws {CommandExecutionError} if the driver is missing or fails
   */
  async get(uri: unknown, strict = false): Promise<unknown> {
    const place = this.#place(uri);
    if (typeof place !== "string") {
      return await (await this.#driver(place)).get(this.#context, place.key, place.profile);
    }
    if (strict) throw new SaltInvocationError(place);
    if (isSdb(uri)) {
      this.#context.log.warning("sdb address stays as it is: there is no such profile", { profile: sdbProfile(uri) });
    }
    return uri;
  }

  /** Stores a value. @returns false for text that is not an address of a known profile */
  async set(uri: unknown, value: unknown): Promise<unknown> {
    const place = this.#place(uri);
    if (typeof place === "string") return false;
    const driver = await this.#driver(place);
    if (driver.set === undefined) throw cannot(place, "only reads: change what it reads");
    return await driver.set(this.#context, place.key, value, place.profile);
  }

  /** Deletes a value. @returns false for text that is not an address of a known profile */
  async delete(uri: unknown): Promise<unknown> {
    const place = this.#place(uri);
    if (typeof place === "string") return false;
    const driver = await this.#driver(place);
    if (driver.delete === undefined) {
      throw cannot(place, "does not delete: set another value, or delete it where it is stored");
    }
    return await driver.delete(this.#context, place.key, place.profile);
  }

  /** The value of an address; if there is none, a random one is generated and stored. */
  async getOrSetHash(uri: unknown, length: unknown, chars: unknown): Promise<unknown> {
    if (!isSdb(uri)) return false;
    const place = this.#place(uri);
    // In Salt, a bad address itself would become the secret.
    if (typeof place === "string") throw new SaltInvocationError(place);
    const found = await this.get(uri);
    if (found !== null && found !== undefined) return found;
    const made = this.#random(Number(length), str(chars));
    await this.set(uri, made);
    return made;
  }

  #random(length: number, chars: string): string {
    const letters = [...chars];
    if (
      !Number.isInteger(length) || length > MAX_CHARACTERS || letters.length === 0 || letters.length > MAX_CHARACTERS
    ) {
      throw new SaltInvocationError(
        `Cannot make a text of ${length} out of ${letters.length} characters: expected 1 to ${MAX_CHARACTERS} of each`,
      );
    }
    const { crypto } = this.#context.runtime;
    // Discard numbers above the largest multiple of the alphabet's size: they would make some letters more frequent.
    const fair = 2 ** 32 - 2 ** 32 % letters.length;
    let made = "";
    for (let count = 0; count < length;) {
      const number = new DataView(crypto.randomBytes(4).slice().buffer).getUint32(0);
      if (number >= fair) continue;
      made += letters[number % letters.length];
      count++;
    }
    return made;
  }

  /** The profile and key of an address, or the error in Salt's words. */
  #place(uri: unknown): Place | string {
    if (!isSdb(uri)) return 'SDB uri must start with "sdb://"';
    const name = sdbProfile(uri);
    const key = uri.slice(SCHEME.length + name.length + 1);
    if (key === "") return "SDB uri must have a profile name as a first part of the uri before the /";
    const { opts, pillar } = this.#context;
    const inOpts = lookup(opts, name);
    const profile = truthy(inOpts ?? null) ? inOpts : lookup(pillar, name);
    if (!isMap(profile) || lookup(profile, "driver") === undefined) {
      return `SDB profile "${name}" wasnt found in the minion configuration`;
    }
    return { name, key, profile, driver: str(lookup(profile, "driver")) };
  }

  async #driver({ name, driver }: Place): Promise<SdbDriver> {
    const custom = await customSdb(this.#context, driver, !Object.hasOwn(this.#drivers, driver));
    if (custom !== undefined) return custom;
    if (Object.hasOwn(this.#drivers, driver)) return (await this.#drivers[driver]!()).sdb;
    throw new CommandExecutionError(
      `Cannot use the sdb profile "${name}": ${absentSdb(driver, Object.keys(this.#drivers))}`,
    );
  }
}

/**
 * The custom driver of a name: `get(key, profile)`, and if the driver can, `set(key, value, profile)` and `delete(key, profile)`.
 * Undefined if there is none.
 *
 * @param isLent true if Salt's package may lend the driver
 */
async function customSdb(place: CustomPlace, name: string, isLent: boolean): Promise<SdbDriver | undefined> {
  const { customNamed, namedCall } = await import("./custom_named.ts");
  const found = await customNamed(place, "sdb", name, isLent);
  if (found === undefined) return undefined;
  const [get, set, remove] = ["get", "set", "delete"].map((fun) => namedCall(found, fun));
  if (get === undefined) throw new TypeError(`"${found.path}" has no function "get"`);
  return {
    get: (context, key, profile) => get(context, [key], { profile }),
    ...(set && { set: (context, key, value, profile) => set(context, [key, value], { profile }) }),
    ...(remove && { delete: (context, key, profile) => remove(context, [key], { profile }) }),
  };
}

interface Place {
  name: string;
  key: string;
  profile: AnyMap;
  driver: string;
}

const cannot = ({ name, driver }: Place, why: string) =>
  new CommandExecutionError(`The sdb driver "${driver}" of the profile "${name}" ${why}`);

/** Signature of `sdb.get_or_set_hash`, the same for modules and runners. */
export const SDB_HASH = `uri, length=8, chars='${CHARACTERS}'`;

/**
 * Resolves the `sdb://` addresses in a configuration, also within maps and lists. The profiles are in the configuration, too.
 *
 * @param strict if false, a value that cannot be fetched causes a warning, and its option is left out
 * @see salt/config/__init__.py apply_sdb
 */
export function sdbResolver(
  { runtime, log }: Pick<SdbContext, "runtime" | "log">,
  drivers: () => Promise<SdbRegistry>,
  strict: boolean,
): ResolveSdb {
  return async (values) => {
    const opts = { ...values };
    const sdb = new Sdb({ runtime, log, opts, pillar: {} }, await drivers());
    const changed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      if (!hasSdb(value)) continue;
      try {
        opts[name] = changed[name] = await resolved(sdb, value, new Map());
      } catch (error) {
        const message = `The option ${name}: ${messageOf(error)}`;
        if (strict) throw new ConfigError(message, { cause: error });
        log.warning("the default is used", { problem: message });
        opts[name] = changed[name] = undefined;
      }
    }
    return changed;
  };
}

/** Resolves the addresses in a value. @param known results by list or map, so that an alias of YAML is resolved once */
async function resolved(sdb: Sdb, value: unknown, known: Map<unknown, unknown>): Promise<unknown> {
  if (isSdb(value)) return await sdb.get(value);
  if (!isMap(value) && !Array.isArray(value)) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const items: [unknown, unknown][] = [];
  for (const [key, item] of isMap(value) ? entriesOf(value) : value.entries()) {
    items.push([key, await resolved(sdb, item, known)]);
  }
  const copy = Array.isArray(value)
    ? items.map(([, item]) => item)
    : value instanceof Map
    ? new Map(items)
    : Object.fromEntries(items as [string, unknown][]);
  known.set(value, copy);
  return copy;
}

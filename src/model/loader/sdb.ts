/** `sdb://profile/key`: values that drivers fetch from elsewhere, by profiles in the options or the pillar of the host. */
import { ConfigError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap, lookup } from "../../language/python/containers.ts";
import { truthy } from "../../language/python/truth.ts";
import { str } from "../../language/python/repr.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { hasSdb, type ResolveSdb } from "../config/load.ts";
import type { HostMaster } from "./host_master.ts";
import { absentSdb } from "./absent_sdb.ts";
import { CommandExecutionError, SaltInvocationError } from "./family.ts";

/** The host whose values they are. */
export interface SdbContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly opts: Readonly<Record<string, unknown>>;
  /** Where profiles are looked for that the options do not have. */
  readonly pillar: Readonly<Record<string, unknown>>;
  /** Aborts when the job is killed. @default never */
  readonly signal?: AbortSignal;
  /** Of a minion's job alone. */
  readonly grains?: Readonly<Record<string, unknown>>;
  readonly hostMaster?: HostMaster | undefined;
  call?(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

/** What a file under `plugins/sdb/` exports as `sdb`. Messages of its errors MUST NOT have values. */
export interface SdbDriver {
  /** The value of a key; null if there is none. */
  get(context: SdbContext, key: string, profile: AnyMap): unknown;
  /** Stores a value. Absent from a driver that only reads. */
  set?(context: SdbContext, key: string, value: unknown, profile: AnyMap): unknown;
}

/** Drivers by name → how to load each. */
export type SdbRegistry = Record<string, () => Promise<{ sdb: SdbDriver }>>;

const SCHEME = "sdb://";
/** Characters of the longest text that is made. */
const LONGEST = 65_536;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)";

/** True for a value that stands for another. */
const isSdb = (value: unknown): value is string => typeof value === "string" && value.startsWith(SCHEME);

/** The profile that an address names. A key may be a secret in itself, and is not shown. */
const sdbProfile = (uri: string): string => uri.slice(SCHEME.length).split("/", 1)[0]!;

/** The stores of one host. @see salt/utils/sdb.py */
export class Sdb {
  readonly #context: SdbContext;
  readonly #drivers: SdbRegistry;

  constructor(context: SdbContext, drivers: SdbRegistry) {
    this.#context = context;
    this.#drivers = drivers;
  }

  /**
   * The value of an address. What is no address of a profile is returned as it is.
   *
   * @param strict refuses that
   * @throws {SaltInvocationError} in Salt's words
   * @throws {CommandExecutionError} if the driver is not here, or fails
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

  /** False if it is no address of a profile. */
  async set(uri: unknown, value: unknown): Promise<unknown> {
    const place = this.#place(uri);
    if (typeof place === "string") return false;
    const driver = await this.#driver(place);
    if (driver.set === undefined) throw cannot(place, "only reads: change what it reads");
    return await driver.set(this.#context, place.key, value, place.profile);
  }

  /** False if it is no address of a profile. No driver deletes. */
  async delete(uri: unknown): Promise<false> {
    const place = this.#place(uri);
    if (typeof place === "string") return false;
    await this.#driver(place);
    throw cannot(place, "does not delete: set another value, or delete it where it is stored");
  }

  /** The value of an address, which is made by chance and stored if there is none. */
  async getOrSetHash(uri: unknown, length: unknown, chars: unknown): Promise<unknown> {
    if (!isSdb(uri)) return false;
    const place = this.#place(uri);
    // In Salt the address itself would be taken for the secret.
    if (typeof place === "string") throw new SaltInvocationError(place);
    const found = await this.get(uri);
    if (found !== null && found !== undefined) return found;
    const made = this.#random(Number(length), str(chars));
    await this.set(uri, made);
    return made;
  }

  #random(length: number, chars: string): string {
    const letters = [...chars];
    if (!Number.isInteger(length) || length > LONGEST || letters.length === 0 || letters.length > LONGEST) {
      throw new SaltInvocationError(
        `Cannot make a text of ${length} out of ${letters.length} characters: expected 1 to ${LONGEST} of each`,
      );
    }
    const { crypto } = this.#context.runtime;
    // Numbers beyond the last whole multiple would make some letters more frequent.
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

  /** Where an address leads, or why it leads nowhere, in Salt's words. */
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
    if (Object.hasOwn(this.#drivers, driver)) return (await this.#drivers[driver]!()).sdb;
    throw new CommandExecutionError(
      `Cannot use the sdb profile "${name}": ${absentSdb(driver, Object.keys(this.#drivers))}`,
    );
  }
}

/** A profile that was found, and the key in it. */
interface Place {
  name: string;
  key: string;
  profile: AnyMap;
  driver: string;
}

const cannot = ({ name, driver }: Place, why: string) =>
  new CommandExecutionError(`The sdb driver "${driver}" of the profile "${name}" ${why}`);

/** The arguments of the functions of `sdb`, which modules and runners have alike. */
export const SDB_HASH = `uri, length=8, chars='${CHARACTERS}'`;

/**
 * Finds what the `sdb://` addresses in a configuration stand for, also within maps and lists. Profiles are in it, too.
 *
 * @param strict false warns of a value that cannot be had, and leaves the option out
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

/** A value with what its addresses stand for. @param known what an alias of YAML means at several places is one value */
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

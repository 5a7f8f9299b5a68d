import { isRecord } from "../base/record.ts";
import { factText, machineAddress, programOf, systemOf } from "./machine.ts";

/** The facts about a minion on the fleet page. */
export interface MinionFacts {
  os: string;
  /** Operating system and release: `Debian 12`. */
  system: string;
  /** The minion's program and version: `Brine 0.1.0` or `Salt 3006.28`. */
  program: string;
  address: string;
  /** Grains that the user has chosen, as texts; undefined for none. */
  grains?: ReadonlyMap<string, string>;
}

/** The grains that {@link readFacts} reads. */
export const FACT_FIELDS = ["os", "osrelease", "saltversion", "brineversion", "fqdn_ip4", "ipv4"];

/** The grain at a path such as `ec2:tags:role`, as a text. */
function grainText(grains: Record<string, unknown>, path: string): string {
  let value: unknown = Object.hasOwn(grains, path) ? grains[path] : undefined;
  if (value === undefined) {
    value = grains;
    for (const part of path.split(":")) {
      value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    }
  }
  if (Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number")) {
    return value.join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/**
 * The facts for the fleet page, from a minion's grains; long texts are cut, since a minion chooses them.
 *
 * @param chosen names of further grains
 */
export function readFacts(grains: Record<string, unknown>, chosen: readonly string[] = []): MinionFacts {
  const cut = (value: string) => value.slice(0, 100);
  return {
    os: cut(factText(grains.os)),
    system: cut(systemOf(grains)),
    program: cut(programOf(grains)),
    address: cut(machineAddress(grains)),
    ...(chosen.length === 0 ? {} : { grains: new Map(chosen.map((name) => [name, cut(grainText(grains, name))])) }),
  };
}

/** The number of ids in the first request, and in the next ones if the master sends only the wanted grains. */
const PIECE = 200;
const PIECE_OF_FIELDS = 2500;

/**
 * The facts of all minions, for a page that sorts and filters by them. A Brine master is asked only for the needed grains
 * (`cache.grains fields=`); other masters send all grains, and the rest is dropped.
 */
export class FactsCache {
  readonly #read: (ids: readonly string[], fields: readonly string[]) => Promise<unknown>;
  readonly #onChange: () => void;
  readonly #known = new Map<string, MinionFacts>();
  #wanted = new Set<string>();
  #isReading = false;
  #piece = PIECE;
  #chosen: readonly string[] = [];
  /** The error of the last failed request. */
  error: unknown;

  constructor(read: (ids: readonly string[], fields: readonly string[]) => Promise<unknown>, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  of(id: string): MinionFacts | undefined {
    return this.#known.get(id);
  }

  get size(): number {
    return this.#known.size;
  }

  /** Reads the facts of these minions unless they are known. Earlier wishes that are not among them are dropped. */
  want(ids: readonly string[]): void {
    // The account may not read grains: they are not requested again until clear().
    if (this.error !== undefined) return;
    this.#wanted = new Set(ids.filter((id) => !this.#known.has(id)));
    if (!this.#isReading && this.#wanted.size > 0) void this.#run();
  }

  /** Sets further grains to read of each minion; known facts without them are read again. */
  choose(grains: readonly string[]): void {
    if (grains.join() === this.#chosen.join()) return;
    this.#chosen = grains;
    this.#known.clear();
  }

  /** Takes the grains of one minion that were read elsewhere. */
  set(id: string, grains: Record<string, unknown>): void {
    this.#known.set(id, readFacts(grains, this.#chosen));
    this.#onChange();
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  clear(): void {
    this.#known.clear();
    this.#wanted.clear();
    this.error = undefined;
  }

  async #run(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted.size > 0) {
        const ids = [...this.#wanted].slice(0, this.#piece);
        const chosen = this.#chosen;
        const fields = [...new Set([...FACT_FIELDS, ...chosen.flatMap((name) => [name, name.split(":")[0]!])])];
        const found = await this.#read(ids, fields);
        // The chosen grains have changed meanwhile.
        if (chosen !== this.#chosen) continue;
        const grains = isRecord(found) ? found : {};
        for (const id of ids) {
          this.#wanted.delete(id);
          const own = grains[id];
          this.#known.set(id, readFacts(isRecord(own) ? own : {}, chosen));
        }
        const [example] = Object.values(grains);
        if (isRecord(example) && Object.keys(example).length <= fields.length) this.#piece = PIECE_OF_FIELDS;
        this.#onChange();
      }
    } catch (error) {
      this.error = error;
      this.#wanted.clear();
      this.#onChange();
    } finally {
      this.#isReading = false;
    }
  }
}

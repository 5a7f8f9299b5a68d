import { Pool } from "../async/pool.ts";
import type { MasterOpts } from "../config/master_opts.ts";
import { messageOf } from "../errors.ts";
import type { TopsRegistry } from "../loader/tops.ts";
import type { Logger } from "../log.ts";
import { type AnyMap, entriesOf, isMap } from "../python/containers.ts";
import { merge } from "../python/merge_strategy.ts";
import type { Runtime } from "../runtime/mod.ts";

/** Minions whose states are looked up at the same time: each may start a program. */
const AT_ONCE = 5;

/** What `master_tops` has for minions: asked for each of them once at a time. */
export class MasterTopsHost {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #registry: TopsRegistry;
  readonly #settings: [name: string, settings: unknown][];
  readonly #pool = new Pool(AT_ONCE);
  /** A minion that asks again meanwhile gets the same answer, and starts nothing. */
  readonly #open = new Map<string, Promise<AnyMap>>();

  constructor(runtime: Runtime, log: Logger, opts: MasterOpts, registry: TopsRegistry) {
    this.#runtime = runtime;
    this.#log = log;
    this.#registry = registry;
    const given = isMap(opts.master_tops) ? entriesOf(opts.master_tops) : [];
    this.#settings = given.map(([name, settings]): [string, unknown] => [String(name), settings])
      .filter(([name]) => this.#isKnown(name))
      // As Salt's loader has them.
      .sort(([one], [other]) => one < other ? -1 : 1);
  }

  #isKnown(name: string): boolean {
    if (Object.hasOwn(this.#registry, name)) return true;
    const known = Object.keys(this.#registry).join(", ");
    this.#log.error("a module of master_tops is not available here", { module: name, expected: `one of ${known}` });
    return false;
  }

  /** Environment → names of SLS files. What fails is logged, and says nothing. */
  async of(id: string, grains: Record<string, unknown>): Promise<AnyMap> {
    if (this.#settings.length === 0) return {};
    let open = this.#open.get(id);
    if (open === undefined) {
      open = this.#pool.run(() => this.#ask(id, grains)).finally(() => this.#open.delete(id));
      this.#open.set(id, open);
    }
    return await open;
  }

  async #ask(id: string, grains: Record<string, unknown>): Promise<AnyMap> {
    let whole: AnyMap = {};
    for (const [name, settings] of this.#settings) {
      const log = this.#log.child(name);
      try {
        const { tops } = await this.#registry[name]!();
        const found = await tops.run({ runtime: this.#runtime, log, id, grains }, settings);
        whole = merge(whole, found, { strategy: "recurse", mergeLists: true, renderer: "yaml" });
      } catch (error) {
        log.error("master_tops failed, and says nothing of the minion", { minion: id, error: messageOf(error) });
      }
    }
    return whole;
  }
}

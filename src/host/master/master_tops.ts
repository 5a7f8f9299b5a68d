import { within } from "../../base/async/within.ts";
import { Pool } from "../../base/async/pool.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { messageOf } from "../../base/errors.ts";
import { customTop, type CustomTops, runCustomTop, type TopsRegistry } from "../../model/loader/custom_tops.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap } from "../../language/python/values.ts";
import { merge } from "../../language/python/merge_strategy.ts";
import { isRecord } from "../../base/record.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** The most minions that one module looks up at a time: it may start a program for each. */
const AT_ONCE = 5;
/** The most minions that one custom module looks up at a time: if several modules hang, workers are left for the others. */
const CUSTOM_AT_ONCE = 2;
/** How long a custom module is waited for, in milliseconds, including its wait for a worker: minions wait for a minute. */
const WAIT_MS = 50_000;

interface TopsModule {
  readonly name: string;
  readonly settings: unknown;
  readonly pool: Pool;
  readonly customPool: Pool;
}

/** Looks up what `master_tops` has for minions, once at a time for each minion. */
export class MasterTopsHost {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #opts: Record<string, unknown>;
  readonly #registry: TopsRegistry;
  readonly #customTops: CustomTops;
  readonly #modules: TopsModule[];
  /** Minion → its lookup under way: a minion that asks again meanwhile gets the same answer. */
  readonly #open = new Map<string, Promise<AnyMap>>();

  /** @param customTops asks custom modules. @default this process does */
  constructor(runtime: Runtime, log: Logger, opts: MasterOpts, registry: TopsRegistry, customTops?: CustomTops) {
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts as unknown as Record<string, unknown>;
    this.#registry = registry;
    const place = { runtime, log, opts: this.#opts };
    this.#customTops = customTops ?? ((request) => runCustomTop(place, request));
    const given = isMap(opts.master_tops) ? entriesOf(opts.master_tops) : [];
    this.#modules = given.map(([name, settings]): TopsModule => ({
      name: String(name),
      settings,
      pool: new Pool(AT_ONCE),
      customPool: new Pool(CUSTOM_AT_ONCE),
    }))
      // Modules are sorted by name, the order of Salt's loader.
      .sort(({ name: one }, { name: other }) => one < other ? -1 : 1);
    for (const { name } of this.#modules) {
      if (this.#kindOf(name) !== "unknown") continue;
      const known = Object.keys(registry).join(", ");
      const expected = `one of ${known}, or a custom module of _tops`;
      log.error("a module of master_tops is not available here", { module: name, expected });
    }
  }

  /** Returns the kind of a module by the present directories: a custom module that was synced meanwhile counts, and precedes Brine's own. */
  #kindOf(name: string): "custom" | "own" | "unknown" {
    const file = customTop({ runtime: this.#runtime, opts: this.#opts, log: this.#log }, name);
    const isOwn = Object.hasOwn(this.#registry, name);
    if (file !== undefined && (!isOwn || file.form !== "foreign" && file.lent !== true)) return "custom";
    return isOwn ? "own" : "unknown";
  }

  /**
   * Returns environment → names of SLS files. A module that fails is logged, and adds nothing.
   *
   * @param opts the options that the minion sends, with its grains
   */
  async of(id: string, opts: Record<string, unknown>): Promise<AnyMap> {
    if (this.#modules.length === 0) return {};
    let open = this.#open.get(id);
    if (open === undefined) {
      open = this.#ask(id, opts).finally(() => this.#open.delete(id));
      this.#open.set(id, open);
    }
    return await open;
  }

  async #ask(id: string, opts: Record<string, unknown>): Promise<AnyMap> {
    const told = { ...opts, id };
    let whole: AnyMap = {};
    for (const found of await Promise.all(this.#modules.map((module) => this.#askOne(module, told)))) {
      whole = merge(whole, found, { strategy: "recurse", mergeLists: true, renderer: "yaml" });
    }
    return whole;
  }

  async #askOne(module: TopsModule, opts: Record<string, unknown> & { id: string }): Promise<AnyMap> {
    const { name, settings, pool } = module;
    const { id } = opts;
    const log = this.#log.child(name);
    const grains = isRecord(opts.grains) ? opts.grains : {};
    try {
      const kind = this.#kindOf(name);
      if (kind === "unknown") return {};
      if (kind === "custom") return await this.#askCustom(module, opts, grains);
      return await pool.run(async () => {
        const { tops } = await this.#registry[name]!();
        return await tops.run({ runtime: this.#runtime, log, id, grains }, settings);
      });
    } catch (error) {
      log.error("master_tops failed: the minion gets no states from it", {
        module: name,
        minion: id,
        error: messageOf(error),
      });
      return {};
    }
  }

  async #askCustom(
    { name, settings, customPool }: TopsModule,
    opts: Record<string, unknown> & { id: string },
    grains: Record<string, unknown>,
  ): Promise<AnyMap> {
    let isWanted = true;
    const wanted = () => isWanted;
    const answer = customPool.run(async () =>
      isWanted ? await this.#customTops({ name, id: opts.id, opts, grains, settings }, wanted) : {}
    );
    return await within(this.#runtime.clock, WAIT_MS, undefined, answer, () => {
      isWanted = false;
      throw new Error(`it has not answered within ${WAIT_MS / 1000} s`);
    });
  }
}

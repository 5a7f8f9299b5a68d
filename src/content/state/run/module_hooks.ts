import type { StateModule } from "../../../model/loader/states.ts";
import type { LowChunk, StateReturn } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { REQUISITES, REQUISITES_IN } from "../keywords.ts";
import { type CallHost, findState, stateContext } from "./call_state.ts";

/** Runs the hooks of state modules: `mod_init` before the first state of a module, `mod_aggregate` before each chunk. */
export class ModuleHooks {
  readonly #host: CallHost;
  readonly #aggregated = new Set<LowChunk>();

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** Lets the module of a chunk fold later chunks into this chunk, and initialize itself. The chunk is changed. */
  before(low: LowChunk): Promise<void> | undefined {
    const initialised = this.#host.initialised.has(low.state);
    const aggregates = this.#aggregates(low);
    return initialised && !aggregates ? undefined : this.#run(low, initialised, aggregates);
  }

  async #run(low: LowChunk, initialised: boolean, aggregates: boolean): Promise<void> {
    const found = await findState(this.#host, low);
    if ("message" in found) return;
    if (aggregates) await this.#aggregate(low, found.module);
    if (initialised) return;
    const { modInit } = found.module;
    const done = modInit === undefined || await modInit(stateContext(this.#host, low, this.#host.test), low);
    if (done) this.#host.initialised.add(low.state);
  }

  #aggregates(low: LowChunk): boolean {
    if (this.#aggregated.has(low) || truthy(low.__agg__ ?? null)) return false;
    const wanted = low.aggregate ?? this.#host.context.opts.state_aggregate ?? false;
    return wanted === true || (Array.isArray(wanted) && wanted.includes(low.state));
  }

  async #aggregate(low: LowChunk, { modAggregate }: StateModule): Promise<void> {
    this.#aggregated.add(low);
    if (modAggregate === undefined) return;
    low.__agg__ = true;
    const { chunks, running, test } = this.#host;
    const entries = running as ReadonlyMap<string, StateReturn>;
    const folded = await modAggregate(stateContext(this.#host, low, test), low, chunks, entries);
    if (folded !== low) Object.assign(low, folded);
    for (const chunk of chunks) {
      if (chunk.state === low.state && truthy(chunk.__agg__ ?? null) && chunk.name !== low.name) {
        requireAlso(low, chunk);
      }
    }
  }
}

/** Adds the requisites of a folded chunk to the chunk that stands for it. */
function requireAlso(low: LowChunk, folded: LowChunk): void {
  for (const kind of [...REQUISITES, ...REQUISITES_IN]) {
    if (!Array.isArray(folded[kind])) continue;
    low[kind] = [...Array.isArray(low[kind]) ? low[kind] : [], ...folded[kind]];
  }
}

import type { LowChunk } from "../../../model/loader/states.ts";
import { isMap, lookup, sizeOf, str, truthy } from "../../../language/python/values.ts";
import { findState } from "./call_state.ts";
import { identityOf, type StateEntry, tagOf } from "./chunk.ts";
import { ModuleHooks } from "./module_hooks.ts";
import { type Requisite, RequisiteIndex, requisitesOf } from "./find_required.ts";
import { DECIDING, type FoundRequisites, type RequisiteStatus, RequisiteStatuses } from "./requisite_status.ts";
import { type RunHost, runState, tryState } from "./run_state.ts";
import { startTimes } from "./times.ts";

/** What a run of chunks needs in addition to the needs of its states. */
export interface ChunkHost extends RunHost {
  running: Map<string, StateEntry>;
  /** Entries of dry runs for `prereq`, by tag. */
  pre: Map<string, StateEntry>;
  /** Chunks to run dry next, because another chunk has them as `prereq`. As in Salt, a chunk that is never run stays in the set. */
  readonly dry: Set<LowChunk>;
  /** True if a failed state ends the run, unless its chunk says otherwise. */
  failhard: boolean;
  /** Kinds of requisites to ignore. */
  disabledRequisites: ReadonlySet<string>;
  /** Names of the SLS files that were read, also of those without states. */
  files: readonly string[];
  /** True for a chunk that was asked for; other chunks run only if such a chunk requires them. */
  wanted(low: LowChunk): boolean;
  /** Whether the run may continue with this chunk, as soon as that is known; false if the run has to end. */
  mayRun(low: LowChunk): boolean | Promise<boolean>;
  /** Called with each entry once it is complete. */
  report(low: LowChunk, entry: StateEntry): void | Promise<void>;
}

/** How often a chunk is looked at again after its requisites have run, before it is given up: a circle would never end. */
const MAX_LOOKS = 20;

/**
 * Chunks that may be visited for one chunk of the run's own order, so that a circle ends: `each` times the chunks of the run
 * plus `least`.
 */
const MOST_VISITS = { each: 20, least: 1000 };

/** A chunk on the stack. While it waits, its requisites are run in turn; then its requisites are looked at again. */
interface Frame {
  readonly low: LowChunk;
  /** True for a dry run, because another chunk has this one as `prereq`. */
  readonly dry: boolean;
  /** The requisites that must run first; undefined until they have been looked at. */
  requisites: readonly LowChunk[] | undefined;
  next: number;
  /** How often all its requisites have been run. */
  looks: number;
  /** The requisite that was run last. */
  ran: LowChunk | undefined;
  /** The last of its requisites, once they have all been run. */
  last: LowChunk | undefined;
  /** What was known when it was opened: see `#known`. */
  readonly known: number;
}

/** The kinds of requisites of a chunk that is not run dry. */
const EVERY_KIND: readonly string[] = [...DECIDING, "prerequired"];

/** The requisites of a chunk taken together, and the chunks that they name. */
interface Status {
  status: RequisiteStatus;
  found: FoundRequisites;
}

/** The step that follows: look again at the same frame, end the frame, or run another chunk first. */
type Step = "again" | "done" | LowChunk;

/** Runs chunks in their order; the requisites of a chunk run before the chunk. */
export class ChunkRunner {
  readonly #host: ChunkHost;
  readonly #index: RequisiteIndex;
  /** Tags of the chunks that are being run for the current chunk of the run's own order. */
  #active = new Set<string>();
  /** Chunks with a `prereq` that the chunk named by it has to wait for. */
  readonly #prerequired = new Set<LowChunk>();
  /** States that run in parallel: tag → the end of the run. */
  readonly #parallel = new Map<string, Promise<void>>();
  readonly #hooks: ModuleHooks;
  readonly #statuses = new RequisiteStatuses();
  /** Visits of chunks since the last chunk of the run's own order. */
  #visits = 0;
  /** Counts dry runs and marks. If a chunk waits for itself and no count has grown meanwhile, it would wait forever. */
  #marks = 0;
  #stack: Frame[] = [];
  /** Chunk → its frames on the stack: a chunk may be there twice, once for a dry run. */
  readonly #open = new Map<LowChunk, Frame[]>();
  #failed = false;

  constructor(host: ChunkHost) {
    this.#host = host;
    this.#index = new RequisiteIndex(host.chunks, host.files);
    this.#hooks = new ModuleHooks(host);
  }

  async run(): Promise<void> {
    try {
      for (const low of this.#host.chunks) {
        if (this.#failed) return;
        this.#active = new Set();
        this.#visits = 0;
        if (!this.#host.wanted(low) || this.#host.running.has(tagOf(low))) continue;
        const may = this.#host.mayRun(low);
        if (may === false || may !== true && !await may) return;
        await this.#runChunk(low);
        if (this.#failsHard(low)) return;
      }
    } finally {
      await Promise.all(this.#parallel.values());
    }
  }

  /**
   * Runs a chunk after its requisites, and these after theirs. The stack is an array, because chains of requisites may be of
   * any length.
   */
  async #runChunk(low: LowChunk): Promise<void> {
    this.#push(low);
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      this.#host.context.signal.throwIfAborted();
      const step = frame.requisites === undefined ? await this.#look(frame) : await this.#nextRequisite(frame);
      if (step === "done") this.#pop();
      else if (step !== "again") {
        frame.ran = step;
        this.#push(step);
      }
    }
  }

  #push(low: LowChunk): void {
    const frame = {
      low,
      dry: this.#host.dry.has(low),
      requisites: undefined,
      next: 0,
      looks: 0,
      ran: undefined,
      last: undefined,
      known: this.#known,
    };
    this.#stack.push(frame);
    const open = this.#open.get(low);
    if (open === undefined) this.#open.set(low, [frame]);
    else open.push(frame);
  }

  #pop(): void {
    const { low } = this.#stack.pop()!;
    const open = this.#open.get(low)!;
    open.pop();
    if (open.length === 0) this.#open.delete(low);
  }

  /** A sum that grows with every fact that can change the outcome of a second visit of a chunk. */
  get #known(): number {
    const { running, pre } = this.#host;
    return this.#marks + this.#active.size + this.#prerequired.size + running.size + pre.size;
  }

  /** True for a chunk that waits for itself, or if too many chunks were visited. */
  #isStuck(chunk: LowChunk): boolean {
    const { each, least } = MOST_VISITS;
    if (++this.#visits > each * this.#host.chunks.length + least) return true;
    const dry = this.#host.dry.has(chunk);
    return this.#open.get(chunk)?.some((frame) => frame.dry === dry && frame.known === this.#known) ?? false;
  }

  #runDryNext(chunk: LowChunk): void {
    if (!this.#host.dry.has(chunk)) this.#marks++;
    this.#host.dry.add(chunk);
  }

  /** Looks at the requisites of a chunk, and runs it if they allow it. */
  async #look(frame: Frame): Promise<Step> {
    const { low } = frame;
    const hooks = this.#hooks.before(low);
    if (hooks !== undefined) await hooks;
    if (!truthy(low.prerequired ?? null)) this.#active.add(tagOf(low));
    const looking = this.#status(low);
    const { status, found } = looking instanceof Promise ? await looking : looking;
    if (status !== "unmet") {
      await this.#decide(low, status, found);
      // A state that ran beside the others may have failed since it was required.
      return frame.last !== undefined && this.#failsHard(frame.last) ? this.#failHard() : "done";
    }
    const { requisites, lost } = this.#unmet(low);
    if (lost.size > 0) {
      await this.#settle(low, { result: false, comment: lostComment(lost) });
      return "done";
    }
    Object.assign(frame, { requisites, next: 0, ran: undefined });
    return "again";
  }

  async #nextRequisite(frame: Frame): Promise<Step> {
    if (frame.ran !== undefined && this.#failsHard(frame.ran)) return this.#failHard();
    const requisites = frame.requisites!;
    while (frame.next < requisites.length) {
      const chunk = requisites[frame.next++]!;
      const tag = tagOf(chunk);
      if (this.#host.running.has(tag)) continue;
      if (this.#active.has(tag)) return await this.#recursive(frame.low, chunk);
      if (this.#isStuck(chunk)) return await this.#giveUp(frame.low);
      return chunk;
    }
    return await this.#afterRequisites(frame);
  }

  async #afterRequisites(frame: Frame): Promise<Step> {
    const { low } = frame;
    const last = frame.requisites!.at(-1);
    if (this.#host.dry.has(low)) await this.#dryAfterRequisites(low);
    else {
      frame.looks++;
      if (frame.looks < MAX_LOOKS) {
        frame.last = last;
        frame.requisites = undefined;
        return "again";
      }
      await this.#giveUp(low);
    }
    return last !== undefined && this.#failsHard(last) ? this.#failHard() : "done";
  }

  #failHard(): Step {
    this.#failed = true;
    return "done";
  }

  /** Handles a requisite that waits for the chunk that requires it: a failure, unless a `prereq` is the cause. */
  async #recursive(low: LowChunk, chunk: LowChunk): Promise<Step> {
    const { pre } = this.#host;
    if (this.#prerequired.has(chunk)) {
      if (!pre.has(tagOf(low))) {
        this.#runDryNext(low);
        pre.set(tagOf(chunk), await this.#tryState(low));
      }
      return "done";
    }
    return await this.#giveUp(low);
  }

  async #giveUp(low: LowChunk): Promise<"done"> {
    this.#host.running.set(tagOf(low), {
      changes: {},
      result: false,
      comment: "Recursive requisite found",
      __run_num__: this.#host.nextNumber(),
      ...identityOf(low),
    });
    await this.#report(low);
    return "done";
  }

  /** Runs a chunk dry after its requisites, whatever their results. */
  async #dryAfterRequisites(low: LowChunk): Promise<void> {
    const { pre } = this.#host;
    const { status } = await this.#status(low);
    if (status === "pre") {
      // The state that the chunk has as `prereq` would change nothing, so the chunk is not run either.
      const entry = this.#entry(low, { result: true, comment: "No changes detected", __state_ran__: false });
      pre.set(tagOf(low), entry);
      return;
    }
    const entry = await this.#tryState(low);
    pre.set(tagOf(low), entry);
    if (sizeOf(entry.changes) === 0 && status === "change") {
      pre.set(tagOf(low), { ...entry, changes: { watch: "watch" }, result: null });
    }
  }

  /** The status of a chunk's requisites, and the chunks that they name. Waits for required states that run in parallel. */
  #status(low: LowChunk): Status | Promise<Status> {
    const waits = low.watch !== undefined || low.watch_any !== undefined || this.#parallel.size > 0;
    return waits ? this.#statusLater(low) : this.#statusOf(this.#named(low));
  }

  async #statusLater(low: LowChunk): Promise<Status> {
    await this.#watchOrRequire(low);
    const found = this.#named(low);
    if (found !== undefined && this.#parallel.size > 0) await this.#reconcile(found);
    return this.#statusOf(found);
  }

  #statusOf(found: FoundRequisites | undefined): Status {
    return found === undefined
      ? { status: "unmet", found: new Map() }
      : { status: this.#statuses.of(found, this.#host), found };
  }

  /** The chunks that the requisites of a chunk name; undefined if one of them names none. */
  #named(low: LowChunk): FoundRequisites | undefined {
    const found = new Map<string, readonly (readonly LowChunk[])[]>();
    for (const kind of this.#host.dry.has(low) ? DECIDING : EVERY_KIND) {
      if (low[kind] === undefined || this.#host.disabledRequisites.has(kind)) continue;
      const chunks: (readonly LowChunk[])[] = [];
      for (const requisite of requisitesOf(low, kind)) {
        const named = this.#index.find(requisite);
        if (named === undefined) return undefined;
        chunks.push(named);
      }
      found.set(kind, chunks);
    }
    return found;
  }

  async #reconcile(found: FoundRequisites): Promise<void> {
    for (const lists of found.values()) {
      for (const list of lists) for (const chunk of list) await this.#parallel.get(tagOf(chunk));
    }
  }

  /** Turns `watch` into `require` for a module without `mod_watch`. */
  async #watchOrRequire(low: LowChunk): Promise<void> {
    for (const [watch, require] of [["watch", "require"], ["watch_any", "require_any"]] as const) {
      if (low[watch] === undefined) continue;
      if (!("message" in await findState(this.#host, { ...low, fun: "mod_watch" }))) continue;
      const both = [low[require], low[watch]].filter((one) => one !== undefined && one !== null);
      low[require] = both.flat();
      delete low[watch];
    }
  }

  /** The chunks that must run first, and the requisites that name no chunk. */
  #unmet(low: LowChunk): { requisites: LowChunk[]; lost: Map<string, Requisite[]> } {
    const requisites: LowChunk[] = [];
    const lost = new Map<string, Requisite[]>();
    for (const kind of this.#host.dry.has(low) ? DECIDING : EVERY_KIND) {
      for (const requisite of requisitesOf(low, kind)) {
        const found = requisite.value === null ? undefined : this.#index.find(requisite);
        if (found === undefined) lost.set(kind, [...lost.get(kind) ?? [], requisite]);
        else {
          for (const chunk of found) {
            if (kind === "prereq") this.#runDryNext(chunk);
            if (kind === "prerequired") this.#prerequired.add(chunk);
            requisites.push(chunk);
          }
        }
      }
    }
    return { requisites, lost };
  }

  /** Runs, skips or fails a chunk, by the status of its requisites. */
  async #decide(low: LowChunk, status: RequisiteStatus, found: FoundRequisites): Promise<void> {
    const { pre, running } = this.#host;
    const tag = tagOf(low);
    if (status === "fail") this.#failedRequisite(low, found);
    else if (status === "pre") {
      const entry = this.#entry(low, { result: true, comment: "No changes detected" });
      running.set(tag, entry);
      pre.set(tag, entry);
    } else if (status === "onfail") {
      return await this.#settle(low, {
        result: true,
        comment: "State was not run because onfail req did not change",
        __state_ran__: false,
      });
    } else if (status === "onchanges") {
      return await this.#settle(low, {
        result: true,
        comment: "State was not run because none of the onchanges reqs changed",
        __state_ran__: false,
      });
    } else if (this.#host.dry.has(low)) {
      pre.set(tag, await this.#tryState(low));
      return;
    } else if (truthy(low.parallel ?? null)) return this.#startParallel(low, status, found);
    else {
      // The umask belongs to the whole process: a state that runs in parallel would get it, too.
      if (low.umask !== undefined) await Promise.all(this.#parallel.values());
      running.set(tag, await this.#call(low, status, found));
    }
    await this.#report(low);
  }

  /** Calls a chunk, and then its `mod_watch` if a watched state has changed and the chunk itself has not. */
  async #call(
    low: LowChunk,
    status: RequisiteStatus,
    found: FoundRequisites,
    host: RunHost = this.#host,
  ): Promise<StateEntry> {
    const entry = await runState(host, low);
    if (status !== "change" || sizeOf(entry.changes) > 0 || truthy(entry.skip_watch ?? null)) return entry;
    const watching = { ...low, sfun: low.fun, fun: "mod_watch", __reqs__: flatRequisites(found) };
    return await runState(host, watching);
  }

  #startParallel(low: LowChunk, status: RequisiteStatus, found: FoundRequisites): void {
    const { running } = this.#host;
    const tag = tagOf(low);
    const { name, ...identity } = identityOf(low);
    const started = { name, result: null, changes: {}, comment: "Started in a separate process", ...identity };
    const number = this.#host.nextNumber();
    running.set(tag, { ...started, __run_num__: number });
    // The number is given at the start, so that the entry's place does not depend on the duration.
    const host = { ...this.#host, nextNumber: () => number };
    const work = this.#call(low, status, found, host).then(async (entry) => {
      // A state that its conditions keep from running is none that ran beside the others.
      // As in Salt, its return starts with these keys.
      const beside: StateEntry = Object.assign({ name: null, result: null, changes: {}, comment: "" }, entry);
      running.set(tag, truthy(entry.skip_watch ?? null) ? entry : { ...beside, __parallel__: true });
      await this.#report(low);
    });
    // Not awaited here: states that require it, and the end of the run, wait for it.
    this.#parallel.set(tag, work);
  }

  async #tryState(low: LowChunk): Promise<StateEntry> {
    const entry = await tryState(this.#host, low);
    this.#host.dry.delete(low);
    return entry;
  }

  /** Makes the entry of a chunk that a failed requisite keeps from running. */
  #failedRequisite(low: LowChunk, found: FoundRequisites): void {
    const { pre, running } = this.#host;
    const tag = tagOf(low);
    const tried = pre.get(tag);
    if (tried !== undefined) {
      // The chunk was run dry for the `prereq` of the failed one: its expected changes did not happen.
      running.set(tag, { ...tried, changes: {}, __run_num__: this.#host.nextNumber(), ...identityOf(low) });
      return;
    }
    const failed = [...found.values()].flat(2).filter((chunk) => {
      const entry = pre.get(tagOf(chunk)) ?? running.get(tagOf(chunk));
      return entry?.result === false;
    }).map(({ __sls__, __id__ }) => `${str(__sls__ ?? null)}.${str(__id__ ?? null)}`);
    const comment = `One or more requisite failed: ${[...new Set(failed)].join(", ")}`;
    const entry = this.#entry(low, { result: false, comment });
    running.set(tag, entry);
    pre.set(tag, entry);
  }

  /** Makes the entry of a chunk that is not called, and reports it. */
  async #settle(low: LowChunk, outcome: { result: boolean; comment: string; __state_ran__?: false }): Promise<void> {
    const lost = outcome.result === false && this.#host.dry.has(low);
    (lost ? this.#host.pre : this.#host.running).set(tagOf(low), this.#entry(low, outcome));
    await this.#report(low);
  }

  #entry(low: LowChunk, outcome: { result: boolean; comment: string; __state_ran__?: false }): StateEntry {
    const { result, ...rest } = outcome;
    const { start_time, duration } = startTimes(this.#host.context.runtime.clock)();
    return {
      changes: {},
      result,
      duration,
      start_time,
      ...rest,
      __run_num__: this.#host.nextNumber(),
      ...identityOf(low),
    };
  }

  /** Reports the entry of a chunk, and makes entries of the additional states in its `sub_state_run`. */
  async #report(low: LowChunk): Promise<void> {
    const { running, report } = this.#host;
    const entry = running.get(tagOf(low));
    if (entry === undefined) return;
    const { sub_state_run } = entry;
    delete entry.sub_state_run;
    const told = report(low, entry);
    if (told !== undefined) await told;
    if (Array.isArray(sub_state_run)) { for (const one of sub_state_run) this.#subState(low, one); }
  }

  #subState(low: LowChunk, sub: Record<string, unknown>): void {
    if (!isMap(sub.low)) return;
    const field = (key: string) => lookup(sub.low as LowChunk, key);
    const chunk = { state: field("state"), __id__: field("__id__"), name: field("name"), fun: field("fun") };
    const times = startTimes(this.#host.context.runtime.clock)();
    const { name, ...identity } = identityOf(low);
    this.#host.running.set(tagOf(chunk), {
      name,
      changes: sub.changes as StateEntry["changes"],
      result: sub.result as StateEntry["result"],
      duration: sub.duration ?? times.duration,
      start_time: sub.start_time ?? times.start_time,
      comment: String(sub.comment ?? ""),
      __state_ran__: true,
      __run_num__: this.#host.nextNumber(),
      ...identity,
    });
  }

  /** True if this chunk has failed and a failure ends the run. */
  #failsHard(low: LowChunk): boolean {
    const { running, test, failhard } = this.#host;
    const entry = running.get(tagOf(low));
    if (test || entry === undefined || !truthy(low.failhard ?? failhard)) return false;
    return entry.result === false;
  }
}

/** The required chunks of each kind in one list, as `mod_watch` receives them. */
function flatRequisites(found: FoundRequisites): Record<string, readonly LowChunk[]> {
  return Object.fromEntries([...found].map(([kind, lists]) => [kind, lists.length === 1 ? lists[0]! : lists.flat()]));
}

function lostComment(lost: ReadonlyMap<string, readonly Requisite[]>): string {
  const lines = [...lost].flatMap(([kind, requisites]) => [
    `${" ".repeat(19)}${kind}:\n`,
    ...requisites.map(({ module, value }) => `${" ".repeat(23)}${module}: ${str(value)}\n`),
  ]);
  return `The following requisites were not found:\n${lines.join("")}`;
}

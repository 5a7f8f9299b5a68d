import { within } from "../../base/async/within.ts";
import type { Clock } from "../../base/async/clock.ts";
import { type EngineEntry, engineList } from "../../model/config/engine_list.ts";
import type { Logger } from "../../base/log.ts";
import type { KeptPart } from "../supervise/kept_part.ts";
import type { Part, PartStatus } from "../supervise/restarts.ts";
import type { PartChange } from "../supervise/supervised_process.ts";
import { eventStamp } from "../../protocol/wire/event_frame.ts";
import type { EngineCounts } from "./run_engine.ts";
import { type Meter, METRICS } from "../../base/telemetry/mod.ts";

/** The state of an engine. `absent`: not started, for a reason that stays until the configuration or the engine's module changes. */
type EngineState = "running" | "starting" | "waiting" | "stopped" | "absent";

export interface EngineStatus {
  /** The module of the engine, or the path of a program. */
  module: string;
  state: EngineState;
  /** Why the engine is absent; null in the other states. */
  reason: string | null;
  /** The process id; null without a process. */
  pid: number | null;
  /** The resident memory of the process in bytes; null if the system does not report it. */
  memory: number | null;
  /** When the state began, in UTC. */
  since: string;
  /** How often the process exited, or was killed because it hung or used too much memory. */
  restarts: number;
  /** How the process ended the last time, and its last output; null if it never ended. */
  last_error: { at: string; how: string; words: string } | null;
  /** The counts of events since the process was started; null if the engine does not answer. */
  events: EngineCounts | null;
  /** Facts that the engine reports about itself, such as an address, or how much it has sent. */
  details: Record<string, unknown>;
}

interface EnginesOptions {
  clock: Pick<Clock, "after" | "now" | "sleep">;
  log: Logger;
  /** The current configuration. */
  opts(): Record<string, unknown>;
  /** The name of a module that another part of this host runs. */
  elsewhere?: string;
  /** Why an engine cannot be started; undefined if it can. */
  obstacle(entry: EngineEntry): Promise<string | undefined>;
  /** Starts the process of an engine, and keeps it running. */
  start(entry: EngineEntry, onChange: (change: PartChange) => void): KeptPart;
}

/** Fires an event on the bus of the host. */
type FireStatus = (tag: string, data: Record<string, unknown>) => void;

/** How long an engine may take to report its status, in milliseconds. */
const ANSWER_MS = 2000;

interface Kept {
  entry: EngineEntry;
  part: KeptPart | undefined;
  reason: string | null;
  state: EngineState;
  since: string;
  lastError: EngineStatus["last_error"];
}

const sameEntry = (a: EngineEntry, b: EngineEntry) => JSON.stringify(a) === JSON.stringify(b);

/** The engines of a host, each in a separate process. They start and stop with the host. */
export class Engines implements Part {
  readonly name = "engines";
  readonly #options: EnginesOptions;
  readonly #kept = new Map<string, Kept>();
  #fire: FireStatus | undefined;
  #work: Promise<void> = Promise.resolve();
  #closed = false;
  /** How often engines exited or were killed, including engines that are no longer configured. */
  failures = 0;

  constructor(options: EnginesOptions) {
    this.#options = options;
  }

  /** Starts the configured engines. @param fire reports changes of their state, as `salt/engines/status/<name>` */
  open(fire: FireStatus): Promise<void> {
    this.#fire = fire;
    return this.#settle();
  }

  /** Applies a new configuration: engines that are new or have changed are started, and removed engines are stopped. */
  renew(): void {
    if (this.#fire !== undefined) void this.#settle();
  }

  #settle(): Promise<void> {
    return this.#work = this.#work.then(() => this.#compare());
  }

  async #compare(): Promise<void> {
    const { log, opts, elsewhere } = this.#options;
    const { entries, mistakes } = engineList(opts());
    for (const mistake of mistakes) log.error(mistake);
    const wanted = new Map(entries.filter(({ module }) => module !== elsewhere).map((entry) => [entry.name, entry]));
    for (const [name, kept] of [...this.#kept]) {
      const entry = wanted.get(name);
      const stays = entry !== undefined && kept.part !== undefined && sameEntry(entry, kept.entry);
      if (stays) kept.part!.renew();
      else await this.#stop(name, kept);
    }
    for (const entry of wanted.values()) {
      if (!this.#closed && !this.#kept.has(entry.name)) await this.#begin(entry);
    }
  }

  async #begin(entry: EngineEntry): Promise<void> {
    const { log } = this.#options;
    const reason = await this.#options.obstacle(entry) ?? null;
    const kept: Kept = { entry, part: undefined, reason, state: "starting", since: this.#now(), lastError: null };
    this.#kept.set(entry.name, kept);
    if (reason !== null) {
      log.error("engine not started", { engine: entry.name, reason });
      return this.#tell(kept, "absent");
    }
    if (this.#closed) return;
    kept.part = this.#options.start(entry, (change) => this.#changed(kept, change));
  }

  async #stop(name: string, kept: Kept): Promise<void> {
    this.#kept.delete(name);
    await kept.part?.close();
    if (kept.part !== undefined) this.#tell(kept, "stopped");
  }

  #changed(kept: Kept, change: PartChange): void {
    if (change.kind === "failed") {
      this.failures++;
      kept.lastError = { at: this.#now(), ...change.end };
    }
    this.#tell(kept, change.kind === "started" ? "running" : "waiting");
  }

  #tell(kept: Kept, state: EngineState): void {
    kept.state = state;
    kept.since = this.#now();
    const { entry: { name, module }, part, reason, lastError } = kept;
    this.#fire?.(`salt/engines/status/${name}`, {
      name,
      module,
      state,
      restarts: part?.status().restarts ?? 0,
      pid: part?.status().processes[0]?.pid ?? null,
      ...(reason === null ? {} : { reason }),
      ...(state === "waiting" ? { last_error: lastError } : {}),
    });
  }

  #now(): string {
    return eventStamp(this.#options.clock.now());
  }

  states(): Record<EngineState, number> {
    const counts = { running: 0, starting: 0, waiting: 0, stopped: 0, absent: 0 };
    for (const { state } of this.#kept.values()) counts[state]++;
    return counts;
  }

  async report(): Promise<Record<string, EngineStatus>> {
    return Object.fromEntries(
      await Promise.all([...this.#kept.values()].map(async (kept): Promise<[string, EngineStatus]> => {
        const { entry, part, state, reason, since, lastError } = kept;
        const { restarts = 0, processes: [process] = [] } = part?.status() ?? {};
        const said = process === undefined ? undefined : await this.#ask(part!);
        return [entry.name, {
          module: entry.module,
          state,
          reason,
          pid: process?.pid ?? null,
          memory: (process?.memory as number | null | undefined) ?? null,
          since,
          restarts,
          last_error: lastError,
          events: said?.events ?? null,
          details: said?.details ?? {},
        }];
      })),
    );
  }

  /** Asks an engine for its counts and details; undefined if it does not answer in time. */
  async #ask(part: KeptPart): Promise<Pick<EngineStatus, "events" | "details"> | undefined> {
    const asked = part.request("status", new Uint8Array(0));
    const reply = await within(this.#options.clock, ANSWER_MS, undefined, asked);
    return reply !== undefined && "value" in reply
      ? reply.value as Pick<EngineStatus, "events" | "details">
      : undefined;
  }

  status(): PartStatus {
    const parts = [...this.#kept.values()].flatMap(({ part }) => part?.status() ?? []);
    return {
      name: this.name,
      state: this.#closed || parts.length === 0 ? "stopped" : "running",
      restarts: parts.reduce((sum, { restarts }) => sum + restarts, 0),
      processes: parts.flatMap(({ name, processes }) => processes.map((process) => ({ ...process, name }))),
      last_words: parts.findLast(({ last_words }) => last_words !== null)?.last_words ?? null,
      engines: Object.fromEntries([...this.#kept.values()].map(({ entry, state }) => [entry.name, state])),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
    const running = [...this.#kept.values()].filter(({ part }) => part !== undefined);
    await Promise.all(running.map(({ part }) => part!.close()));
    for (const kept of running) if (kept.state !== "stopped") this.#tell(kept, "stopped");
  }
}

/** Adds the metrics of engines to a meter. */
export function observeEngines(meter: Meter, engines: Pick<Engines, "states" | "failures">): void {
  if (!meter.enabled) return;
  meter.read(
    METRICS.engines,
    () => Object.entries(engines.states()).map(([state, value]) => ({ value, values: [state] })),
  );
  meter.read(METRICS.engineRestarts, () => engines.failures);
}

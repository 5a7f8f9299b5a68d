/** The process of one engine, beside a master or a minion. */
import { within } from "../../base/async/within.ts";
import { EngineRun } from "./run_engine.ts";
import type { BusPaths } from "./bus_link.ts";
import type { PartHandlers } from "../supervise/serve_part.ts";
import type { EngineEntry } from "../../model/config/engine_list.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import { findCustomEngine, findLentEngine, runCustomEngine } from "../../model/loader/custom_engines.ts";
import type { EngineContext, EngineMaster, EngineRegistry } from "../../model/loader/engines.ts";
import { bindArguments, parseSignature } from "../../model/loader/signature.ts";
import { createLogger, LOG_LEVELS, type Logger } from "../../base/log.ts";
import { LogRate } from "../../base/log_rate.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { once } from "../../base/async/deferred.ts";

/** The configuration that the process gets from its supervisor. */
export interface EngineConfig {
  entry: EngineEntry;
  role: "master" | "minion";
  id: string;
  opts: Record<string, unknown>;
  bus: BusPaths;
  /** True on a minion with a master: events go to its masters. */
  hasMaster: boolean;
}

/** The functions of the program that the engine's process runs in. */
export interface EngineProgram {
  known: EngineRegistry;
  /** Loads the functions that the engine may call on its host; called at their first use. @param fire how these fire events */
  host(fire: EngineContext["fire"]): Promise<{ call: EngineContext["call"]; master: EngineMaster }>;
  /** Prints a reason, which the supervisor reads, and ends the process. */
  end(words: string): never;
}

/** The time in milliseconds that an engine has to free its resources at its end: less than its supervisor gives its process. */
const GRACE_MS = 1500;

/** Prepares the process of an engine, and starts the engine. @param programOf returns the program's functions, for the engine's log */
export async function openEngineProcess(
  runtime: Runtime,
  config: EngineConfig,
  log: Logger,
  programOf: (log: Logger) => EngineProgram,
): Promise<PartHandlers> {
  const { entry, role, id, opts, bus, hasMaster } = config;
  const own = boundedLog(runtime, log.child(`engine.${entry.name}`));
  const place = { runtime, log: own, opts };
  const program = programOf(own);
  const end = (error: unknown) => program.end(lastWords(error));
  // Most engines call no functions of the host; without these, an engine takes a third of the memory.
  const loaded = once(() => program.host((...event) => run.context.fire(...event)));
  const run = new EngineRun({
    runtime,
    log: own,
    name: entry.name,
    role,
    id,
    opts,
    bus,
    hasMaster,
    ...(role === "master" ? { master: lateMaster(async () => (await loaded()).master) } : {}),
    call: async (...call) => await (await loaded()).call(...call),
    failed: end,
  });
  const isKnown = Object.hasOwn(program.known, entry.module);
  const found = findCustomEngine(place, entry.module) ?? (isKnown ? undefined : findLentEngine(place, entry.module));
  if (typeof found === "string") throw new TypeError(found);
  const work = found === undefined
    ? startKnown(program.known, run.context, entry)
    : runCustomEngine(place, found, entry.fun, run.context, entry.settings);
  work.then(
    () => run.context.signal.aborted || end(new SaltError("ENGINE_ENDED", "It has exited")),
    (error: Error) => run.context.signal.aborted || end(error),
  );
  return {
    status: () => ({ events: run.counts, details: run.details }),
    // Other options of the host do not matter to an engine.
    renew: () => null,
    async close() {
      const ended = work.catch(() => {});
      await run.close();
      await within(runtime.clock, GRACE_MS, undefined, ended);
    },
  };
}

function lateMaster(load: () => Promise<EngineMaster>): EngineMaster {
  return {
    command: async (...call) => await (await load()).command(...call),
    jobPublisher: {
      expand: async (...call) => await (await load()).jobPublisher.expand(...call),
      publish: async (...call) => await (await load()).jobPublisher.publish(...call),
      answers: async (...call) => await (await load()).jobPublisher.answers(...call),
    },
    runner: async (...call) => await (await load()).runner(...call),
    runnerReturn: async (...call) => await (await load()).runnerReturn(...call),
    wheel: async (...call) => await (await load()).wheel(...call),
    accepted: async () => await (await load()).accepted(),
    connected: async () => await (await load()).connected(),
  };
}

async function startKnown(
  known: EngineRegistry,
  context: EngineContext,
  { module, settings }: EngineEntry,
): Promise<void> {
  const { engine } = await known[module]!();
  const args = bindArguments("start", parseSignature(engine.signature), [], new Map(Object.entries(settings)));
  await engine.start(context, args);
}

/** The last text that an engine's process prints; for a fault in the engine's code with its stack. */
function lastWords(error: unknown): string {
  const isKnown = error instanceof SaltError || (error as { name?: unknown } | null)?.name === "TypeError";
  const stack = isKnown ? undefined : (error as { stack?: unknown } | null)?.stack;
  return String(stack ?? messageOf(error));
}

/** A log that an engine cannot flood: frequent messages are counted, and long values are cut. */
function boundedLog(runtime: Runtime, log: Logger): Logger {
  const rate = new LogRate(({ level, message, fields, name }) => {
    const cut = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value.slice(0, 4096) : value]),
    );
    const to = name === "" ? log : log.child(name);
    if (level in to) to[level as "info"](message.slice(0, 4096), cut);
  }, runtime.clock);
  return createLogger(rate.sink, { level: LOG_LEVELS.find((one) => log.enabled(one)) ?? "quiet" });
}

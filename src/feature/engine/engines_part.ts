/** The engines as a part of a master or a minion: the known engines, and the processes that run them. */
import { Engines } from "./engines.ts";
import type { BusPaths } from "./bus_link.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import type { EngineEntry } from "../../model/config/engine_list.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { EngineRegistry } from "../../model/loader/engines.ts";
import type { EngineConfig } from "./engine_process.ts";

interface EnginesHost {
  runtime: Runtime;
  log: Logger;
  role: "master" | "minion";
  id: string;
  /** The current configuration. */
  opts(): Record<string, unknown>;
  bus: BusPaths;
  hasMaster: boolean;
  supervisor: Supervisor;
  /** The command that starts a process; undefined if no process can be started. */
  argv: readonly string[] | undefined;
  /** Loads the known engines. A master without engines never calls this. */
  known(): Promise<EngineRegistry>;
}

/** The waits before an engine is started again, in milliseconds: an engine that always fails is started once a minute. */
const BACKOFF = { initialMs: 500, maxMs: 60_000 };

/** Puts the engines of a host together. */
export function enginesOf(host: EnginesHost): Engines {
  const { runtime, log, role, id, opts, bus, hasMaster, supervisor, argv } = host;
  return new Engines({
    clock: runtime.clock,
    log: log.child("engine"),
    opts,
    ...(role === "master" ? { elsewhere: "reactor" } : {}),
    obstacle: (entry) => obstacleTo(host, entry),
    start: (entry, onChange) => {
      const hostOpts = opts();
      const { engine_max_memory, worker_hang_timeout = 30 } = hostOpts;
      const config = (): EngineConfig => ({ entry, role, id, opts: opts(), bus, hasMaster });
      return supervisor.kept({
        name: `engine ${entry.name}`,
        program: "engine",
        argv: argv!,
        config,
        backoff: BACKOFF,
        onChange,
        health: {
          hungMs: Number(worker_hang_timeout) * 1000,
          maxMemory: Number(engine_max_memory),
        },
      });
    },
  });
}

/** Why an engine cannot be started; undefined if it can. The code of a custom engine is not run for this. */
export async function obstacleTo(
  { runtime, log, role, opts, argv, known }: Pick<EnginesHost, "runtime" | "log" | "role" | "opts" | "argv" | "known">,
  entry: EngineEntry,
): Promise<string | undefined> {
  if (argv === undefined) return "this program cannot start more processes";
  const { module, settings } = entry;
  const [engines, { findCustomEngine, findLentEngine }, { absentEngine }, { bindArguments, parseSignature }] =
    await Promise.all([
      known(),
      import("../../model/loader/custom_engines.ts"),
      import("../../model/loader/absent_engines.ts"),
      import("../../model/loader/signature.ts"),
    ]);
  const found = findCustomEngine({ runtime, log, opts: opts() }, module);
  if (typeof found === "string") return found;
  if (found !== undefined) return undefined;
  if (!Object.hasOwn(engines, module)) {
    if (findLentEngine({ runtime, log, opts: opts() }, module) !== undefined) return undefined;
    return absentEngine(module, Object.keys(engines));
  }
  try {
    const { engine } = await engines[module]!();
    bindArguments("start", parseSignature(engine.signature), [], new Map(Object.entries(settings)));
    return engine.unavailable?.({ role, opts: opts() });
  } catch (error) {
    return `its options cannot be used: ${messageOf(error)}`;
  }
}

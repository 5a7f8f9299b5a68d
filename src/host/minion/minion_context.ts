import type { Clock } from "../../base/async/clock.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import type { EventBus } from "../../model/event/bus.ts";
import { openFiles } from "../../content/fileserver/client.ts";
import type { Context, Files, MasterLink } from "../../model/loader/family.ts";
import { hostContext, hostFunctions } from "../../model/loader/host_context.ts";
import type { OpenHostMaster } from "../../model/loader/host_master.ts";
import type { FunctionTable, ModuleRegistry } from "../../model/loader/loader.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { MinionGrains } from "./grains.ts";
import type { RunningJobs } from "./jobs/running_jobs.ts";
import type { Masters } from "./masters.ts";
import type { PillarRefresh } from "./pillar_refresh.ts";

interface MinionContextOptions {
  runtime: Runtime;
  log: Logger;
  opts: MinionOpts;
  modules: ModuleRegistry;
  grains: MinionGrains;
  pillar: PillarRefresh;
  runningJobs: RunningJobs;
  bus: EventBus;
  masters: Masters;
  hostMaster: OpenHostMaster | undefined;
}

export interface MinionContext {
  /** The execution functions, for the jobs of all masters. */
  functions: FunctionTable;
  /** The {@link Context} for jobs of the master with that address; without one, for what no master has sent. */
  of(address?: string): Context;
}

/** Makes the contexts of a minion: the jobs of each master get files, pillar and answers from that master. */
export function minionContext(options: MinionContextOptions): MinionContext {
  const { runtime, log, opts, modules, grains, pillar, runningJobs, bus, masters, hostMaster } = options;
  const filesOf = oncePerMaster((address): Files =>
    openFiles({ runtime, log: log.child("files"), opts, request: masters.requester(address) })
  );
  const functions = hostFunctions(modules, opts, () => of());
  const of = oncePerMaster((address): Context =>
    hostContext(functions, {
      runtime,
      log: log.child("module"),
      opts: masters.optionsOf(address, opts),
      get grains() {
        return grains.current;
      },
      get pillar() {
        return pillar.current;
      },
      jobs: runningJobs,
      master: masterLink(masters, address, bus, runtime.clock),
      get files() {
        return filesOf(address);
      },
      compilePillar: (call) => pillar.compile(call, masters.all.length === 0 ? undefined : masters.of(address)),
      hostMaster: hostMaster?.(opts),
    })
  );
  return { functions, of };
}

/** Makes one value for each master, by its address, and one for no master. */
function oncePerMaster<T>(make: (address?: string) => T): (address?: string) => T {
  const made = new Map<string | undefined, T>();
  return (address) => {
    if (!made.has(address)) made.set(address, make(address));
    return made.get(address)!;
  };
}

/** Events go to every master; requests go to the one with that address. */
function masterLink(masters: Masters, address: string | undefined, bus: EventBus, clock: Clock): MasterLink {
  return {
    fireEvent: (tag, data) => masters.sendToAll({ cmd: "_minion_event", tag, data, pretag: null }),
    fireLocal: (tag, data) => bus.fire(tag, data),
    askLocal: (tag, data, answer, timeoutMs) =>
      new Promise((resolve) => {
        const done = (found?: Record<string, unknown>) => {
          off();
          cancel();
          resolve(found);
        };
        const off = bus.on((event) => void (event.tag === answer && done(event.data)));
        const cancel = clock.after(timeoutMs, () => done());
        bus.fire(tag, data);
      }),
    request: masters.requester(address),
  };
}

/** The process of a supervised part: a program that `salt-master` or `salt-minion` starts. */
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { EngineConfig } from "../../src/feature/engine/engine_process.ts";
import type { EventReturnConfig } from "../../src/feature/event_return/event_return_process.ts";
import type { ReactorConfig } from "../../src/host/runner/reactor_process.ts";
import { childMain } from "./child.ts";
import { type PartHandlers, servePart } from "../../src/feature/supervise/serve_part.ts";

declare const process: {
  getBuiltinModule(name: "node:os"): typeof import("node:os");
  getBuiltinModule(name: "node:fs"): typeof import("node:fs");
};

/** Niceness of this process: the master's own event loop, which answers requests, has precedence. */
const NICE = 10;

interface PartProgram {
  /** @param config configuration from the supervisor */
  open(runtime: Runtime, config: Record<string, unknown>, log: Logger): Promise<PartHandlers>;
  /** Niceness of the process. @default {@link NICE} */
  nice?(config: Record<string, unknown>): number;
}

/** The parts by name; each loads only what it needs. */
export const PARTS: Record<string, PartProgram> = {
  requests: {
    open: async (runtime, opts, log) => (await import("../request_worker.ts")).openRequestWorker(runtime, opts, log),
  },
  tops: {
    open: async (runtime, opts, log) =>
      (await import("../../src/host/master/workers/tops_workers.ts")).topsHandlers({
        runtime,
        opts,
        log: log.child("tops"),
      }),
  },
  engine: {
    async open(runtime, config, log) {
      const [{ openEngineProcess }, { engineProgram }] = await Promise.all([
        import("../../src/feature/engine/engine_process.ts"),
        import("../known_engines.ts"),
      ]);
      const engine = config as unknown as EngineConfig;
      const { opts, role, id } = engine;
      return await openEngineProcess(
        runtime,
        engine,
        log,
        (own) => engineProgram({ runtime, log: own, opts, role, id }),
      );
    },
    nice(config) {
      const { entry, opts } = config as unknown as EngineConfig;
      return entry.module === "reactor" ? Number(opts.reactor_niceness ?? 0) : 0;
    },
  },
  event_return: {
    async open(runtime, config, log) {
      const [{ openMasterEventReturn }, { RETURNERS }] = await Promise.all([
        import("../../src/feature/event_return/event_return_process.ts"),
        import("../../src/plugins/returners/mod.ts"),
      ]);
      return await openMasterEventReturn(runtime, config as unknown as EventReturnConfig, log, RETURNERS);
    },
    nice({ opts }) {
      const { event_return_niceness } = opts as EventReturnConfig["opts"];
      return Number(event_return_niceness ?? 0);
    },
  },
  reactor: {
    async open(runtime, config, log) {
      const [{ openMasterReactor }, { RUNNER_PLUGINS }] = await Promise.all([
        import("../../src/host/runner/reactor_process.ts"),
        import("../runner_plugins.ts"),
      ]);
      return await openMasterReactor(runtime, config as unknown as ReactorConfig, log, RUNNER_PLUGINS);
    },
    nice({ opts }) {
      const { reactor_niceness } = opts as ReactorConfig["opts"];
      return Number(reactor_niceness ?? 0);
    },
  },
};

function standBack(nice: number): void {
  if (nice === 0) return;
  const steps = [
    () => process.getBuiltinModule("node:os").setPriority(nice),
    // If Linux shares processors among sessions, niceness counts only within a session, and this process has its own session.
    () => process.getBuiltinModule("node:fs").writeFileSync("/proc/self/autogroup", String(nice)),
  ];
  for (const step of steps) {
    try {
      step();
    } catch {
      // The step is not allowed or not supported: the process works without it.
    }
  }
}

/** Serves the master as the part that it names, until the master stops it. */
export async function partMain(): Promise<void> {
  await childMain((runtime, ticket) =>
    servePart({
      runtime,
      ticket,
      open(part, config, log) {
        if (!Object.hasOwn(PARTS, part)) {
          throw new RangeError(`Unknown part "${part}": expected one of ${Object.keys(PARTS).join(", ")}`);
        }
        const { open, nice = () => NICE } = PARTS[part]!;
        standBack(nice(config as Record<string, unknown>));
        return open(runtime, config as Record<string, unknown>, log);
      },
    })
  );
}

import type { EngineProgram } from "../src/feature/engine/engine_process.ts";
import type { EngineHost } from "../src/host/runner/engine_host.ts";
import type { EngineModule, EngineRegistry } from "../src/model/loader/engines.ts";
import { ENGINES } from "../src/plugins/engines/mod.ts";

declare const process: { stderr: { write(text: string): boolean }; exit(code: number): never };

const OF_MINIONS: EngineRegistry = { ...ENGINES, reactor: async () => ({ engine: await reactor() }) };

/**
 * The engines that a host may run: name → function that loads the engine. A master's reactor is not an engine, but a separate
 * part.
 */
export function knownEngines(role: "master" | "minion"): EngineRegistry {
  return role === "minion" ? OF_MINIONS : ENGINES;
}

/** The functions that this program gives to the process of an engine. */
export function engineProgram(host: Omit<EngineHost, "plugins">): EngineProgram {
  return {
    known: knownEngines(host.role),
    async host(fire) {
      const [{ callerOf, masterOf }, { RUNNER_PLUGINS: plugins }] = await Promise.all([
        import("../src/host/runner/engine_host.ts"),
        import("./runner_plugins.ts"),
      ]);
      return { call: callerOf({ ...host, plugins, fire }), master: masterOf({ ...host, plugins }) };
    },
    end(words) {
      process.stderr.write(`${words}\n`);
      process.exit(1);
    },
  };
}

async function reactor(): Promise<EngineModule> {
  const [{ minionReactor }, { RUNNER_PLUGINS: plugins }, { openCallHost }, { gatherGrains }] = await Promise.all([
    import("../src/host/runner/minion_reactor.ts"),
    import("./runner_plugins.ts"),
    import("./programs/call/call_host.ts"),
    import("../src/plugins/grains/mod.ts"),
  ]);
  return minionReactor({
    plugins,
    async openFunctions({ runtime, log, opts }) {
      const grains = await gatherGrains({ runtime, log, opts });
      const { functions, base, master, bus } = await openCallHost({ runtime, log, options: {} }, opts, grains);
      return { functions, base, close: async () => void await Promise.all([master?.connection.close(), bus.close()]) };
    },
  });
}

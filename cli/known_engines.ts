import type { EngineRegistry } from "../src/model/loader/engines.ts";
import { ENGINES } from "../src/plugins/engines/mod.ts";

const OF_MINIONS: EngineRegistry = { ...ENGINES, reactor: () => import("./minion_reactor.ts") };

/** The engines that a host may run: name → how to load it. The reactor of a master is a part of its own. */
export function knownEngines(role: "master" | "minion"): EngineRegistry {
  return role === "minion" ? OF_MINIONS : ENGINES;
}

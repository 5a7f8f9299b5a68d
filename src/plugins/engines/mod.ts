import type { EngineRegistry } from "../../loader/engines.ts";

/** The engines: name → how to load it. */
export const ENGINES: EngineRegistry = {
  script: () => import("./script.ts"),
  test: () => import("./test.ts"),
};

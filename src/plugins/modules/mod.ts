/** The execution modules: name → how to load it. Nothing is loaded before one of its functions is asked for. */
import type { ModuleRegistry } from "../../loader/loader.ts";

export const MODULES: ModuleRegistry = {
  cmd: () => import("./cmd.ts"),
  config: () => import("./config.ts"),
  event: () => import("./event.ts"),
  grains: () => import("./grains.ts"),
  mine: () => import("./mine.ts"),
  publish: () => import("./publish.ts"),
  saltutil: () => import("./saltutil.ts"),
  sys: () => import("./sys.ts"),
  test: () => import("./test.ts"),
};

/** The wheel modules, which manage the master itself: name → how to load it. */
import type { WheelRegistry } from "../../model/loader/wheel.ts";

export const WHEELS: WheelRegistry = {
  config: () => import("./config.ts"),
  error: () => import("./error.ts"),
  file_roots: () => import("./file_roots.ts"),
  key: () => import("./key.ts"),
  minions: () => import("./minions.ts"),
  pillar_roots: () => import("./pillar_roots.ts"),
};

/** The execution modules: name → how to load it. Nothing is loaded before one of its functions is asked for. */
import type { ModuleRegistry } from "../../loader/loader.ts";

export const MODULES: ModuleRegistry = {
  archive: () => import("./archive.ts"),
  cmd: () => import("./cmd.ts"),
  config: () => import("./config.ts"),
  cp: () => import("./cp.ts"),
  data: () => import("./data.ts"),
  defaults: () => import("./defaults.ts"),
  disk: () => import("./disk.ts"),
  environ: () => import("./environ.ts"),
  event: () => import("./event.ts"),
  file: () => import("./file.ts"),
  grains: () => import("./grains.ts"),
  hashutil: () => import("./hashutil.ts"),
  match: () => import("./match.ts"),
  mine: () => import("./mine.ts"),
  mount: () => import("./mount.ts"),
  publish: () => import("./publish.ts"),
  random: () => import("./mod_random.ts"),
  pillar: () => import("./pillar.ts"),
  saltutil: () => import("./saltutil.ts"),
  sys: () => import("./sys.ts"),
  sysctl: () => import("./sysctl.ts"),
  test: () => import("./test.ts"),
};

/** Loads modules that a call will need, while programs of the host are asked for its grains. */
import { MODULES } from "../../../src/plugins/modules/mod.ts";

type Load = () => Promise<unknown>;

/** The default renderers of pillar and SLS files. */
const RENDERERS: readonly Load[] = [
  () => import("../../../src/language/render/jinja.ts"),
  () => import("../../../src/language/render/yaml.ts"),
];

/** Functions that run states: nearly every tree has files, so their modules are needed. */
const RUNS = new Set(["state.apply", "state.highstate", "state.sls"]);

/**
 * Loads the modules of a function that take long to load. It never fails: an error is reported where the module is used.
 *
 * @param isLocal true if pillar comes from files of this host
 */
export async function preload(fun: string, isLocal: boolean): Promise<void> {
  const [module = ""] = fun.split(".");
  const wanted: Load[] = isLocal || module === "state" ? [...RENDERERS] : [];
  if (isLocal) wanted.push(() => import("../../pillar.ts"));
  if (Object.hasOwn(MODULES, module)) wanted.push(MODULES[module]!);
  if (RUNS.has(fun)) wanted.push(() => import("../../../src/plugins/states/file.ts"));
  await Promise.allSettled(wanted.map((load) => load()));
}

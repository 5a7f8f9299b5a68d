/** Modules that a call will need, loaded while programs of the host answer for its grains. */
import { MODULES } from "../../../src/plugins/modules/mod.ts";

type Load = () => Promise<unknown>;

/** What pillar and SLS files are read with, unless they say otherwise. */
const RENDERERS: readonly Load[] = [
  () => import("../../../src/language/render/jinja.ts"),
  () => import("../../../src/language/render/yaml.ts"),
];

/** Runs of states; there is hardly a tree without files in it. */
const RUNS = new Set(["state.apply", "state.highstate", "state.sls"]);

/**
 * Loads what a function will need, of what takes long to load. It never fails: what cannot be loaded is reported where it is used.
 *
 * @param isLocal whether pillar comes from files of this host
 */
export async function preload(fun: string, isLocal: boolean): Promise<void> {
  const [module = ""] = fun.split(".");
  const wanted: Load[] = isLocal || module === "state" ? [...RENDERERS] : [];
  if (isLocal) wanted.push(() => import("../../pillar.ts"));
  if (Object.hasOwn(MODULES, module)) wanted.push(MODULES[module]!);
  if (RUNS.has(fun)) wanted.push(() => import("../../../src/plugins/states/file.ts"));
  await Promise.allSettled(wanted.map((load) => load()));
}

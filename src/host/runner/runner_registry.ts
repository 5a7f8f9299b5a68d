/** Runners by name, and the documentation of runner and wheel functions. */
import { type RunnerRegistry, withCustomRunners } from "../../model/loader/custom_runners.ts";
import { moduleNamed } from "../../model/loader/loaded_file.ts";
import type { RunnerFunction } from "../../model/loader/family.ts";
import type { WheelRegistry } from "../../model/loader/wheel.ts";
import type { RunnerHostOptions } from "./runner_host_options.ts";

/** The function of that name, or undefined. */
export async function findRunner(runners: RunnerRegistry, name: string): Promise<RunnerFunction | undefined> {
  const [, module, fun] = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)$/.exec(name) ?? [];
  if (module === undefined || fun === undefined) return undefined;
  const { functions = {} } = await moduleNamed(runners, "runner", module) ?? {};
  return Object.hasOwn(functions, fun) ? functions[fun] : undefined;
}

/** `name → text` of the functions that begin with a word; all for none. */
export async function runnerDocumentation(runners: RunnerRegistry, prefix: string): Promise<Record<string, string>> {
  const docs: Record<string, string> = {};
  for (const module of Object.keys(runners).sort()) {
    const { functions, name: own = module } = (await runners[module]!()).runner;
    for (const fun of Object.keys(functions).sort()) {
      const name = `${own}.${fun}`;
      if (name === prefix || name.startsWith(prefix === "" ? "" : `${prefix}.`)) docs[name] = functions[fun]!.doc;
    }
  }
  return docs;
}

/** `name → text` of all wheel functions. */
export async function wheelDocumentation(wheels: WheelRegistry): Promise<Record<string, string>> {
  const docs: [string, string][] = [];
  for (const module of Object.keys(wheels).sort()) {
    const { functions } = (await wheels[module]!()).wheel;
    for (const fun of Object.keys(functions).sort()) docs.push([`${module}.${fun}`, functions[fun]!.doc]);
  }
  return Object.fromEntries(docs);
}

/** The runners of Brine and the operator's own. */
export function runnersOf(
  { runtime, log, opts, plugins }: Pick<RunnerHostOptions, "runtime" | "log" | "opts" | "plugins">,
): RunnerRegistry {
  return withCustomRunners(plugins.runners, { runtime, log: log.child("runner"), opts });
}

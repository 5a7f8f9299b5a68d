/** Finds the function that a mistyped name probably means. */
import { nearestName } from "../../src/base/nearest_name.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramContext } from "../program/context.ts";

/** @returns undefined if no name is similar, or if Brine has the function: then the host lacks it */
async function nearestFunction(
  runtime: Runtime,
  family: "modules" | "runners",
  fun: string,
): Promise<string | undefined> {
  // Load this only after a mistake: it may have to load all modules.
  const { functionNames } = await import("./function_names.ts");
  const names = (await functionNames(runtime))[family];
  if (Object.hasOwn(names, fun)) return undefined;
  const [module = "", name = ""] = fun.split(".");
  // There are thousands of names: first try those with the same module, then those with the same function.
  const all = Object.keys(names);
  const sameModule = all.filter((one) => one.startsWith(`${module}.`));
  const near = nearestName(name, sameModule.map((one) => one.slice(module.length + 1)));
  if (near !== undefined) return `${module}.${near}`;
  return nearestName(fun, all.filter((one) => one.endsWith(`.${name}`))) ?? nearestName(fun, all, { letters: 2 });
}

/** Prints the similar name as advice. */
export async function adviseNearest(
  { runtime, advise }: ProgramContext,
  family: "modules" | "runners",
  fun: string,
): Promise<void> {
  if (advise === undefined) return;
  const near = await nearestFunction(runtime, family, fun);
  if (near !== undefined) advise(`Did you mean ${near}?`);
}

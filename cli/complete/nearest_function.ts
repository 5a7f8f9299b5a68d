/** The function that a mistyped one was meant to be. */
import { nearestName } from "../../src/base/nearest_name.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramContext } from "../program/context.ts";

/** @returns undefined if none is near, or if it is one of ours: then it is the host that lacks it */
export async function nearestFunction(
  runtime: Runtime,
  family: "modules" | "runners",
  fun: string,
): Promise<string | undefined> {
  // All modules may have to be loaded for it: not where nobody has mistyped anything.
  const { functionNames } = await import("./function_names.ts");
  const names = (await functionNames(runtime))[family];
  if (Object.hasOwn(names, fun)) return undefined;
  const [module = "", name = ""] = fun.split(".");
  // Of thousands of names, first those that differ in one half alone.
  const all = Object.keys(names);
  const sameModule = all.filter((one) => one.startsWith(`${module}.`));
  const near = nearestName(name, sameModule.map((one) => one.slice(module.length + 1)));
  if (near !== undefined) return `${module}.${near}`;
  return nearestName(fun, all.filter((one) => one.endsWith(`.${name}`))) ?? nearestName(fun, all, { letters: 2 });
}

/** Tells a person of it. */
export async function adviseNearest(
  { runtime, advise }: ProgramContext,
  family: "modules" | "runners",
  fun: string,
): Promise<void> {
  if (advise === undefined) return;
  const near = await nearestFunction(runtime, family, fun);
  if (near !== undefined) advise(`Did you mean ${near}?`);
}

/** The parts of Brine that files may name. Only modules that are looked up are loaded. */
import { nearestName } from "../../src/base/nearest_name.ts";
import { parseSignature, type Signature } from "../../src/model/loader/signature.ts";
import { moduleName, MODULES } from "../../src/plugins/modules/mod.ts";
import { RUNNERS } from "../../src/plugins/runners/mod.ts";
import { STATES } from "../../src/plugins/states/mod.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";

export type FunctionKind = "function" | "state" | "runner" | "wheel function";

type Functions = Record<string, { signature: string | Signature }>;
type Loaders = Record<string, readonly (() => Promise<Functions>)[]>;

const one = <M>(table: Record<string, () => Promise<M>>, of: (loaded: M) => unknown): Loaders =>
  Object.fromEntries(Object.entries(table).map(([name, load]) => [name, [async () => of(await load()) as Functions]]));

/** Execution modules by the names of their files, and by the virtual names that modules of several systems share. */
function executionModules(): Loaders {
  const byFile = one(MODULES, ({ module }) => module.functions);
  const all: Record<string, (() => Promise<Functions>)[]> = {};
  for (const [file, loaders] of Object.entries(byFile)) {
    for (const name of new Set([file, moduleName(file)])) (all[name] ??= []).push(...loaders);
  }
  return all;
}

const TABLES: Record<FunctionKind, Loaders> = {
  function: executionModules(),
  state: one(STATES, ({ states }) => states.functions),
  runner: one(RUNNERS, ({ runner }) => runner.functions),
  "wheel function": one(WHEELS, ({ wheel }) => wheel.functions),
};

async function functionsOf(kind: FunctionKind, module: string): Promise<Functions | undefined> {
  const loaders = Object.hasOwn(TABLES[kind], module) ? TABLES[kind][module]! : [];
  if (loaders.length === 0) return undefined;
  return Object.assign({}, ...await Promise.all(loaders.map((load) => load())));
}

/** True if there is no such function, and its name is the beginning of others: `cmd.r`. */
export async function isBeginning(kind: FunctionKind, name: string): Promise<boolean> {
  const [module = "", fun = ""] = name.split(".");
  const functions = await functionsOf(kind, module);
  return functions !== undefined && !Object.hasOwn(functions, fun) &&
    Object.keys(functions).some((other) => other.startsWith(fun));
}

/** The signature of a function of Brine; for an unknown function, the name that was probably meant, if one is similar. */
export async function lookUp(
  kind: FunctionKind,
  name: string,
): Promise<{ signature: Signature } | { near: string | undefined }> {
  const [module = "", fun = ""] = name.split(".");
  const functions = await functionsOf(kind, module);
  if (functions !== undefined && Object.hasOwn(functions, fun)) {
    return { signature: parseSignature(functions[fun]!.signature) };
  }
  const near = functions === undefined
    ? nearestName(module, Object.keys(TABLES[kind]), { letters: module.length > 4 ? 2 : 1 })
    : nearestName(fun, Object.keys(functions), { letters: fun.length > 4 ? 2 : 1 });
  if (near === undefined) return { near };
  const meant = functions === undefined ? `${near}.${fun}` : `${module}.${near}`;
  return { near: functions !== undefined || "signature" in await lookUp(kind, meant) ? meant : undefined };
}

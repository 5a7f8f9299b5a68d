import { customFilesOf, type CustomPlace, foreignText, known, loadCustomFile } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import type { CustomEngine, EngineContext } from "./engines.ts";
import { runEngineProgram } from "./engine_program.ts";
import { lentFiles } from "./lent_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";

/** The file of an engine: a custom module by name, or a program by path. */
type EngineFile = { kind: "custom"; file: CustomFile } | { kind: "program"; path: string };

/**
 * Looks for a custom engine.
 *
 * @returns its file; a text with the reason if it cannot be run; undefined if no file has that name
 */
export function findCustomEngine(place: CustomPlace, module: string): EngineFile | string | undefined {
  const { fs } = place.runtime;
  if (module.startsWith("/")) {
    const isThere = fs.stat(module)?.kind === "file" && fs.access(module, "execute");
    return isThere ? { kind: "program", path: module } : `"${module}" is not a program that this user may run`;
  }
  const { usable, foreign } = customFilesOf(place, "engines");
  const file = usable.find(({ name }) => name === module);
  if (file !== undefined) return { kind: "custom", file };
  const other = foreign.find(({ name }) => name === module);
  return other === undefined ? undefined : foreignText(other);
}

/** An engine that Salt's package lends; undefined if it has none of that name. */
export function findLentEngine(place: CustomPlace, module: string): EngineFile | undefined {
  const file = lentFiles(place, "engines").find(({ name }) => name === module);
  return file === undefined ? undefined : { kind: "custom", file };
}

/** Runs a custom engine until it ends. @throws what it throws */
export async function runCustomEngine(
  place: CustomPlace,
  found: EngineFile,
  fun: string,
  engine: EngineContext,
  settings: Record<string, unknown>,
): Promise<void> {
  if (found.kind === "program") return await runEngineProgram(engine, found.path, settings);
  const { file } = found;
  if (file.form === "program") {
    return await runEngineProgram(engine, file.path, settings);
  }
  if (file.form === "python") return await runPythonEngine(place, file, fun, engine, settings);
  const { exports, virtual } = await loadCustomFile(place, "engines", file);
  const available = virtual(engine);
  if (typeof available === "object") throw new Error(`It is not available: ${available.unavailable}`);
  const start = exports[fun];
  if (typeof start !== "function") throw new TypeError(`"${file.path}" has no function "${fun}"`);
  await known(async () => await (start as CustomEngine)(engine, settings));
}

/** Runs an engine of Python: a function that stays, and hears and fires events by `salt.utils.event`. */
async function runPythonEngine(
  place: CustomPlace,
  file: CustomFile,
  fun: string,
  engine: EngineContext,
  settings: Record<string, unknown>,
): Promise<void> {
  const { engineCaller } = await import("./python/python_engines.ts");
  const caller = engineCaller(place, engine);
  const { functions, virtual } = await loadCustomFile(place, "engines", file, undefined, { caller: () => caller });
  const available = virtual(engine);
  if (typeof available === "object") throw new Error(`It is not available: ${available.unavailable}`);
  const found = functions.get(fun);
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "${fun}"`);
  const signature = parseSignature(found.signature);
  await found.run(engine, bindArguments(fun, signature, [], new Map(Object.entries(settings))));
}

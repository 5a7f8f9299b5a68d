/** Loads custom modules: an operator's own files, as functions of the families that they belong to. */
import { messageOf } from "../../base/errors.ts";
import { entriesOf, isMap } from "../../language/python/values.ts";
import { type CustomFile, customFiles, type CustomKind } from "./custom_files.ts";
import { knownError } from "./family.ts";
import { exportedDocumentation, exportedSignature } from "./javascript_source.ts";
import type { AnyContext, CustomFunction, CustomPlace, LoadedFile, Virtual } from "./loaded_file.ts";
import type { PythonFamily } from "./python/python_file.ts";
import { callProgram, describeProgram, type ProgramCaller } from "./program_module.ts";

export type { AnyContext, CustomFunction, CustomPlace, LoadedFile };

/** Selects the fields of a context that a program receives. */
type CallerOf = (context: AnyContext) => ProgramCaller;

/** The default: the context of a job has every field that a program receives. */
const asItIs: CallerOf = (context) => context as ProgramCaller;

type AnyFunction = (...args: unknown[]) => unknown;

/** Exports that are not callable functions. */
const RESERVED: ReadonlySet<string> = new Set(["default", "virtual", "virtualname", "aliases"]);

/** Calls custom code, and converts its errors to those that hosts distinguish. */
export async function known<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const name = typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
    throw knownError(name, error);
  }
}

export function virtualOf(value: unknown, virtualname: unknown): Virtual {
  if (value === false || value === null) return { unavailable: "" };
  if (typeof value === "string") return value;
  if (typeof value === "object" && "unavailable" in value) return { unavailable: String(value.unavailable) };
  return typeof virtualname === "string" && virtualname !== "" ? virtualname : true;
}

function exportedFunction(source: string, name: string, fn: AnyFunction): CustomFunction {
  const signature = exportedSignature(source, name, fn);
  const { params, varargs, keywords } = signature;
  return {
    signature,
    doc: exportedDocumentation(source, name),
    run: (context, bound) =>
      known(() =>
        fn(
          context,
          ...params.map((param) => bound[param.name]),
          ...(varargs === undefined ? [] : bound[varargs] as unknown[]),
          ...(keywords === undefined ? [] : [bound[keywords]]),
        )
      ),
  };
}

async function loadCode({ runtime }: CustomPlace, { path, version }: CustomFile): Promise<LoadedFile> {
  const exports = await runtime.importFile(path, version);
  const source = runtime.fs.readText(path);
  const { virtual, virtualname, aliases } = exports;
  const names = isMap(aliases) ? new Map(entriesOf(aliases)) : new Map();
  const functions = new Map<string, CustomFunction>();
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value !== "function" || name.startsWith("_") || RESERVED.has(name)) continue;
    if (/^class\b/.test(String(value))) continue;
    functions.set(String(names.get(name) ?? name), exportedFunction(source, name, value as AnyFunction));
  }
  return {
    exports,
    functions,
    virtual: (context) => virtualOf(typeof virtual === "function" ? virtual(context) : true, virtualname),
  };
}

async function loadProgram(place: CustomPlace, { path }: CustomFile, callerOf: CallerOf): Promise<LoadedFile> {
  const { functions, virtual } = await describeProgram(place, path);
  return {
    exports: {},
    virtual: () => virtual,
    functions: new Map(
      [...functions].filter(([name]) => !name.startsWith("_")).map(([name, { signature, doc }]) => [name, {
        signature,
        doc,
        run: (context, bound) =>
          callProgram(callerOf(context), path, name, signature, bound, (code) => {
            if ("retcode" in context) (context as { retcode: unknown }).retcode = code;
          }),
      }]),
    ),
  };
}

export async function loadCustomFile(
  place: CustomPlace,
  kind: CustomKind,
  file: CustomFile,
  callerOf: CallerOf = asItIs,
  family?: PythonFamily,
): Promise<LoadedFile> {
  if (file.form === "python") {
    return await (await import("./python/python_file.ts")).loadPython(place, kind, file, family);
  }
  return file.form === "code" ? await loadCode(place, file) : await loadProgram(place, file, callerOf);
}

export function foreignText({ path }: CustomFile): string {
  const what = /\.(?:pyx?|so|zip)$/.test(path) ? "a Python module" : "neither JavaScript nor a program";
  return `"${path}" is ${what}, and cannot be loaded: write it in TypeScript or JavaScript, or as a program with #! ` +
    'that answers "describe" and "call"';
}

/** The files of a family: usable ones, and foreign ones, which cannot be loaded and replace no module of Brine. */
export function customFilesOf(place: CustomPlace, kind: CustomKind): { usable: CustomFile[]; foreign: CustomFile[] } {
  const files = [...customFiles(place.runtime, place.opts, kind).values()];
  return {
    usable: files.filter(({ form }) => form !== "foreign"),
    foreign: files.filter(({ form }) => form === "foreign"),
  };
}

/** Loads a custom file of a family that cannot report errors otherwise: an error is logged, and the result is undefined. */
export async function loadOrLog(
  place: CustomPlace,
  kind: CustomKind,
  file: CustomFile,
  callerOf?: CallerOf,
  family?: PythonFamily,
): Promise<LoadedFile | undefined> {
  try {
    const loaded = await loadCustomFile(place, kind, file, callerOf, family);
    const virtual = loaded.virtual(place);
    if (typeof virtual !== "object") return loaded;
    place.log.debug("custom module is not available", { kind, file: file.path, why: virtual.unavailable });
  } catch (error) {
    place.log.error("custom module failed to load", { kind, file: file.path, error: messageOf(error) });
  }
  return undefined;
}

export function logForeign(place: CustomPlace, kind: CustomKind, files: readonly CustomFile[]): void {
  for (const file of files) place.log.debug("custom module cannot be loaded", { kind, why: foreignText(file) });
}

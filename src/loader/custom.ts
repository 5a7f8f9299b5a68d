/** Custom modules: files of an operator's own, as functions of the families that they belong to. */
import { messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import { type AnyMap, entriesOf, isMap } from "../python/containers.ts";
import type { Runtime } from "../runtime/mod.ts";
import type { JobContext, RunnerContext } from "./context.ts";
import { type CustomFile, customFiles, type CustomKind } from "./custom_files.ts";
import type {
  ExecutionFunction,
  ExecutionModule,
  GrainsFunction,
  ReturnerContext,
  ReturnerModule,
  ReturnerRegistry,
  RunnerModule,
} from "./family.ts";
import { knownError } from "./foreign_errors.ts";
import { exportedDocumentation, exportedSignature } from "./javascript_source.ts";
import type { ModuleRegistry } from "./loader.ts";
import { callProgram, describeProgram, type ProgramCaller } from "./program_module.ts";
import { bindArguments, type BoundArguments, parseSignature, type Signature } from "./signature.ts";

export * from "./custom_files.ts";

/** Where custom modules are, and what they are loaded with. */
export interface CustomPlace {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** `extension_modules` and the options that name further directories. */
  readonly opts: Record<string, unknown>;
}

/** What a function of a custom file is called with: a context of its family. */
type AnyContext = object;

/** What a program is told of a context. */
type CallerOf = (context: AnyContext) => ProgramCaller;

/** Whatever a context has: those of jobs have all of it. */
const asItIs: CallerOf = (context) => context as ProgramCaller;

/** One function of a custom file, of whatever family. */
interface CustomFunction {
  signature: string | Signature;
  doc: string;
  run(context: AnyContext, args: BoundArguments): Promise<unknown>;
}

type Virtual = true | string | { unavailable: string };

/** A file that was loaded. */
interface LoadedFile {
  /** Empty for a program. */
  exports: Record<string, unknown>;
  virtual(context: unknown): Virtual;
  functions: Map<string, CustomFunction>;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Exports that are not functions to call. */
const RESERVED: ReadonlySet<string> = new Set(["default", "virtual", "virtualname", "aliases"]);

/** Whatever custom code throws, as an error that hosts know. */
async function known<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const name = typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
    throw knownError(name, error);
  }
}

function virtualOf(value: unknown, virtualname: unknown): Virtual {
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
          ...(varargs === undefined ? [] : bound[varargs]),
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

async function load(place: CustomPlace, file: CustomFile, callerOf: CallerOf = asItIs): Promise<LoadedFile> {
  return file.form === "code" ? await loadCode(place, file) : await loadProgram(place, file, callerOf);
}

function foreignText({ path }: CustomFile): string {
  const what = /\.(?:pyx?|so|zip)$/.test(path) ? "a Python module" : "neither JavaScript nor a program";
  return `"${path}" is ${what}, and cannot be loaded here: write it in TypeScript or JavaScript, or have it begin with ` +
    '#! and answer to "describe" and "call"';
}

/** The files of a family that can be loaded, and all others, for which nothing of ours steps aside. */
function filesOf(place: CustomPlace, kind: CustomKind): { usable: CustomFile[]; foreign: CustomFile[] } {
  const files = [...customFiles(place.runtime.fs, place.opts, kind).values()];
  return {
    usable: files.filter(({ form }) => form !== "foreign"),
    foreign: files.filter(({ form }) => form === "foreign"),
  };
}

/** A function that is not for the minion's own process: nobody knows what it does to it. */
function executionFunction({ signature, doc, run }: CustomFunction, out?: string): ExecutionFunction {
  return {
    signature,
    doc,
    ...(out === undefined ? {} : { out }),
    run: (context, args) => run(context, args),
  };
}

async function executionModule(place: CustomPlace, file: CustomFile): Promise<{ module: ExecutionModule }> {
  const { exports, functions, virtual } = await load(place, file);
  const own = exports.module as ExecutionModule | undefined;
  if (typeof own === "object" && own !== null && typeof own.functions === "object") {
    const wrapped = Object.entries(own.functions).map(([name, { run, out, ...rest }]) => [
      name,
      executionFunction({ ...rest, run: (context, args) => known(() => run(context as JobContext, args)) }, out),
    ]);
    return {
      module: {
        virtual: (context) => virtualOf(own.virtual?.(context) ?? virtual(context), exports.virtualname),
        functions: Object.fromEntries(wrapped),
      },
    };
  }
  return {
    module: {
      virtual,
      functions: Object.fromEntries([...functions].map(([name, found]) => [name, executionFunction(found)])),
    },
  };
}

/**
 * Execution modules with the custom ones among them, as the directories are now: those go before ours of the same name. Files
 * that cannot be loaded are modules that are not available, and hide nothing.
 */
export function withCustomModules(modules: ModuleRegistry, place: CustomPlace): ModuleRegistry {
  const { usable, foreign } = filesOf(place, "modules");
  if (usable.length + foreign.length === 0) return modules;
  const unavailable = (file: CustomFile): ExecutionModule => ({
    virtual: () => ({ unavailable: foreignText(file) }),
    functions: {},
  });
  return {
    ...Object.fromEntries(foreign.map((file) => [file.name, () => Promise.resolve({ module: unavailable(file) })])),
    ...modules,
    ...Object.fromEntries(usable.map((file) => [file.name, () => executionModule(place, file)])),
  };
}

/** Custom modules of a family for which there is no table that would name what is wrong with one: the log does. */
async function loadOrTell(
  place: CustomPlace,
  kind: CustomKind,
  file: CustomFile,
  callerOf?: CallerOf,
): Promise<LoadedFile | undefined> {
  try {
    const loaded = await load(place, file, callerOf);
    const virtual = loaded.virtual(place);
    if (typeof virtual !== "object") return loaded;
    place.log.debug("custom module is not available", { kind, file: file.path, why: virtual.unavailable });
  } catch (error) {
    place.log.error("custom module failed to load", { kind, file: file.path, error: messageOf(error) });
  }
  return undefined;
}

function tellForeign(place: CustomPlace, kind: CustomKind, files: readonly CustomFile[]): void {
  for (const file of files) place.log.debug("custom module cannot be loaded", { kind, why: foreignText(file) });
}

/** What custom grains see beside the options: the grains before them. */
type GrainsContext = Parameters<GrainsFunction>[0] & { grains: Record<string, unknown> };

/** Gathers the grains of one file, over those before. */
export type CustomGrains = (context: GrainsContext) => Promise<Record<string, unknown>>;

/** Custom grains by the names of their files. Each function of a file gives a map, and the later goes before the earlier. */
export function customGrains(place: CustomPlace): Map<string, CustomGrains> {
  const { usable, foreign } = filesOf(place, "grains");
  tellForeign(place, "grains", foreign);
  return new Map(usable.map((file) => [file.name, async (context) => {
    const loaded = await loadOrTell(place, "grains", file);
    const gathered: Record<string, unknown> = {};
    for (const [name, { signature, run }] of loaded?.functions ?? []) {
      const got = await run(context, bindArguments(name, parseSignature(signature), [], new Map()));
      if (got === undefined || got === null) continue;
      if (!isMap(got)) throw new TypeError(`The function ${name} of "${file.path}" must return a map of grains`);
      Object.assign(gathered, Object.fromEntries(entriesOf(got as AnyMap)));
    }
    return gathered;
  }]));
}

/** The functions of a returner: ours, and as Salt and programs call them. */
const RETURNER_FUNCTIONS: Record<string, string> = {
  returner: "returner",
  saveLoad: "save_load",
  getLoad: "get_load",
  getJid: "get_jid",
  getJids: "get_jids",
};

function returnerModule({ exports, functions }: LoadedFile, path: string): ReturnerModule {
  const { returner } = exports;
  if (typeof returner === "object" && returner !== null) return returner as ReturnerModule;
  const callOf = (name: string) => {
    const found = functions.get(name) ?? functions.get(RETURNER_FUNCTIONS[name]!);
    return found &&
      ((context: ReturnerContext, ...args: unknown[]) =>
        found.run(context, bindArguments(name, parseSignature(found.signature), args, new Map())));
  };
  const give = callOf("returner");
  if (give === undefined) throw new TypeError(`"${path}" has no function "returner"`);
  const [saveLoad, getLoad, getJid, getJids] = ["saveLoad", "getLoad", "getJid", "getJids"].map(callOf);
  const mapOf = (value: unknown) => isMap(value) ? Object.fromEntries(entriesOf(value)) : {};
  return {
    returner: async (context, ret) => void await give(context, ret),
    ...(saveLoad && { saveLoad: async (...args) => void await saveLoad(...args) }),
    ...(getLoad && {
      getLoad: async (context, jid) => {
        const got = await getLoad(context, jid);
        return isMap(got) ? mapOf(got) : undefined;
      },
    }),
    ...(getJid && { getJid: async (context, jid) => mapOf(await getJid(context, jid)) }),
    ...(getJids && {
      async *getJids(context) {
        for (const [jid, text] of Object.entries(mapOf(await getJids(context)))) yield [jid, mapOf(text)];
      },
    }),
  };
}

/** Returners with the custom ones among them, as the directories are now. */
export function withCustomReturners(returners: ReturnerRegistry, place: CustomPlace): ReturnerRegistry {
  const { usable, foreign } = filesOf(place, "returners");
  tellForeign(place, "returners", foreign);
  return {
    ...returners,
    ...Object.fromEntries(usable.map((file) => [file.name, async () => {
      const loaded = await load(place, file);
      const virtual = loaded.virtual(place);
      if (typeof virtual === "object") {
        return { returner: { virtual: () => virtual, returner: () => Promise.resolve() } };
      }
      const returner = returnerModule(loaded, file.path);
      return { returner: typeof virtual === "string" ? { ...returner, name: virtual } : returner };
    }])),
  };
}

/** Runners by name → how to load them. */
export type RunnerRegistry = Record<string, () => Promise<{ runner: RunnerModule }>>;

/** Runners with the custom ones among them, as the directories are now. One that does not load has no functions. */
export function withCustomRunners(runners: RunnerRegistry, place: CustomPlace): RunnerRegistry {
  const { usable, foreign } = filesOf(place, "runners");
  tellForeign(place, "runners", foreign);
  return {
    ...runners,
    ...Object.fromEntries(usable.map((file) => [file.name, async () => {
      // The pillar of such a context is no data.
      const loaded = await loadOrTell(place, "runners", file, () => place);
      const own = loaded?.exports.runner as RunnerModule | undefined;
      const virtual = loaded?.virtual(place);
      const name = own?.name ?? (typeof virtual === "string" ? virtual : undefined);
      const named = name === undefined ? {} : { name };
      if (typeof own === "object" && own !== null) {
        const wrapped = Object.entries(own.functions).map(([name, { run, ...rest }]) => [
          name,
          { ...rest, run: (context: RunnerContext, args: BoundArguments) => known(() => run(context, args)) },
        ]);
        return { runner: { ...named, functions: Object.fromEntries(wrapped) } };
      }
      return {
        runner: {
          ...named,
          functions: Object.fromEntries(
            [...loaded?.functions ?? []].map(([name, { run, ...rest }]) => [name, {
              ...rest,
              run: (context: RunnerContext, args: BoundArguments) => run(context, args),
            }]),
          ),
        },
      };
    }])),
  };
}

/**
 * What goes by a name among runners or returners: the file of that name, unless it goes by another one, else whichever
 * goes by it.
 */
export async function moduleNamed<Family extends "runner" | "returner", Module extends { name?: string }>(
  registry: Readonly<Record<string, () => Promise<Record<Family, Module>>>>,
  family: Family,
  name: string,
): Promise<Module | undefined> {
  const others = Object.keys(registry).filter((file) => file !== name);
  for (const file of Object.hasOwn(registry, name) ? [name, ...others] : others) {
    try {
      const module = (await registry[file]!())[family];
      if ((module.name ?? file) === name) return module;
    } catch (error) {
      // What is wrong with another file is no answer to who asks for this one.
      if (file === name) throw error;
    }
  }
  return undefined;
}

/** A custom outputter; what it throws is the host's to tell. */
export type CustomOutputter = (data: unknown, options: Record<string, unknown>) => Promise<string>;

/** Custom outputters by name. */
export function customOutputters(place: CustomPlace): Record<string, () => Promise<CustomOutputter>> {
  const { usable, foreign } = filesOf(place, "output");
  tellForeign(place, "output", foreign);
  return Object.fromEntries(usable.map((file) => [file.name, async () => {
    const { exports, functions } = await load(place, file);
    const { output } = exports;
    if (typeof output === "function") return async (data, options) => String(await output(data, options));
    const found = functions.get("output");
    if (found === undefined) throw new TypeError(`"${file.path}" has no function "output"`);
    return async (data, options) => {
      const bound = bindArguments("output", parseSignature(found.signature), [data], new Map());
      return String(await found.run({ ...place, opts: options }, bound));
    };
  }]));
}

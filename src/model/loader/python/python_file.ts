/** Python files as modules: the helper loads the files and runs their functions. */
import { type Args, equal, isMap, lookup, str } from "../../../language/python/values.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Context, JobContext } from "../family.ts";
import type { CustomFunction, CustomPlace, LoadedFile } from "../loaded_file.ts";
import { customDirectories, type CustomFile, type CustomKind, strangersCode } from "../custom_files.ts";
import { dirName, joinPath } from "../../../base/paths.ts";
import type { FunctionTable } from "../loader.ts";
import { callContext } from "../template_functions.ts";
import type { Parameter, Signature } from "../signature.ts";
import type { StateContext } from "../states.ts";
import { findPython, findSalt } from "./interpreter.ts";
import { returnCodeOf } from "./return_code.ts";
import { type Callable, type PythonCaller, type PythonFile, PythonHelper } from "./helper.ts";

const HELPERS = new WeakMap<Runtime, Map<string, PythonHelper>>();

/** The helper of this process. @throws {TypeError} if this host has no interpreter */
export function pythonHelper({ runtime, opts }: Pick<CustomPlace, "runtime" | "opts">): PythonHelper {
  const python = findPython(runtime, opts);
  if (python === undefined) throw new TypeError("there is no Python on this host: install Python 3.8 or newer");
  let helpers = HELPERS.get(runtime);
  if (helpers === undefined) HELPERS.set(runtime, helpers = new Map());
  let helper = helpers.get(python);
  if (helper === undefined) {
    const sources = async () => (await import("./sources.ts")).SOURCES;
    helpers.set(python, helper = new PythonHelper(runtime, python, { salt: opts.python_salt !== false, sources }));
  }
  return helper;
}

/** Tells the helpers of this process that files of custom modules may have changed. */
export function forgetPython(runtime: Runtime): void {
  for (const helper of HELPERS.get(runtime)?.values() ?? []) helper.forget();
}

/** Ends the helpers of this process. */
export async function closePython(runtime: Runtime): Promise<void> {
  for (const helper of HELPERS.get(runtime)?.values() ?? []) await helper.close();
}

type AnyContext = Partial<StateContext> & { runtime: Runtime; log: Logger; opts: Record<string, unknown> };

function modulesOf({ functions, call }: Pick<Context, "functions" | "call">): Callable {
  return {
    find: async (name) => {
      const found = await functions.find(name);
      return "message" in found ? undefined : { doc: found.function.doc, run: runOf(found.function) };
    },
    run: async (name, positional, keyword) => {
      // As in __salt__, a missing function is a KeyError.
      const found = await functions.find(name);
      if ("message" in found) throw Object.assign(new Error(name), { name: "KeyError" });
      return await call(name, positional, keyword);
    },
    names: async () => (await functions.list()).map(({ name }) => name),
  };
}

const runOf = (found: object): object => "run" in found && typeof found.run === "function" ? found.run : found;

function statesOf({ callState }: Pick<StateContext, "callState">): Callable {
  return {
    find: (name) => Promise.resolve({ doc: "", run: Object.freeze([name]) }),
    run: async (name, [first, ...rest], keyword) => {
      if (rest.length > 0) {
        throw new TypeError(`Cannot call ${name} with ${rest.length + 1} values: name the arguments`);
      }
      return await callState(name, first === undefined ? keyword : { name: first, ...keyword });
    },
    names: () => Promise.resolve([]),
  };
}

/** The fields of a family's context that a Python module receives. */
export function pythonCallerOf(
  place: CustomPlace,
  context: object,
  callable: PythonCaller["callable"] = {},
): PythonCaller {
  const { log = place.log, opts = place.opts, grains, pillar, signal, ownProcess, functions, call, callState } =
    context as Partial<AnyContext> & Partial<JobContext>;
  return {
    log,
    opts,
    ...(grains === undefined ? {} : { grains }),
    ...(isMap(pillar) && !hasMethods(pillar) ? { pillar } : {}),
    ...(signal === undefined ? {} : { signal }),
    ...(ownProcess === undefined ? {} : { ownProcess }),
    utils: utilsOf({ ...place, opts }),
    callable: {
      ...(functions === undefined || call === undefined ? {} : { modules: modulesOf({ functions, call }) }),
      ...(callState === undefined ? {} : { states: statesOf({ callState }) }),
      ...callable,
    },
    ...("retcode" in context ? { code: returnCodeOf(context as { retcode: number | null }) } : {}),
  };
}

/** True for a runner's `pillar`, which is an object with methods instead of data. */
const hasMethods = (value: object) => Object.values(value).some((one) => typeof one === "function");

/** The directories of `_utils` that no other user can write to, and whether each belongs to the operator. */
function utilsOf({ runtime, opts }: Pick<CustomPlace, "runtime" | "opts">): [string, boolean][] {
  let known = UTILITIES.get(opts);
  if (known === undefined) {
    const own = customDirectories(runtime, opts, "utils")
      .filter((directory) => strangersCode(runtime, directory) === undefined)
      .map((directory): [string, boolean] => [directory, true]);
    const salt = findSalt(runtime, opts);
    UTILITIES.set(
      opts,
      known = [...own, ...salt === undefined ? [] : [[joinPath(salt, "utils"), false]] as [string, boolean][]],
    );
  }
  return known;
}

/** Results by options object, because each function in a run of states asks with the same options. */
const UTILITIES = new WeakMap<object, [string, boolean][]>();

/** Describes a custom file for the helper. @throws {TypeError} if another user could have written it */
export function fileForPython(
  kind: string,
  { name, path, version, lent = false }: CustomFile,
  { runtime }: Pick<CustomPlace, "runtime">,
): PythonFile {
  const stranger = strangersCode(runtime, dirName(path));
  if (stranger !== undefined) {
    throw new TypeError(`"${path}" is not imported: ${stranger}; make its directory writable for its owner alone`);
  }
  return { key: `${kind} ${path} ${version}`, kind, name, path, own: !lent };
}

const textOf = (map: unknown, field: string) => {
  const value = isMap(map) ? lookup(map, field) : undefined;
  return typeof value === "string" ? value : undefined;
};

const textsOf = (map: unknown, field: string) => {
  const value = isMap(map) ? lookup(map, field) : undefined;
  return Array.isArray(value) ? value.map(str) : [];
};

function signatureOf(said: unknown): Signature {
  const params = isMap(said) ? lookup(said, "params") : undefined;
  return {
    params: (Array.isArray(params) ? params : []).map((entry): Parameter => {
      const [name, ...rest] = Array.isArray(entry) ? entry : [entry];
      return rest.length === 0 ? { name: str(name) } : { name: str(name), default: rest[0] };
    }),
    varargs: textOf(said, "varargs"),
    keywords: textOf(said, "keywords"),
  };
}

/**
 * The arguments to send. Arguments that equal the function's defaults are left out, because a default in Python may be any
 * object.
 */
function argumentsOf(
  { params, varargs, keywords }: Signature,
  bound: Args,
  only: readonly string[],
): { positional: unknown[]; keyword: Record<string, unknown> } {
  const more = varargs === undefined ? [] : bound[varargs] as unknown[];
  const rest = keywords === undefined ? {} : bound[keywords] as Record<string, unknown>;
  if (more.length > 0) return { positional: [...params.map(({ name }) => bound[name]), ...more], keyword: rest };
  const positional: unknown[] = [];
  const keyword: Record<string, unknown> = { ...rest };
  let isPositional = true;
  for (const param of params) {
    const value = bound[param.name];
    if ("default" in param && equal(value, param.default)) isPositional = false;
    // What wraps a function may take values without names alone.
    else if (isPositional && !only.includes(param.name)) positional.push(value);
    else keyword[param.name] = value;
  }
  return { positional, keyword };
}

/** The names that a state function has while it runs. */
function stateNames(context: object, uses: readonly string[]): Record<string, unknown> | undefined {
  if (!("low" in context)) return undefined;
  const { low, lowstate, running, saltenv, jid } = context as StateContext;
  return {
    __low__: low,
    __instance_id__: jid,
    __env__: saltenv,
    __sls__: low.__sls__ ?? "",
    __id__: low.__id__ ?? "",
    ...(uses.includes("__lowstate__") ? { __lowstate__: lowstate } : {}),
    ...(uses.includes("__running__") ? { __running__: running } : {}),
  };
}

/** The context for loading a module: its `__virtual__` may call functions, although there is no job yet. */
function loading(place: CustomPlace): object {
  const { functions, call } = place as Partial<Context>;
  if (functions === undefined || call === undefined) return place;
  return callContext({ functions: functions as FunctionTable, context: () => place as unknown as Context });
}

/** Differences of a family in how functions of its files are called. */
export interface PythonFamily {
  /** Makes the caller of a context. @default from what the context has */
  caller?(context: object): PythonCaller | Promise<PythonCaller>;
}

export async function loadPython(
  place: CustomPlace,
  kind: CustomKind,
  file: CustomFile,
  family: PythonFamily = {},
): Promise<LoadedFile> {
  const made = fileForPython(kind, file, place);
  const helper = pythonHelper(place);
  const caller = family.caller ?? ((context: object) => pythonCallerOf(place, context));
  // The table of modules is built again, so the modules that the helper has found may be gone.
  helper.forget();
  const said = await helper.load(await caller(loading(place)), made);
  const unavailable = textOf(said, "unavailable");
  const name = textOf(said, "name");
  const uses = textsOf(said, "uses");
  const listed = isMap(said) ? lookup(said, "functions") : undefined;
  const functions = new Map<string, CustomFunction>();
  for (const entry of Array.isArray(listed) ? listed : []) {
    const fun = textOf(entry, "name")!;
    const signature = signatureOf(entry);
    const only = textsOf(entry, "only");
    const run: CustomFunction["run"] = async (context, bound) => {
      const globals = stateNames(context, uses);
      return await helper.call(await caller(context), made, fun, {
        ...argumentsOf(signature, bound, only),
        ...(globals === undefined ? {} : { globals }),
      });
    };
    helper.link(run, made.key, fun);
    const out = textOf(entry, "out");
    functions.set(fun, { signature, doc: textOf(entry, "doc") ?? "", run, ...(out === undefined ? {} : { out }) });
  }
  return {
    exports: {},
    functions,
    aliases: textsOf(said, "aliases"),
    virtual: () => {
      const named = name === undefined || name === file.name ? undefined : name;
      if (unavailable !== undefined) return { unavailable, ...(named === undefined ? {} : { name: named }) };
      return named ?? true;
    },
  };
}

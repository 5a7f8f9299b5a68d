/** The names of all functions with their parameters, cached in a file of the user: loading all modules takes much longer. */
import { joinPath } from "../../src/base/paths.ts";
import { parseSignature, type Signature } from "../../src/model/loader/signature.ts";
import { isRecord } from "../../src/base/record.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { VERSION } from "../../src/base/version.ts";

/** Function → names of its parameters: `{"test.echo": ["text"]}`. */
export type FunctionNames = Readonly<Record<string, readonly string[]>>;

interface AllFunctionNames {
  modules: FunctionNames;
  runners: FunctionNames;
}

/** The directory for a user's caches: programs can recreate everything in it. */
export function userCache({ host, process }: Pick<Runtime, "host" | "process">): string {
  return joinPath(process.env("XDG_CACHE_HOME") || joinPath(host.user().home, ".cache"), "brine");
}

/** The names of all functions of Brine. If the cache file cannot be written, the only cost is time. */
export async function functionNames(runtime: Runtime): Promise<AllFunctionNames> {
  const { fs } = runtime;
  const directory = userCache(runtime);
  const file = joinPath(directory, `functions-${VERSION}.json`);
  try {
    const known: unknown = JSON.parse(fs.readText(file));
    if (isRecord(known) && isRecord(known.modules) && isRecord(known.runners)) {
      return known as unknown as AllFunctionNames;
    }
  } catch {
    // The cache file is missing or incomplete.
  }
  const names = await loadFunctionNames();
  try {
    fs.mkdir(directory);
    fs.write(file, JSON.stringify(names), { mode: 0o600 });
  } catch {
    // The home directory is not writable.
  }
  return names;
}

type Functions = Record<string, { signature: string | Signature }>;

async function loadFunctionNames(): Promise<AllFunctionNames> {
  const [{ moduleName, MODULES }, { RUNNERS }] = await Promise.all([
    import("../../src/plugins/modules/mod.ts"),
    import("../../src/plugins/runners/mod.ts"),
  ]);
  const [modules, runners] = await Promise.all([
    namesIn(MODULES, moduleName, (loaded) => loaded.module.functions),
    namesIn(RUNNERS, (name) => name, (loaded) => loaded.runner.functions),
  ]);
  return { modules, runners };
}

async function namesIn<T>(
  registry: Readonly<Record<string, () => Promise<T>>>,
  nameOf: (file: string) => string,
  functionsOf: (loaded: T) => Functions,
): Promise<FunctionNames> {
  const names: Record<string, string[]> = {};
  for (const [file, load] of Object.entries(registry)) {
    for (const [fun, { signature }] of Object.entries(functionsOf(await load()))) {
      names[`${nameOf(file)}.${fun}`] = parseSignature(signature).params.map(({ name }) => name);
    }
  }
  return names;
}

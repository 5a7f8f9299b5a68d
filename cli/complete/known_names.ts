/** The names that this host knows: keys and node groups of its master, and functions and plugins of Brine. */
import { joinPath } from "../../src/base/paths.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { createLogger } from "../../src/base/log.ts";
import { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";
import { readMasterConfig } from "../program/read_master_config.ts";
import type { KnownNames } from "./complete.ts";
import { type FunctionNames, functionNames } from "./function_names.ts";
import { rememberedMinions } from "./remembered_minions.ts";

/** Names of plugins, by the destination of the option that takes them. */
async function pluginNames(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [{ OUTPUTTERS }, { RETURNERS }, { EAUTH }] = await Promise.all([
    import("../../src/plugins/outputters/mod.ts"),
    import("../../src/plugins/returners/mod.ts"),
    import("../../src/plugins/eauth/mod.ts"),
  ]);
  return {
    output: Object.keys(OUTPUTTERS),
    return: Object.keys(RETURNERS),
    eauth: Object.keys(EAUTH),
    state_output: ["full", "terse", "mixed", "changes", "filter"],
    state_verbose: ["True", "False"],
    rotate_aes_key: ["True", "False"],
    preserve_minions: ["True", "False"],
    list: ["acc", "pre", "un", "rej", "den", "all"],
  };
}

/** A program context that prints nothing. */
const silent = (runtime: Runtime, configDir: string): ProgramContext => ({
  runtime,
  configDir,
  options: {},
  positionals: [],
  explicit: new Set<string>(),
  log: createLogger(() => {}, "quiet"),
  print: () => {},
  complain: () => {},
  stdinText: () => Promise.resolve(""),
  stdinLine: () => Promise.resolve(undefined),
  prompt: () => Promise.resolve(undefined),
  terminal: false,
});

/** Reads the master's configuration without printing mistakes; undefined if it cannot be read. */
async function masterOpts(runtime: Runtime, configDir: string): Promise<MasterOpts | undefined> {
  try {
    return await readMasterConfig(silent(runtime, configDir), { client: true });
  } catch {
    return undefined;
  }
}

/** SLS files that are listed, and minions whose grains are read, at most. */
const MAX_FILES = 20_000;
const MAX_MINIONS = 200;
/** Characters of a grain's value, at most: nobody types a longer word. */
const MAX_VALUE_CHARACTERS = 100;

/** SLS files of the master; on a host without a master, those of the minion. */
async function slsNames(runtime: Runtime, configDir: string, opts: MasterOpts | undefined): Promise<string[]> {
  const { rootsOf, treeFiles } = await import("../compat/tree_files.ts");
  const isHere = (name: string) => runtime.fs.stat(joinPath(configDir, name)) !== undefined;
  const roots = opts !== undefined && (isHere("master") || isHere("master.d"))
    ? opts.file_roots
    : await minionRoots(runtime, configDir);
  const names = rootsOf(runtime.fs, roots).flatMap((root) =>
    treeFiles(runtime.fs, root, () => false, MAX_FILES).flatMap(({ name }) => {
      const [, sls] = /^(?!_)(.*)\.sls$/.exec(name) ?? [];
      return sls === undefined || sls === "top" ? [] : [sls.replaceAll("/", ".").replace(/\.init$/, "")];
    })
  );
  return [...new Set(names)].sort();
}

async function minionRoots(runtime: Runtime, configDir: string): Promise<unknown> {
  const { MINION_OPTIONS } = await import("../../src/model/config/minion_opts.ts");
  try {
    return (await readConfig(silent(runtime, configDir), "minion", MINION_OPTIONS, false)).opts.file_roots;
  } catch {
    // An unreadable configuration names no files.
    return undefined;
  }
}

/** Grains in the master's cache, if this user may read it. */
async function grainValues(runtime: Runtime, opts: MasterOpts | undefined): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  if (opts === undefined || runtime.fs.stat(joinPath(opts.cachedir, "minions"))?.kind !== "directory") return found;
  const { MinionCache } = await import("../../src/host/master/minion_cache.ts");
  try {
    const cache = new MinionCache(runtime.fs, createLogger(() => {}, "quiet"), opts.cachedir);
    for (const id of cache.ids().slice(0, MAX_MINIONS)) {
      for (const [name, value] of Object.entries(cache.data(id)?.grains ?? {})) {
        const values = found.get(name) ?? new Set();
        found.set(name, values);
        for (const one of Array.isArray(value) ? value : [value]) {
          const text = typeof one === "boolean" ? (one ? "True" : "False") : String(one);
          if (typeof one !== "object" && text.length <= MAX_VALUE_CHARACTERS) values.add(text);
        }
      }
    }
  } catch {
    // This user may not read the master's cache.
  }
  return found;
}

/** @param configDir directory of the master's configuration */
export async function knownNames(runtime: Runtime, configDir: string): Promise<KnownNames> {
  const [opts, plugins] = await Promise.all([masterOpts(runtime, configDir), pluginNames()]);
  const keys = opts === undefined ? undefined : new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir);
  return {
    minions(status) {
      try {
        const ids = keys?.list(status) ?? [];
        if (ids.length > 0 || status !== "accepted") return ids;
      } catch {
        // This user may not read the master's keys.
      }
      return status === "accepted" ? rememberedMinions(runtime) : [];
    },
    nodegroups: () => Object.keys(opts?.nodegroups ?? {}),
    sls: async () => await slsNames(runtime, configDir, opts),
    grains: () => grainValues(runtime, opts),
    functions: async (family): Promise<FunctionNames> => (await functionNames(runtime))[family],
    values: (dest) => Object.hasOwn(plugins, dest) ? plugins[dest] : undefined,
  };
}

/** The names that this host knows: keys and node groups of its master, functions and plugins of this program. */
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { createLogger } from "../../src/base/log.ts";
import { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { readMasterConfig } from "../program/read_master_config.ts";
import type { KnownNames } from "./complete.ts";
import { type FunctionNames, functionNames } from "./function_names.ts";
import { rememberedMinions } from "./remembered_minions.ts";

/** Names of plugins that options take, by the destination of the option. */
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

/** The master's configuration, without a word about what is wrong with it; undefined if it cannot be read. */
async function masterOpts(runtime: Runtime, configDir: string): Promise<MasterOpts | undefined> {
  const silent = {
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
  };
  try {
    return await readMasterConfig(silent, { client: true });
  } catch {
    return undefined;
  }
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
        // Not everybody may read the master's keys.
      }
      return status === "accepted" ? rememberedMinions(runtime) : [];
    },
    nodegroups: () => Object.keys(opts?.nodegroups ?? {}),
    functions: async (family): Promise<FunctionNames> => (await functionNames(runtime))[family],
    values: (dest) => Object.hasOwn(plugins, dest) ? plugins[dest] : undefined,
  };
}

/** Reads a program's configuration: files of the master or minion, a user's own file, and options. */
import { loadConfigWithSdb, type LoadedConfig, type ResolveSdb } from "../../src/model/config/load.ts";
import type { Logger } from "../../src/base/log.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import { joinPath } from "../../src/base/paths.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ProgramContext } from "./context.ts";

/** Returns the function that resolves `sdb://` addresses in a configuration. Nothing is loaded if there are none. */
export function resolveSdb(host: { runtime: Runtime; log: Logger }, strict: boolean): ResolveSdb {
  return async (values) => {
    const { sdbResolver } = await import("../../src/model/loader/sdb.ts");
    return await sdbResolver(host, async () => (await import("../../src/plugins/sdb/mod.ts")).SDB, strict)(values);
  };
}

/** The user's own file with options of client programs: `SALT_CLIENT_CONFIG`, or in the home directory. */
function clientFile({ fs, host, process }: Runtime): string {
  const named = process.env("SALT_CLIENT_CONFIG");
  if (named !== undefined && fs.stat(named)?.kind === "file") return named;
  const { home } = host.user();
  const current = joinPath(process.env("XDG_CONFIG_HOME") || joinPath(home, ".config"), "salt/saltrc");
  return fs.stat(current)?.kind === "file" ? current : joinPath(home, ".saltrc");
}

function configureLog(context: ProgramContext, opts: Record<string, unknown>, given: ReadonlySet<string>): void {
  const { options, explicit, logging } = context;
  const key = "key_logfile" in options ? "key_logfile" : "log_file";
  logging?.configure({
    console: opts.log_level,
    // A level that was given for the screen does not apply to the master's log file.
    file: opts.log_level_logfile ?? (explicit.has("log_level") ? "warning" : opts.log_level),
    // A path from the command line is not put below root_dir.
    path: String((explicit.has(key) ? options[key] : opts[key]) ?? ""),
    wanted: given.has(key) || explicit.has(key),
    opts,
  });
  context.log.debug("configuration read", { file: opts.conf_file });
}

/** Completes a configuration by what only the process knows. */
export function completeForProcess<Opts extends Record<string, unknown>>(
  { host }: Pick<Runtime, "host">,
  role: "master" | "minion",
  { opts, given }: { opts: Opts; given: ReadonlySet<string> },
): void {
  // As in Salt: who starts it is its user. Root's clients and those of that user find the same key file.
  if (!given.has("user")) Object.assign(opts, { user: host.user().name });
  // Templates of formulas ask for it.
  Object.assign(opts, { __role: role });
}

/**
 * Reads a configuration file in the program's directory, strictly or not. A program that is not strict also configures its log
 * by the file.
 *
 * @param how.client true also reads the user's own file, which overrides the master's
 * @param how.program name of the program for templates. @default the daemon's name
 */
export async function readConfig<T extends OptionTable>(
  context: ProgramContext,
  name: "master" | "minion",
  table: T,
  strict: boolean,
  how: { client?: boolean; program?: string } = {},
): Promise<LoadedConfig<T>> {
  const read = await readFiles(context, name, table, strict, how.client ? clientFile(context.runtime) : undefined);
  completeForProcess(context.runtime, name, read);
  // As `__role`: templates ask for it.
  Object.assign(read.opts, { __cli: how.program ?? `salt-${name}` });
  if (!strict) {
    configureLog(context, read.opts, read.given);
    // The daemon has already warned of these options at its start.
    if (context.log.enabled("debug")) {
      const { logReview, reviewOptions } = await import("../../src/model/config/review.ts");
      logReview(context.log, reviewOptions(name, read), true);
    }
  }
  return read;
}

async function readFiles<T extends OptionTable>(
  context: ProgramContext,
  name: "master" | "minion",
  table: T,
  strict: boolean,
  userFile: string | undefined,
): Promise<LoadedConfig<T>> {
  const { runtime, configDir, log, complain } = context;
  if (runtime.fs.stat(configDir)?.kind !== "directory") {
    complain(`WARNING: CONFIG '${configDir}' directory does not exist.`);
  }
  const variable = name === "master" ? "SALT_MASTER_CONFIG" : "SALT_MINION_CONFIG";
  const replaced = context.explicit.has("config_dir") ? undefined : runtime.process.env(variable);
  const file = replaced ?? joinPath(configDir, name);
  const overrides: Record<string, unknown> = {};
  for (const key of context.explicit) {
    if (key in table && context.options[key] !== undefined) overrides[key] = context.options[key];
  }
  // Loaded late, because versions and usage texts do not need it.
  const { parseYaml } = await import("../../src/language/yaml/document.ts");
  return await loadConfigWithSdb({
    fs: runtime.fs,
    log,
    parse: parseYaml,
    file,
    table,
    overrides,
    ...(userFile === undefined ? {} : { userFile }),
    onProblem: strict ? "error" : "warning",
  }, resolveSdb({ runtime, log }, strict));
}

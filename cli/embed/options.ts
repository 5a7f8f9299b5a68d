/** Options that masters and minions in other programs share. */
import { loadConfigWithSdb } from "../../src/model/config/load.ts";
import type { OptionTable } from "../../src/model/config/option.ts";
import type { Host as HostKind } from "../../src/model/config/review.ts";
import { logReview, refuseHarmfulOptions, reviewOptions } from "../../src/model/config/review.ts";
import { refuseUnknownKeys } from "../../src/base/nearest_name.ts";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { completeForProcess, resolveSdb } from "../program/read_config.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** Directories and configuration of a master or minion. */
export interface HostOptions<Opts> {
  /** Prefix of all of Salt's directories, like the option `root_dir`. @default "/": the host's own directories */
  rootDir?: string | undefined;
  /** A configuration file of Salt, which is read with its includes. @default no file is read */
  configFile?: string | undefined;
  /** Salt's options by name; they override those of the file. @default Salt's defaults; `user` is that of this process */
  opts?: Partial<Opts> | undefined;
  /** Logger of the host. @default no log */
  log?: Logger | undefined;
  /** The runtime to use. @default the runtime of this program */
  runtime?: Runtime | undefined;
}

/** A configuration, and the options that were set for it. */
interface Host<Opts> {
  runtime: Runtime;
  log: Logger;
  opts: Opts;
  /** Names of the options that are not defaults. */
  given: ReadonlySet<string>;
}

/**
 * Builds the configuration of a host.
 *
 * @throws {ConfigError} naming the option or the place in the file
 */
export async function openHost<Opts extends Record<string, unknown>>(
  { rootDir, configFile, opts = {}, log = silentLogger, runtime: given }: HostOptions<Opts>,
  kind: HostKind,
  table: OptionTable,
  complete: (values: Partial<Opts>) => Opts,
): Promise<Host<Opts>> {
  const runtime = given ?? await currentRuntime();
  const values = { ...opts, ...(rootDir === undefined ? {} : { root_dir: rootDir }) } as Partial<Opts>;
  // Reject mistyped options of the caller; those in the file are reviewed as for any daemon.
  const own = { opts: complete(values), given: new Set(Object.keys(values)) };
  if (configFile === undefined) {
    completeForProcess(runtime, kind, own);
    return { runtime, log, ...own };
  }
  const { parseYaml } = await import("../../src/language/yaml/document.ts");
  const loaded = await loadConfigWithSdb(
    { fs: runtime.fs, log, parse: parseYaml, file: configFile, table, overrides: values },
    resolveSdb({ runtime, log }, true),
  );
  completeForProcess(runtime, kind, loaded);
  refuseHarmfulOptions(kind, loaded);
  logReview(log, reviewOptions(kind, loaded));
  return { runtime, log, opts: loaded.opts as Opts, given: loaded.given };
}

const HOST_KEYS: readonly (keyof Required<HostOptions<Record<string, unknown>>>)[] = [
  "rootDir",
  "configFile",
  "opts",
  "log",
  "runtime",
];

/** @throws {TypeError} for unknown keys, for example Salt's options, which belong into `opts` */
export function checkKeys(what: string, options: object, parts: readonly string[], table: OptionTable): void {
  const deeper = Object.fromEntries(
    Object.keys(table).map((name) => [name, `put Salt's options into opts: { ${name}: … }`]),
  );
  refuseUnknownKeys(what, options, [...HOST_KEYS, ...parts], deeper);
}

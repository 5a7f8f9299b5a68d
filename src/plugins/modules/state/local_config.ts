/** Options of a file over the minion's, for one call: `localconfig`. */
import { loadConfigWithSdb, settlePaths } from "../../../model/config/load.ts";
import { MINION_OPTIONS } from "../../../model/config/minion_opts.ts";
import { ConfigError } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Runtime } from "../../../runtime/runtime.ts";

/** @throws {RangeError} for a file that a user could have written: it can have root run what that user likes */
function refuseForeign({ fs, process }: Pick<Runtime, "process"> & { fs: FileSystem }, path: string): void {
  const found = fs.stat(path);
  const own = process.uid();
  if (found === undefined || own === undefined) return;
  if (found.uid !== 0 && found.uid !== own) {
    throw new RangeError(`it belongs to user ${found.uid}, who could have this minion run anything: chown it`);
  }
  if ((found.mode & 0o002) !== 0) throw new RangeError("every user may change it: chmod o-w");
}

/**
 * The minion's options with those of a file over them, each as a whole. The file may have includes, as that of a minion.
 *
 * @throws {CommandExecutionError} if the file or one of its includes is not there or cannot be used
 * @see salt/utils/state.py get_sls_opts
 */
export async function localOptions(
  { runtime, log, opts }: Pick<JobContext, "runtime" | "log" | "opts">,
  file: string,
): Promise<Record<string, unknown>> {
  const { fs } = runtime;
  if (fs.stat(file)?.kind !== "file") {
    throw new CommandExecutionError(`Cannot use localconfig "${file}": there is no such file on this minion`);
  }
  const { parseYaml } = await import("../../../language/yaml/document.ts");
  const include = { ...MINION_OPTIONS.default_include!, default: opts.default_include };
  try {
    const { opts: read, given } = await loadConfigWithSdb({
      fs,
      log,
      file,
      table: { ...MINION_OPTIONS, default_include: include },
      parse(text, path) {
        refuseForeign(runtime, path);
        return parseYaml(text);
      },
    }, async (values) => {
      const [{ sdbResolver }, { SDB }] = await Promise.all([
        import("../../../model/loader/sdb.ts"),
        import("../../sdb/mod.ts"),
      ]);
      return await sdbResolver({ runtime, log }, () => Promise.resolve(SDB), true)(values);
    });
    const over = [...given].filter((name) => Object.hasOwn(read, name)).map((name) => [name, read[name]]);
    const merged: Record<string, unknown> = { ...opts, ...Object.fromEntries(over), conf_file: file };
    settlePaths(merged, MINION_OPTIONS);
    return merged;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandExecutionError(`Cannot use localconfig "${file}": ${error.message}`, { cause: error });
  }
}

/** A job whose files, grains and pillar are those of such options; its own options stay. As in Salt, `grains` of the file are all there are. */
export function withLocalOptions(context: JobContext, opts: Record<string, unknown>): JobContext {
  const { files, compilePillar } = context;
  const grains = opts.grains !== context.opts.grains && isRecord(opts.grains) ? opts.grains : context.grains;
  return context.with({
    files: files.withOptions(opts),
    grains,
    ...(compilePillar === undefined ? {} : { compilePillar: (call) => compilePillar({ ...call, opts, grains }) }),
  });
}

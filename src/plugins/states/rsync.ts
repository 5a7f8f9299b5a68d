import { outcome, stateFunction, type StateModule } from "../../model/loader/states.ts";
import { truthy } from "../../language/python/values.ts";
import { operand, programPath } from "../commands.ts";
import { exists } from "../linux/paths.ts";

/** The last part of what rsync prints: its numbers, a line each. */
const summary = (text: string): string =>
  `- ${text.split("\n\n").at(-1)!.replaceAll("  ", "\n").split("\n").filter((line) => line !== "").join("\n- ")}`;

/** The first part, which names the files; undefined if there are none. */
function changesOf(text: string): Record<string, string> | undefined {
  const lines = text.split("\n\n")[0]!.split("\n").slice(1);
  const deleted = lines.filter((line) => line.startsWith("deleting ")).map((line) => line.slice("deleting ".length));
  const copied = lines.filter((line) => !line.startsWith("deleting "));
  const shown = (names: string[]) => names.sort((a, b) => a < b ? -1 : a > b ? 1 : 0).join("\n") || "N/A";
  const changes = { copied: shown(copied), deleted: shown(deleted) };
  return changes.copied === "N/A" && changes.deleted === "N/A" ? undefined : changes;
}

/** Directories that rsync copies. */
export const states: StateModule = {
  virtual: (context) => programPath(context, "rsync") !== undefined || { unavailable: "Command not found: rsync" },
  functions: {
    synchronized: stateFunction({
      signature: `name, source, delete=False, force=False, update=False, passwordfile=None, exclude=None,
        excludefrom=None, prepare=False, dryrun=False, additional_opts=None`,
      doc: "The directory has the files of the source. `prepare` makes it first.",
      async run(context, args) {
        const { name, source, prepare, ...options } = args;
        const { fs } = context.runtime;
        const path = operand(name, "a destination");
        operand(source, "a source");
        if (!exists(fs, path)) {
          if (!truthy(options.force) && !truthy(prepare)) {
            return outcome(name, false, `Destination directory ${path} was not found.`);
          }
          if (truthy(prepare) && !context.test) fs.mkdir(path);
        }
        const dryrun = context.test || truthy(options.dryrun);
        const result = await context.call("rsync.rsync", [source, name], {
          ...options,
          dryrun: context.test ? true : options.dryrun,
        }) as { retcode: number; stdout: string; stderr: string };
        if (dryrun) return outcome(name, null, summary(result.stdout));
        if (result.retcode !== 0) return outcome(name, false, result.stderr);
        return outcome(name, true, summary(result.stdout), changesOf(result.stdout));
      },
    }),
  },
};

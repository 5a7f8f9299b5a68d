import { SystemError } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";
import { operand, programPath, runAll } from "../commands.ts";
import { checkProgramPath } from "../linux/paths.ts";
import { osErrorText } from "../python_errors.ts";
import { temporaryPath } from "../host_files.ts";
import { readText } from "./file/content.ts";

/** Arguments that an option `rsync.<name>` stands for. */
const CONFIGURED = [
  "src",
  "dst",
  "delete",
  "force",
  "update",
  "passwordfile",
  "exclude",
  "excludefrom",
  "dryrun",
  "rsh",
] as const;

const REFUSED: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `${path} does not exist`,
  EACCES: (path) => `Unable to read ${path}, access denied`,
  EISDIR: (path) => `Unable to read ${path}, path is a directory`,
};

async function settings(context: JobContext, args: Args): Promise<Args> {
  const found: Args = { ...args };
  for (const name of CONFIGURED) {
    if (!truthy(args[name])) found[name] = await context.call("config.option", [`rsync.${name}`]);
  }
  return found;
}

function options(args: Args): string[] {
  const flags = (["delete", "force", "update"] as const).filter((name) => truthy(args[name])).map((name) =>
    `--${name}`
  );
  const words = ["-avz", ...flags];
  if (truthy(args.rsh)) words.push(`--rsh=${str(args.rsh)}`);
  if (truthy(args.passwordfile)) words.push("--password-file", str(args.passwordfile));
  const patterns = Array.isArray(args.exclude) ? args.exclude : truthy(args.exclude) ? [args.exclude] : [];
  if (truthy(args.excludefrom)) words.push("--exclude-from", str(args.excludefrom));
  else words.push(...patterns.flatMap((pattern) => ["--exclude", str(pattern)]));
  if (truthy(args.dryrun)) words.push("--dry-run");
  return [...words, ...(Array.isArray(args.additional_opts) ? args.additional_opts.map(str) : [])];
}

/** Fetches a file or a directory of the master. @returns what is copied from there */
async function fetched(context: JobContext, url: string, to: string, saltenv: unknown): Promise<string> {
  const directories = await context.call("cp.list_master_dirs", [], { saltenv }) as string[];
  const isDirectory = directories.includes(url.slice("salt://".length));
  if (isDirectory) context.runtime.fs.mkdir(to, 0o700);
  const done = await context.call(isDirectory ? "cp.get_dir" : "cp.get_file", [url, to, saltenv]);
  if (!truthy(done)) throw new CommandExecutionError(`${isDirectory ? url : to} does not exist`);
  return isDirectory ? `${to}/` : to;
}

export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "rsync") !== undefined ||
    { unavailable: "The rsync execution module cannot be loaded: the rsync binary is not in the path." },
  functions: executionFunctions({
    rsync: executionFunction({
      signature: `src, dst, delete=False, force=False, update=False, passwordfile=None, exclude=None,
        excludefrom=None, dryrun=False, rsh=None, additional_opts=None, saltenv='base'`,
      doc: "Copies files. What is not given is taken from options such as rsync.exclude.\n\n" +
        "    salt '*' rsync.rsync /path/to/src /path/to/dest delete=True\n\n" +
        "src, dst: paths, hosts with paths, or as the source a salt:// URL\n" +
        "delete: remove what the source does not have\nforce: remove directories that a file takes the place of\n" +
        "update: keep files that are newer\npasswordfile: file with the password of a daemon\n" +
        "exclude: a pattern, or a list of them\nexcludefrom: file of patterns\ndryrun: copy nothing\n" +
        "rsh: the remote shell\nadditional_opts: a list of further options",
      async run(context, given): Promise<unknown> {
        const args = await settings(context, given);
        if (!truthy(args.src) || !truthy(args.dst)) throw new SaltInvocationError("src and dst cannot be empty");
        const [src, dst] = [operand(args.src, "a source"), operand(args.dst, "a destination")];
        if (dst.startsWith("/")) checkProgramPath(context, dst);
        if (!src.startsWith("salt://")) return await runAll(context, ["rsync", ...options(args), src, dst]);
        const { fs } = context.runtime;
        const temporary = temporaryPath(context.runtime);
        try {
          const source = await fetched(context, src, temporary, args.saltenv);
          return await runAll(context, ["rsync", ...options(args), source, dst]);
        } finally {
          if (fs.stat(temporary) !== undefined) await context.call("file.remove", [temporary]);
        }
      },
    }),
    "version()": {
      doc: "The version of rsync.\n\n    salt '*' rsync.version",
      async run(context): Promise<string> {
        const text = await context.call("cmd.run_stdout", [["rsync", "--version"]], { python_shell: false });
        const found = splitWords(str(text).split("\n")[0]!)[2];
        if (found === undefined) throw new CommandExecutionError("Unable to determine rsync version");
        return found;
      },
    },
    "config(conf_path: str='/etc/rsyncd.conf')": {
      doc: "The configuration of the daemon.\n\n    salt '*' rsync.config\n\nconf_path: path of the file",
      run({ runtime }, { conf_path: path }): string {
        try {
          runtime.fs.readAt(path, 0, 1);
        } catch (error) {
          if (!(error instanceof SystemError)) throw error;
          const [, number, text] = /^\[Errno (\d+)\] (.*)$/.exec(osErrorText(error)) ?? [];
          throw new CommandExecutionError(REFUSED[error.errno]?.(path) ?? `Error ${number}: ${text}`, { cause: error });
        }
        return readText(runtime.fs, path);
      },
    },
  }),
};

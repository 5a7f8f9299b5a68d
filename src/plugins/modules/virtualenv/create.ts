/** `virtualenv.create`: by the program virtualenv, or by the module venv of a Python. */
import { basename } from "../../../language/python/posixpath.ts";
import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, repr, str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, programPath, runAll } from "../../commands.ts";
import { exists, isDirectory } from "../../linux/paths.ts";

const PROGRAMS = ["virtualenv3", "virtualenv"];

const isPython = (path: string): boolean => /^(?:python|pypy)[0-9.]*(?:\.exe)?$/i.test(basename(path));

const given = (value: unknown): boolean => value !== null && (typeof value !== "string" || value.trim() !== "");

/** The program that makes environments: as asked for, as pillar or configuration says, else what is there. */
function programOf(context: JobContext, asked: unknown): string {
  if (asked !== null && asked !== undefined) return str(asked);
  const configured = context.pillar.venv_bin || context.opts.venv_bin;
  return truthy(configured)
    ? str(configured)
    : PROGRAMS.find((one) => programPath(context, one) !== undefined) ?? "venv";
}

function needPython(context: JobContext, python: string): string {
  if (programPath(context, python) === undefined) {
    throw new CommandExecutionError(`Cannot find requested python (${python}).`);
  }
  return python;
}

export async function virtualenvVersion(context: JobContext, program: string, user: unknown): Promise<number[]> {
  const argv = [program, "--version"];
  const result = await runAll(context, argv, { runas: user ?? null, redirect_stderr: true });
  const version = result.stdout.split(/\s+/).filter((word) => /^\d.\d*/.test(word)).join("");
  const numbers = version.replace(/(?:rc|\+ds).*$/, "").split(".").map(Number);
  if (result.retcode > 0 || numbers.some((one) => !Number.isInteger(one))) {
    throw new CommandExecutionError(
      `Unable to get the virtualenv version output using '${repr(argv)}'. Returned data: ${repr({ ...result })}`,
    );
  }
  return numbers;
}

/** True if one version comes before another. */
function isBefore(version: readonly number[], other: readonly number[]): boolean {
  for (let at = 0; at < Math.max(version.length, other.length); at++) {
    const difference = (version[at] ?? -1) - (other[at] ?? -1);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function refused(option: string, program: string): never {
  throw new CommandExecutionError(
    `The \`${option}\`(\`--${option.replaceAll("_", "-")}\`) option is not supported by '${program}'`,
  );
}

async function virtualenvWords(context: JobContext, program: string, args: Args): Promise<string[]> {
  if (args.upgrade !== null) refused("upgrade", program);
  if (args.symlinks !== null) refused("symlinks", program);
  const version = await virtualenvVersion(context, program, args.user);
  const { extra_search_dir: directories, python } = args;
  const search = Array.isArray(directories)
    ? directories.map(str)
    : given(directories)
    ? str(directories).split(",").map((one) => one.trim())
    : [];
  const old = isBefore(version, [1, 10]);
  return [
    program,
    ...(truthy(args.distribute) && old ? ["--distribute"] : []),
    ...(given(python) ? [`--python=${needPython(context, str(python))}`] : []),
    ...search.map((one) => `--extra-search-dir=${one}`),
    ...(args.never_download === true && (old || !isBefore(version, [14, 0, 0])) ? ["--never-download"] : []),
    ...(given(args.prompt) ? [`--prompt=${str(args.prompt)}`] : []),
  ];
}

function venvWords(context: JobContext, program: string, args: Args): string[] {
  const { python } = args;
  const byPython = program !== "venv" && isPython(program);
  if (byPython && given(python)) {
    throw new CommandExecutionError("Pass the target interpreter either as `venv_bin` or as `python`, not both.");
  }
  const start = program === "venv"
    ? [given(python) ? needPython(context, str(python)) : "python3", "-m", "venv"]
    : byPython
    ? [needPython(context, program), "-m", "venv"]
    : [program];
  if (program !== "venv" && !byPython && given(python)) refused("python", program);
  if (given(args.extra_search_dir)) refused("extra_search_dir", program);
  if (args.never_download !== null) refused("never_download", program);
  return [
    ...start,
    ...(args.upgrade === true ? ["--upgrade"] : []),
    ...(args.symlinks === true ? ["--symlinks"] : []),
    ...(given(args.prompt) ? ["--prompt", str(args.prompt)] : []),
  ];
}

/** Makes an environment; what was begun of a new one is removed if it fails. */
export async function createEnvironment(context: JobContext, args: Args): Promise<CommandOutcome> {
  const { fs } = context.runtime;
  const path = str(args.path);
  const program = programOf(context, args.venv_bin);
  const byModule = program.includes("venv") || isPython(program);
  const words = byModule ? venvWords(context, program, args) : await virtualenvWords(context, program, args);
  const clear = args.clear === true ? ["--clear"] : [];
  const site = args.system_site_packages === true ? ["--system-site-packages"] : [];
  const before = exists(fs, path);
  const options = { runas: args.user ?? null, ...args.kwargs as Args };
  const result = await runAll(context, [...words, ...clear, ...site, path], options);
  if (result.retcode !== 0) {
    if (!before && isDirectory(fs, path)) fs.remove(path, { recursive: true });
    return result;
  }
  if (!truthy(args.pip) || exists(fs, joinPath(path, "bin/pip"))) return result;
  const pip = await runAll(context, [joinPath(path, "bin/python"), "-m", "ensurepip", "--default-pip"], {
    runas: args.user ?? null,
    cwd: path,
    env: { VIRTUAL_ENV: path },
  });
  const both = (one: string, other: string) => `${one}\n${other}`.trim();
  return {
    ...result,
    retcode: pip.retcode,
    stdout: both(result.stdout, pip.stdout),
    stderr: both(result.stderr, pip.stderr),
  };
}

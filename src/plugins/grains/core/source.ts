import { messageOf } from "../../../base/errors.ts";
import { joinPath } from "../../../base/paths.ts";
import type { GrainsFunction } from "../../../model/loader/family.ts";
import { which } from "../../linux/programs.ts";

/** The context that the functions of the core grains read from. */
export type GrainsContext = Parameters<GrainsFunction>[0];

export type Grains = Record<string, unknown>;

/** Timeout of a program that is run for a grain. */
const PROGRAM_MS = 1000;

/** The content of a small file, `""` if it is missing or not readable. */
export function fileText({ runtime }: GrainsContext, path: string): string {
  try {
    return runtime.fs.stat(path) === undefined ? "" : runtime.fs.readText(path);
  } catch {
    // A file that this user may not read counts as missing.
    return "";
  }
}

/** The names in a directory; empty if it is missing. */
export function namesIn({ runtime }: GrainsContext, path: string): string[] {
  try {
    return runtime.fs.stat(path)?.kind === "directory" ? runtime.fs.list(path) : [];
  } catch {
    return [];
  }
}

export function pathExists({ runtime }: GrainsContext, path: string): boolean {
  try {
    return runtime.fs.stat(path) !== undefined;
  } catch {
    return false;
  }
}

/** The full path of a program of this host. */
export function program({ runtime }: GrainsContext, name: string): string | undefined {
  return which(runtime.fs, name, runtime.process.env("PATH"));
}

/** The output of a program, for the few facts that no file contains; `""` if it cannot be run or takes too long. */
export async function askProgram(context: GrainsContext, argv: string[]): Promise<string> {
  const { clock, process } = context.runtime;
  let text = "";
  const decoder = new TextDecoder();
  try {
    const child = await process.spawn({
      argv,
      env: { ...process.environment(), LC_ALL: "C" },
      onStdout: (chunk) => {
        if (text.length < 65536) text += decoder.decode(chunk, { stream: true });
      },
    });
    const cancel = clock.after(PROGRAM_MS, () => child.kill("SIGKILL"));
    const { code } = await child.exited;
    cancel();
    return code === 0 ? text : "";
  } catch (error) {
    context.log.debug("program for a grain not run", { program: argv[0], error: messageOf(error) });
    return "";
  }
}

/** What is kept of a program, since asking it takes longer than all other grains together. */
interface Kept {
  /** The program, with the time and size of its file. */
  of: string;
  text: string;
}

function keptIn(context: GrainsContext, path: string): Partial<Kept> {
  const text = fileText(context, path);
  try {
    return text === "" ? {} : JSON.parse(text) as Partial<Kept>;
  } catch {
    // Written by half: the program is asked again.
    return {};
  }
}

/**
 * {@link askProgram} for output that changes only with the program's own file: it is kept in the cache directory.
 *
 * @param name of the file in the cache directory
 * @param argv the first word is the program's full path
 */
export async function askOnce(context: GrainsContext, name: string, argv: [string, ...string[]]): Promise<string> {
  const { runtime: { fs }, log, opts: { cachedir } } = context;
  const stat = fs.stat(argv[0]);
  if (stat === undefined || typeof cachedir !== "string" || cachedir === "") return await askProgram(context, argv);
  const of = `${argv[0]} ${stat.mtimeMs} ${stat.size}`;
  const path = joinPath(cachedir, name);
  const known = keptIn(context, path);
  if (known.of === of && typeof known.text === "string") return known.text;
  const text = await askProgram(context, argv);
  if (text === "") return "";
  try {
    fs.mkdir(cachedir, 0o755);
    fs.write(path, JSON.stringify({ of, text } satisfies Kept), { mode: 0o600 });
  } catch (error) {
    log.debug("output of a program for a grain not kept", { path, error: messageOf(error) });
  }
  return text;
}

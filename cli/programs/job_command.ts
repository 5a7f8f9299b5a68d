import type { JobCommand } from "../../src/host/minion/processes/pooled_process.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { programWords } from "../program/invocation.ts";

declare const process: { argv: string[]; execPath: string; execArgv: string[] };

/** What a job may need on Deno, where flags cannot be read from the process: what `-P=minion` of deno.json allows. */
const DENO_FLAGS = [
  "run",
  "--quiet",
  "--no-check",
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-sys",
  "--allow-run",
];

/** The flags that this program was started with on Deno; those before the file and the words of the program. */
function denoFlags(runtime: Runtime): string[] {
  try {
    const words = runtime.fs.readText(`/proc/${runtime.process.pid}/cmdline`).split("\0").slice(0, -1);
    const flags = words.slice(1, words.length - (process.argv.length - 1) - programWords().length);
    // Without a subcommand the words of a file are run, but no flags may come before it.
    if (flags[0] === "run") return flags;
  } catch {
    // This system does not show the command lines of processes.
  }
  return DENO_FLAGS;
}

/**
 * The flag that keeps Node from opening its inspector on SIGUSR1, from the first moment on. A daemon, which answers that
 * signal, cannot have the flag: it would not receive the signal.
 */
function quiet(runtime: Runtime): string[] {
  const flag = "--disable-sigusr1";
  const inspected = process.execArgv.some((word) => word.startsWith("--inspect"));
  return runtime.name === "node" && !inspected && !process.execArgv.includes(flag) ? [flag] : [];
}

/** The command that starts this program again with one more word, in the way it was started itself. */
export function ownCommand(runtime: Runtime, word: string): string[] {
  const { execPath, execArgv, argv } = process;
  const file = argv[1] ?? "";
  // A program that Bun made one file of is its own runtime: what it names as its file exists only inside of it.
  const compiled = file.startsWith("/$bunfs/") || file === execPath;
  const flags = runtime.name === "deno" ? [...denoFlags(runtime), "--no-prompt"] : [...execArgv, ...quiet(runtime)];
  return [execPath, ...compiled ? [] : [...flags, file], ...programWords(), word];
}

/** The command that starts this program again with the same words, as the daemon that it is. */
export function relaunchCommand(runtime: Runtime): string[] {
  const { execPath, execArgv, argv } = process;
  const file = argv[1] ?? "";
  const compiled = file.startsWith("/$bunfs/") || file === execPath;
  const flags = runtime.name === "deno" ? [...denoFlags(runtime), "--no-prompt"] : execArgv;
  return [execPath, ...compiled ? [] : [...flags, file], ...programWords(), ...argv.slice(2)];
}

/**
 * The command that starts one of our daemons with one more word, whichever program this is; undefined where its file does not exist: in a bundle,
 * or imported from the web.
 */
export function programCommand(
  runtime: Runtime,
  program: "salt-master" | "salt-minion",
  word: string,
): string[] | undefined {
  const url = new URL(`../${program}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
  const file = decodeURIComponent(url.pathname);
  if (url.protocol !== "file:" || runtime.fs.stat(file)?.kind !== "file") return undefined;
  const map = decodeURIComponent(new URL("../../deno.json", url).pathname);
  const mapped = runtime.fs.stat(map)?.kind === "file" ? ["--config", map] : [];
  const flags = runtime.name === "deno" ? [...DENO_FLAGS, ...mapped, "--no-prompt"] : quiet(runtime);
  return [process.execPath, ...flags, file, word];
}

/** How a process for one job is started; by default it is this program itself. */
export function jobCommand(
  runtime: Runtime,
  argv: readonly string[] = ownCommand(runtime, "--job-process"),
): JobCommand {
  return { argv };
}

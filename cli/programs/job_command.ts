import type { JobCommand } from "../../src/host/minion/processes/pooled_process.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { programWords } from "../program/invocation.ts";

declare const process: { argv: string[]; execPath: string; execArgv: string[] };

/** Flags for jobs on Deno if the flags of this process cannot be read: those that `-P=minion` of deno.json allows. */
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

/** The Deno flags of this process: the words of its command line before the file. */
function denoFlags(runtime: Runtime): string[] {
  try {
    const words = runtime.fs.readText(`/proc/${runtime.process.pid}/cmdline`).split("\0").slice(0, -1);
    const flags = words.slice(1, words.length - (process.argv.length - 1) - programWords().length);
    // Without a subcommand, Deno runs a file too, but its flags must not precede the file.
    if (flags[0] === "run") return flags;
  } catch {
    // The system does not show the command lines of processes.
  }
  return DENO_FLAGS;
}

/**
 * The flag that prevents Node from opening its inspector on SIGUSR1, from the first moment on. A daemon must not have the flag,
 * because it would not receive the signal, which it answers.
 */
function quiet(runtime: Runtime): string[] {
  const flag = "--disable-sigusr1";
  const inspected = process.execArgv.some((word) => /^--inspect(?:-brk|-wait)?(?:=|$)/.test(word));
  return runtime.name === "node" && !inspected && !process.execArgv.includes(flag) ? [flag] : [];
}

/** The command that starts this program again with an additional word, in the way that this process was started. */
export function ownCommand(runtime: Runtime, word: string): string[] {
  const { execPath, execArgv, argv } = process;
  const file = argv[1] ?? "";
  // A program compiled by Bun is its own runtime: the path of its file exists only inside the program.
  const compiled = file.startsWith("/$bunfs/") || file === execPath;
  const flags = runtime.name === "deno" ? [...denoFlags(runtime), "--no-prompt"] : [...execArgv, ...quiet(runtime)];
  return [execPath, ...compiled ? [] : [...flags, file], ...programWords(), word];
}

/** The command that starts this daemon again with the same words. */
export function relaunchCommand(runtime: Runtime): string[] {
  const { execPath, execArgv, argv } = process;
  const file = argv[1] ?? "";
  const compiled = file.startsWith("/$bunfs/") || file === execPath;
  const flags = runtime.name === "deno" ? [...denoFlags(runtime), "--no-prompt"] : execArgv;
  return [execPath, ...compiled ? [] : [...flags, file], ...programWords(), ...argv.slice(2)];
}

/**
 * The command that starts a daemon of Brine with an additional word, from any program; undefined if the daemon's file does not
 * exist, as in a bundle or an import from the web.
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

/** The command that starts a process for one job. @default this program */
export function jobCommand(
  runtime: Runtime,
  argv: readonly string[] = ownCommand(runtime, "--job-process"),
): JobCommand {
  return { argv };
}

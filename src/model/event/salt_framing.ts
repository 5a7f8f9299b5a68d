import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { dirName } from "../../base/paths.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { saltPackages } from "../../runtime/salt_package.ts";
import type { IpcFraming } from "../../protocol/wire/ipc_frame.ts";

/** A running process of real Salt on this host. */
interface SaltProcess {
  /** Start time in ticks since boot: the larger, the newer. */
  started: number;
  interpreter: string;
  program: string;
  words: string[];
}

function readProcess(fs: FileSystem, pid: string): SaltProcess | undefined {
  try {
    // Salt sets its process title, which separates the words by blanks.
    const [interpreter = "", ...words] = fs.readText(`/proc/${pid}/cmdline`).split(/[\0 ]/);
    if (!/python/.test(interpreter) || words.length === 0) return undefined;
    // The program's name may contain blanks and parentheses: count the fields after it. Field 22 is the start time.
    const stat = fs.readText(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      started: Number(fields[19]),
      interpreter,
      program: words.find((word) => !word.startsWith("-")) ?? "",
      words,
    };
  } catch {
    // The process may have ended in the meantime.
    return undefined;
  }
}

/** Rates how likely a process listens to the bus of the master with this `configDir`. */
function likelihood({ program, words }: SaltProcess, configDir: string): number {
  if (words.includes(configDir) || words.includes(`--config-dir=${configDir}`)) return 2;
  return program.slice(program.lastIndexOf("/") + 1).startsWith("salt") ? 1 : 0;
}

/** The likeliest process of real Salt, and the newest of equally likely ones. @param isWanted gets the path of the program */
function likeliest(
  fs: FileSystem,
  configDir: string,
  isWanted: (program: string) => boolean,
): SaltProcess & { rank: number } | undefined {
  let best: (SaltProcess & { rank: number }) | undefined;
  for (const pid of fs.list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const found = readProcess(fs, pid);
    if (found === undefined || !isWanted(found.program)) continue;
    const rank = likelihood(found, configDir);
    if (best !== undefined && (rank < best.rank || rank === best.rank && found.started < best.started)) continue;
    best = { ...found, rank };
  }
  return best;
}

/** The release of a package `salt`, and whether it sends a length before each event; undefined if the directory has none. */
function releaseIn(fs: FileSystem, directory: string): { is3006: boolean; hasLength: boolean } | undefined {
  const version = `${directory}/_version.txt`;
  if (fs.stat(version)?.kind !== "file") return undefined;
  const is3006 = fs.readText(version).startsWith("3006");
  const hasLength = is3006 && /frame_msg_ipc[\s\S]*struct\.pack/.test(fs.readText(`${directory}/transport/frame.py`));
  return { is3006, hasLength };
}

/** The release of an interpreter's Salt; undefined if it has no Salt. */
function releaseOf(fs: FileSystem, { interpreter }: SaltProcess): ReturnType<typeof releaseIn> {
  for (const prefix of new Set([dirName(dirName(interpreter)), "/usr", "/usr/local"])) {
    for (const directory of saltPackages(fs, prefix)) {
      const release = releaseIn(fs, directory);
      if (release !== undefined) return release;
    }
  }
  return undefined;
}

/** The framing that the package `salt` in a directory reads; without a directory, that of most releases. */
export function packageFraming(fs: FileSystem, log: Logger, directory: string | undefined): IpcFraming {
  if (directory === undefined) return "stream";
  return detected(fs, log, "stream", () => releaseIn(fs, directory)?.hasLength === true ? "length" : "stream");
}

function detected<T>(fs: FileSystem, log: Logger, otherwise: T, detect: () => T | undefined): T {
  try {
    if (fs.stat("/proc/self/cmdline") === undefined) return otherwise;
    return detect() ?? otherwise;
  } catch (error) {
    log.debug("the framing of events could not be determined", { error: messageOf(error) });
    return otherwise;
  }
}

/**
 * The framing that a newly connected program of real Salt reads. Nothing on the socket shows it, so the installation of the
 * likeliest process decides: a program of Salt, then an engine or runner of the master by the package in `lent`, then the newest.
 * Releases of 3006 that send a length before each event also expect one; no other release does.
 */
function detectListenerFraming(fs: FileSystem, log: Logger, configDir: string, lent: string | undefined): IpcFraming {
  return detected(fs, log, "stream", () => {
    // Skip minions: a minion listens to its own bus.
    const found = likeliest(fs, configDir, (program) => !program.endsWith("salt-minion"));
    if (lent !== undefined && (found === undefined || found.rank === 0)) return packageFraming(fs, log, lent);
    return found && (releaseOf(fs, found)?.hasLength === true ? "length" : "stream");
  });
}

/**
 * The framing that a real master on this host accepts: a length before each event, except for 3006 releases that send none.
 *
 * @param configDir the master's configuration directory
 */
export function pullFraming(fs: FileSystem, log: Logger, configDir: string): IpcFraming {
  return detected(fs, log, "length", () => {
    const found = likeliest(fs, configDir, (program) => program.endsWith("salt-master"));
    const release = found && releaseOf(fs, found);
    return release?.is3006 === true && !release.hasLength ? "stream" : "length";
  });
}

/**
 * Milliseconds for which an answer is used again: Python needs longer to load Salt and connect, so the last look has seen the
 * process.
 */
const HOLDS_MS = 250;

/**
 * Returns a function that detects the framing for a connecting listener, by {@link detectListenerFraming}. A look reads every
 * process of the host, which blocks the master for milliseconds, so frequent connections share one look for a quarter of a
 * second.
 *
 * @param now returns milliseconds; a clock that was set back causes a new look
 * @param lent the directory of Salt's package that Python modules of this host use. @default none
 */
export function listenerFraming(
  fs: FileSystem,
  log: Logger,
  configDir: string,
  now: () => number,
  lent: () => string | undefined = () => undefined,
): () => IpcFraming {
  let last: { framing: IpcFraming; atMs: number } | undefined;
  return () => {
    const atMs = now();
    if (last === undefined || Math.abs(atMs - last.atMs) >= HOLDS_MS) {
      last = { framing: detectListenerFraming(fs, log, configDir, lent()), atMs };
    }
    return last.framing;
  };
}

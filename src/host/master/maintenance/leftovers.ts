import { joinPath } from "../../../base/paths.ts";
import { tokenDirectory } from "../access/tokens.ts";
import { KEY_DIRECTORIES } from "../keys/key_directories.ts";
import type { MasterServices } from "../services.ts";

/** How many items are handled in one turn of the event loop: it takes about a millisecond if each is a small file. */
const BATCH = 50;

/**
 * Handles items a batch at a time, with a turn of the event loop between two of them; stops when the signal aborts.
 *
 * @param later calls back in the next turn of the event loop
 */
export async function inBatches<T>(
  items: readonly T[],
  later: (callback: () => void) => void,
  signal: AbortSignal,
  handle: (item: T, at: number) => void,
): Promise<void> {
  for (const [at, item] of items.entries()) {
    if (at % BATCH === 0 && at > 0) await new Promise<void>((resolve) => later(resolve));
    if (signal.aborted) return;
    handle(item, at);
  }
}

/** Matches the names of temporary files, which stay if their program is killed while writing. */
const TEMPORARY = /^\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.tmp$/;
/** The age in milliseconds from which a temporary file is certainly abandoned. */
const LEFT_MS = 3_600_000;

/** Removes the half-written files of killed programs beside the master's files. @returns how many */
export async function cleanLeftovers(
  { opts, runtime: { fs, clock, later } }: Pick<MasterServices, "opts" | "runtime">,
  signal: AbortSignal,
): Promise<number> {
  const minions = joinPath(opts.cachedir, "minions");
  const directories = [
    opts.pki_dir,
    ...Object.values(KEY_DIRECTORIES).map((name) => joinPath(opts.pki_dir, name)),
    opts.cachedir,
    tokenDirectory(opts),
    ...(fs.stat(minions)?.kind === "directory" ? fs.list(minions).map((id) => joinPath(minions, id)) : []),
  ];
  let gone = 0;
  await inBatches(directories, later, signal, (directory) => {
    if (fs.stat(directory, { follow: false })?.kind !== "directory") return;
    for (const name of fs.list(directory)) {
      if (!TEMPORARY.test(name)) continue;
      const path = joinPath(directory, name);
      const stat = fs.stat(path, { follow: false });
      if (stat?.kind !== "file" || clock.now() - stat.mtimeMs < LEFT_MS) continue;
      fs.remove(path);
      gone++;
    }
  });
  return gone;
}

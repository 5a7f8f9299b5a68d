import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

export interface MasterClustersOptions {
  fs: FileSystem;
  log: Logger;
  /** Where it is written down, for the next start: the master that a job came from may be gone by then. */
  path: string;
  /** Jids of the jobs of one master that are not over. */
  unfinished(address: string): readonly string[];
}

/** Which of a minion's masters work as one: a return that one of them does not take, another may have, and so a job that has not begun. */
export class MasterClusters {
  readonly #options: MasterClustersOptions;
  /** Address → the cluster that the master has named; the one that has spoken last is the last. */
  readonly #names = new Map<string, string>();

  constructor(options: MasterClustersOptions) {
    this.#options = options;
  }

  /** Reads what was written down. */
  open(): void {
    const { fs, log, path } = this.#options;
    if (fs.stat(path)?.kind !== "file") return;
    try {
      for (const [address, name] of Object.entries(JSON.parse(fs.readText(path)) as Record<string, unknown>)) {
        if (typeof name === "string") this.#names.set(address, name);
      }
    } catch (error) {
      log.warning("the list of clustered masters cannot be read: the masters send it again", {
        path,
        error: messageOf(error),
      });
    }
  }

  /** A master says of which cluster it is; undefined: of none. */
  tells(address: string, name: string | undefined): void {
    const before = this.#names.get(address);
    this.#names.delete(address);
    if (name !== undefined) this.#names.set(address, name);
    if (before === name) return;
    const { fs, log, path } = this.#options;
    try {
      fs.write(path, JSON.stringify(Object.fromEntries(this.#names)), { mode: 0o600, sync: true });
    } catch (error) {
      log.warning("the list of clustered masters cannot be written", { path, error: messageOf(error) });
    }
  }

  /** True for one master, and for two of the same cluster. */
  areOne(one: string, other: string): boolean {
    const name = this.#names.get(one);
    return one === other || name !== undefined && this.#names.get(other) === name;
  }

  /** The master of the same cluster that has spoken last; undefined if there is no other. */
  other(address: string): string | undefined {
    return [...this.#names.keys()].filter((other) => other !== address && this.areOne(address, other)).at(-1);
  }

  /** Jobs of the other masters that are of a cluster: any of its masters may have them by now. */
  jobsElsewhere(address: string): string[] {
    const { unfinished } = this.#options;
    return [...this.#names.keys()].filter((other) => other !== address).flatMap((other) => unfinished(other));
  }
}

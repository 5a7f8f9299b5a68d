import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

interface MasterClustersOptions {
  fs: FileSystem;
  log: Logger;
  /** The file that keeps the clusters for the next start: the master that a job came from may be gone by then. */
  path: string;
  /** Returns the jids of the jobs of one master that are not over. */
  unfinished(address: string): readonly string[];
}

/** Knows which of a minion's masters are one cluster: returns and jobs of one of them can go to any other. */
export class MasterClusters {
  readonly #options: MasterClustersOptions;
  /** Address → the cluster that the master has named, in the order in which the masters reported last. */
  readonly #names = new Map<string, string>();

  constructor(options: MasterClustersOptions) {
    this.#options = options;
  }

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

  /** Notes the cluster that a master belongs to; undefined for none. */
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

  /** True if two addresses are the same master or masters of the same cluster. */
  areOne(one: string, other: string): boolean {
    const name = this.#names.get(one);
    return one === other || name !== undefined && this.#names.get(other) === name;
  }

  /** Returns the master of the same cluster that has reported last; undefined if there is no other. */
  other(address: string): string | undefined {
    return [...this.#names.keys()].filter((other) => other !== address && this.areOne(address, other)).at(-1);
  }

  /** Returns the jobs of all other masters that belong to a cluster: any master of that cluster may have taken them over. */
  jobsElsewhere(address: string): string[] {
    const { unfinished } = this.#options;
    return [...this.#names.keys()].filter((other) => other !== address).flatMap((other) => unfinished(other));
  }
}

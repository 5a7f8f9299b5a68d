import type { ClusterKey } from "../../../feature/cluster/cluster_key.ts";
import { Mirror, type MirroredFiles } from "../../../feature/cluster/mirror.ts";
import { mirroredData, mirroredKeys, mirroredTokens } from "../../../feature/cluster/mirrored_files.ts";
import type { LedgerStorage } from "../../../feature/cluster/storage.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { joinPath } from "../../../base/paths.ts";
import { tokenDirectory } from "../access/tokens.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { MasterServices } from "../services.ts";

/** How often files are read that another program, such as `salt-key`, may have changed, in milliseconds. */
const SCAN_MS = 500;
/** How often the files with data of minions are read, which only the master writes, in milliseconds. */
const DATA_MS = 10_000;
/** How long changes are gathered before they are synchronised, in milliseconds. */
const SOON_MS = 10;

interface MirrorsOptions {
  storage: LedgerStorage;
  key: ClusterKey;
  runtime: Runtime;
  log: Logger;
  services: MasterServices;
  /** Returns the name of this master's life. */
  life(): string;
  /** Called when changes of a kind are in the storage. */
  sent(kind: string): void;
}

/** Keeps the keys, data and tokens of this master the same as those of the other masters. */
export class Mirrors {
  readonly #all: Map<string, Mirror>;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** The kinds of records that are synchronised soon. */
  readonly #woken = new Set<string>();
  #stopWaiting: () => void = () => {};
  #closed = false;
  #failed = false;

  constructor({ storage, key, runtime: { fs, crypto, clock }, log, services, life, sent }: MirrorsOptions) {
    const { opts } = services;
    const directory = joinPath(opts.cachedir, "cluster");
    fs.mkdir(directory, 0o700);
    const seal = key.crypticle("records");
    const tokens = tokenDirectory(opts);
    const mirror = (files: MirroredFiles, scanMs: number) =>
      new Mirror({
        storage,
        files,
        seal,
        crypto,
        by: life(),
        fs,
        cluster: key.fingerprint,
        statePath: joinPath(directory, `${files.kind}.mirror`),
        elapsed: () => clock.elapsed(),
        log,
        scanMs,
        onSent: () => sent(files.kind),
      });
    this.#log = log;
    this.#clock = clock;
    this.#all = new Map([
      ["key", mirror(mirroredKeys(fs, opts.pki_dir), SCAN_MS)],
      ["token", mirror(mirroredTokens(fs, crypto, tokens), SCAN_MS)],
      ["data", mirror(mirroredData(fs, opts.cachedir), DATA_MS)],
    ]);
    services.keys.onChange = (id) => this.#touch("key", id);
    services.tokens.onChange = (token) => this.#touch("token", token);
    services.cache.onChange = (name) => this.#touch("data", name);
  }

  #touch(kind: string, name: string): void {
    this.#all.get(kind)!.touch(name);
    this.wake(kind);
  }

  /** Called when a record of a kind has changed, here or on another master: the kind is synchronised in a moment, once for all changes. */
  wake(kind: string): void {
    if (this.#closed || !this.#all.has(kind)) return;
    this.#woken.add(kind);
    if (this.#woken.size > 1) return;
    this.#stopWaiting = this.#clock.after(SOON_MS, () => {
      const kinds = [...this.#woken];
      this.#woken.clear();
      if (!this.#closed) void this.look(kinds);
    });
  }

  get kinds(): Iterable<string> {
    return this.#all.keys();
  }

  close(): void {
    this.#closed = true;
    this.#stopWaiting();
  }

  /**
   * Synchronises the files of this master and the storage; a kind that fails is tried again at the next call.
   *
   * @param kinds @default all
   */
  async look(kinds: Iterable<string> = this.#all.keys()): Promise<void> {
    try {
      // The kinds run in parallel: a decision on a key does not wait for the grains of thousands of minions.
      const ended = await Promise.allSettled([...kinds].map((kind) => this.#all.get(kind)!.sync()));
      const failed = ended.find(({ status }) => status === "rejected");
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      if (this.#failed) this.#log.info("keys and data of minions are synchronized with the other masters again");
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) {
        this.#log.error("keys and data of minions cannot be synchronized with the other masters", {
          error: messageOf(error),
        });
      }
      this.#failed = true;
    }
  }
}

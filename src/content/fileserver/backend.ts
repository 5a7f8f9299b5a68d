import type { FileStat } from "../../runtime/fs.ts";
import type { HashName } from "../../runtime/crypto.ts";
import type { Packed } from "../../protocol/wire/msgpack.ts";

/** A file that may be served. */
export interface FoundFile {
  /** Full path on the disk of the file server. */
  path: string;
  /** Path below the root. */
  rel: string;
  stat: FileStat;
}

/** Everything that an environment holds, by paths below its roots, each list in order of its code points. */
export interface Listing {
  files: string[];
  dirs: string[];
  empty_dirs: string[];
  /** Path of each link → its target as the link states it. */
  links: Record<string, string>;
}

/** What an update of a backend has found changed; also the data of the event `salt/fileserver/<backend>/update`. */
export interface BackendUpdate {
  changed: boolean;
  /** Absent if the backend does not compare single files. */
  files?: { changed: string[]; removed: string[]; added: string[] };
  backend: string;
}

/**
 * A place that files are served from. All paths and names come from minions: it MUST NOT find anything outside the
 * environment, by no spelling and through no link.
 */
export interface FileBackend {
  readonly name: string;
  environments(): string[];
  find(path: string, saltenv: string): FoundFile | undefined | Promise<FoundFile | undefined>;
  /** Reads at most `length` bytes; fewer at the end of the file. */
  read(found: FoundFile, offset: number, length: number): Uint8Array;
  /** A text that changes whenever the content of the file may have changed. */
  version(found: FoundFile): string;
  /** The digest of the file in hexadecimal; undefined if the file was removed meanwhile. @param asker the minion that asks */
  hash(found: FoundFile, asker?: string): Promise<string | undefined>;
  list(saltenv: string): Promise<Listing>;
  /**
   * A text that changes with each new listing; undefined while the next listing is not made yet. A backend that must list to
   * know this has no such method.
   */
  listVersion?(saltenv: string): string | undefined;
  /** Looks for changes. @param dueOnly update only what is due by the backend's own interval */
  update(dueOnly?: boolean): Promise<BackendUpdate>;
  /** Deletes cached listings, and returns their environments. @param wanted environments; all if undefined */
  forgetLists(wanted: readonly string[] | undefined): string[];
  /**
   * Deletes what was fetched. A backend that fetches nothing has neither this nor the two methods below.
   *
   * @returns the errors, in sentences
   */
  clearCache?(): string[];
  /** Locks remotes against updates, until the lock is removed. @param remote a glob; all if undefined */
  setLock?(remote?: string): LockResult;
  clearLock?(remote?: string): LockResult;
}

/** What was done to the locks of remotes, in sentences. */
export interface LockResult {
  done: string[];
  errors: string[];
}

/** Work that takes long with large files and trees: the worker processes of a master do it. */
export interface HeavyWork {
  /** The digest of a file in hexadecimal. @param asker the minion that asks: its requests are bounded */
  digest(name: HashName, path: string, asker: string): Promise<string>;
  /** The reply to a command that lists an environment, packed. */
  list(load: Record<string, unknown>, asker: string): Promise<Packed>;
  update(backends: readonly string[]): Promise<BackendUpdate[]>;
}

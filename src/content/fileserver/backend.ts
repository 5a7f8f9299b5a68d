import type { FileStat } from "../../runtime/fs.ts";

/** A file that may be served. */
export interface FoundFile {
  /** On the disk of the server. */
  path: string;
  /** Below its root. */
  rel: string;
  stat: FileStat;
}

/** Everything that an environment holds, by paths below its roots, each list in order of its code points. */
export interface Listing {
  files: string[];
  dirs: string[];
  empty_dirs: string[];
  /** Link → what it says. */
  links: Record<string, string>;
}

/** What has changed since the last look, as `salt/fileserver/<backend>/update` carries it. */
export interface BackendUpdate {
  changed: boolean;
  /** Absent where files are not looked at one by one. */
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
  /** At most `length` bytes; fewer at the end. */
  read(found: FoundFile, offset: number, length: number): Uint8Array;
  /** Changes when the content may have changed. */
  version(found: FoundFile): string;
  /** In hexadecimal; undefined if the file was removed meanwhile. @param asker the minion that asks */
  hash(found: FoundFile, asker?: string): Promise<string | undefined>;
  list(saltenv: string): Promise<Listing>;
  /** Changes with each new listing; undefined while one has to be made. Absent where that is not known without making it. */
  listVersion?(saltenv: string): string | undefined;
  /** @param dueOnly only what is due by the backend's own interval */
  update(dueOnly?: boolean): Promise<BackendUpdate>;
  /** Deletes cached listings, and returns their environments. @param wanted all if undefined */
  forgetLists(wanted: readonly string[] | undefined): string[];
  /** Deletes what was fetched. Absent, with those below, where nothing is fetched. @returns what went wrong */
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

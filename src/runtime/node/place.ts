/**
 * Where a change of a file takes place. Root works in directories that belong to users, who can put a link in the place of a file or
 * of a directory at any time, also between a look and a call. So each directory that a user can change is held by a descriptor, and the
 * next name is looked up from there: `/proc/self/fd/N/name` means that directory, wherever its own name leads by then.
 */
import type { Stats } from "node:fs";
import { checkUsersLink, MAX_LINKS, onlyRootChanges, type UsersLink } from "../foreign_links.ts";
import { fs } from "./byte_names.ts";

const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** The flag of `open` for a descriptor that only names a file, link, pipe or device. Node has no constant for it. */
const O_PATH = 0o10000000;

/** The kernel's clock for files ticks at 10 ms or less: a link with an older time has not been changed in between. */
const TICK_MS = 20;

/** How often a link that has just been changed is read again. */
const ATTEMPTS = 5;

/** The sticky bit of a directory: only root and the owners of a file and the directory may rename and remove the file. */
const STICKY = 0o1000;

/** The system calls of a walk. A test can replace them, to act between two of them. */
export type SystemCalls = Pick<typeof fs, "lstatSync" | "openSync" | "fstatSync" | "readlinkSync" | "closeSync">;

/** Where a path leads, for as long as {@link inPlace} runs. */
export interface Place {
  /** The path for system calls. Only root can make it lead elsewhere. */
  path: string;
  /** Flags to add when the path is opened: a link is refused, and a pipe does not block. */
  flags: number;
  /** True if the name was missing in a directory that a user can change. By now it may be a link, so it must be opened with {@link Place.flags}. */
  vacant: boolean;
}

/** The result of {@link Walk.go}. */
interface Reached extends Place {
  /** The path with its links resolved; it may end at missing names. */
  real: string;
  /** The errno if the path ends before its last name, in a directory that a user can change. */
  blocked?: string;
}

/** The file with a name; with a descriptor if a user could replace the file. */
interface Found {
  stat: Stats;
  fd?: number;
}

const namesOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".");

const failure = (code: string) => Object.assign(new Error(code), { code });

const isRoot = () => process.geteuid?.() === 0;

/** True if `/proc/self/fd` can be used. Without it users' links are refused as well, but a link that is made right after the check is missed. */
export const descriptorsHaveNames = () => process.platform === "linux" && fs.existsSync("/proc/self/fd");

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Walks from the root of the file system to a file, one name at a time. */
class Walk {
  readonly #file: string;
  readonly #calls: SystemCalls;
  /** Whether users' links are checked: only if this process is root, since only root may change files that the link's owner may not. */
  readonly #careful: boolean;
  /** The rest of the path, next part last: names, and links whose targets are to be checked. */
  readonly #rest: (string | UsersLink)[];
  #real: string[] = [];
  /** The path of the current directory for system calls; "" is the root. */
  #here = "";
  #fd: number | undefined;
  /** The status of the current directory if a user can change names on the way to it; otherwise undefined. */
  #users: Stats | undefined;
  /** Whether only root can change the names so far, so that the system may resolve the given path itself. */
  #asGiven = true;
  #links = 0;

  constructor(file: string, calls: SystemCalls) {
    this.#file = file;
    this.#calls = calls;
    this.#careful = isRoot();
    this.#rest = namesOf(file.startsWith("/") ? file : `${process.cwd()}/${file}`).reverse();
  }

  close(): void {
    if (this.#fd !== undefined) this.#calls.closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Walks to the end of the path. @param follow whether a link at the end is followed, too */
  go(follow: boolean): Reached {
    for (;;) {
      const part = this.#rest.pop();
      if (part === undefined) return this.#reached(this.#here || "/");
      if (typeof part !== "string") {
        checkUsersLink(this.#file, part, this.#users ?? { uid: 0 });
        continue;
      }
      if (part === "..") {
        this.#up();
        continue;
      }
      const last = !this.#rest.some((one) => typeof one === "string");
      // Links of /proc do not lead where they say: those of descriptors to pipes and files without a name.
      if (last && (!follow || this.#real[0] === "proc")) return this.#named(part);
      const found = this.#look(part);
      if (found?.stat.isSymbolicLink()) this.#follow(part, found);
      else if (last) return this.#end(part, found);
      else if (found === undefined) return this.#blocked("ENOENT", part);
      else if (!found.stat.isDirectory()) return this.#blocked("ENOTDIR", part, found);
      else this.#enter(part, found);
    }
  }

  /** Looks up a name in the current directory. */
  #look(name: string): Found | undefined {
    const path = `${this.#here}/${name}`;
    if (this.#fd === undefined) {
      const stat = this.#calls.lstatSync(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : { stat };
    }
    try {
      return this.#hold(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #hold(path: string): Required<Found> {
    const fd = this.#calls.openSync(path, O_PATH | O_NOFOLLOW);
    return { fd, stat: this.#calls.fstatSync(fd) };
  }

  #enter(name: string, found: Found): void {
    const path = `${this.#here}/${name}`;
    if (!this.#careful || (this.#users === undefined && onlyRootChanges(found.stat))) this.#here = path;
    // In directories that only root can change, the name still leads to the checked file.
    else this.#stand(path, this.#users === undefined && descriptorsHaveNames() ? undefined : found);
    this.#real.push(name);
  }

  /** Makes a directory the current one that a user can change, or that is below such a directory. */
  #stand(path: string, found?: Found): void {
    const { stat, fd } = found ?? this.#hold(path);
    this.close();
    this.#fd = fd;
    this.#users = stat;
    this.#here = fd === undefined ? path : `/proc/self/fd/${fd}`;
    this.#asGiven = false;
  }

  #up(): void {
    this.#real.pop();
    if (this.#fd !== undefined) this.#stand(`${this.#here}/..`);
    else {
      this.#here = this.#real.map((name) => `/${name}`).join("");
      if (this.#users !== undefined) this.#users = this.#calls.lstatSync(this.#here || "/");
    }
  }

  /** Follows a link. The target of a link that a user could have made is checked later: it has to belong to that user. */
  #follow(name: string, { stat, fd }: Found): void {
    if (fd !== undefined) this.#calls.closeSync(fd);
    if (++this.#links > MAX_LINKS) throw failure("ELOOP");
    const path = `${this.#here}/${name}`;
    const rootsAlone = this.#users === undefined || onlyRootChanges(this.#users);
    if (!rootsAlone && stat.uid !== 0) {
      this.#rest.push({ uid: stat.uid, path: `/${[...this.#real, name].join("/")}` });
      // The target is checked when it is reached, so it does not matter if the link was replaced before its text was read.
      this.#asGiven = false;
    }
    const settled = rootsAlone || stat.uid !== 0 || (this.#users!.uid === 0 && (this.#users!.mode & STICKY) !== 0);
    const to = settled ? this.#calls.readlinkSync(path) : this.#steadyLink(path);
    this.#rest.push(...namesOf(to).reverse());
    if (!to.startsWith("/")) return;
    this.close();
    this.#users = undefined;
    this.#here = "";
    this.#real = [];
  }

  /** Reads a link of root in a directory whose owner can replace the link at any time: read again until it did not change. */
  #steadyLink(path: string): string {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = Date.now() - TICK_MS;
      const first = this.#calls.lstatSync(path);
      const to = this.#calls.readlinkSync(path);
      const second = this.#calls.lstatSync(path);
      const same = first.ino === second.ino && first.dev === second.dev && first.ctimeMs === second.ctimeMs;
      if (same && first.uid === 0 && first.isSymbolicLink() && first.ctimeMs < before) return to;
      Atomics.wait(pause, 0, 0, TICK_MS);
    }
    throw failure("ELOOP");
  }

  /** Ends the walk at the last name itself: a link is not followed. */
  #named(name: string): Reached {
    for (const link of this.#rest) checkUsersLink(this.#file, link as UsersLink, this.#look(name)?.stat);
    return this.#reached(`${this.#here}/${name}`, name, O_NOFOLLOW | O_NONBLOCK);
  }

  /** Ends the walk at the file with the last name. */
  #end(name: string, found: Found | undefined): Reached {
    const path = `${this.#here}/${name}`;
    // Keeps the descriptor in the walk, so that an exception closes it.
    if (found?.fd !== undefined) this.#stand(path, found);
    for (const link of this.#rest.toReversed()) checkUsersLink(this.#file, link as UsersLink, found?.stat);
    return found?.fd === undefined
      ? this.#reached(path, name, O_NOFOLLOW | O_NONBLOCK, found === undefined)
      : this.#reached(this.#here, name);
  }

  /** Ends the walk before the last name, with an errno. */
  #blocked(code: string, name: string, found?: Found): Reached {
    if (found?.fd !== undefined) this.#calls.closeSync(found.fd);
    const links = this.#rest.filter((one) => typeof one !== "string");
    if (links.length > 0) checkUsersLink(this.#file, links.at(-1)!, undefined);
    const users = this.#users !== undefined;
    this.#real.push(name);
    for (const one of this.#rest.toReversed() as string[]) one === ".." ? this.#real.pop() : this.#real.push(one);
    // In a directory of root, the system call itself reports the error. In another one, the missing name may exist a moment later.
    return { ...this.#reached(this.#file), ...users ? { blocked: code } : {} };
  }

  #reached(path: string, name?: string, flags = O_NONBLOCK, vacant = false): Reached {
    const real = `/${[...this.#real, ...name === undefined ? [] : [name]].join("/")}`;
    return this.#asGiven ? { path: this.#file, flags: 0, vacant: false, real } : { path, flags, vacant, real };
  }
}

/**
 * Calls `use` with the place where a change of a file takes effect.
 *
 * @param follow whether a link at the end of the path is followed; otherwise the link itself is changed, or refused
 * @throws {ForeignLinkError} if a user's link is on the way, and its target does not belong to that user
 */
export function inPlace<T>(file: string, follow: boolean, use: (place: Place) => T, calls: SystemCalls = fs): T {
  if (!isRoot()) return use({ path: file, flags: 0, vacant: false });
  const walk = new Walk(file, calls);
  try {
    const { blocked, ...place } = walk.go(follow);
    if (blocked !== undefined) throw failure(blocked);
    return use(place);
  } finally {
    walk.close();
  }
}

/** The path with all links resolved, which may end at missing names. @throws {ForeignLinkError} as {@link inPlace} does */
export function realPlace(file: string, calls: SystemCalls = fs): string {
  const walk = new Walk(file, calls);
  try {
    return walk.go(true).real;
  } finally {
    walk.close();
  }
}

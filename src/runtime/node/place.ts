/**
 * Where a change of a file takes place. Root works in directories that belong to users, who can put a link in the place of a file or
 * of a directory at any time, also between a look and a call. So each directory that a user can change is held by a descriptor, and the
 * next name is looked up from there: `/proc/self/fd/N/name` means that directory, wherever its own name leads by then.
 */
import type { Stats } from "node:fs";
import { checkUsersLink, MOST_LINKS, onlyRootChanges, type UsersLink } from "../foreign_links.ts";
import { fs } from "./byte_names.ts";

const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Opens a name itself, be it a link, a pipe or a device, only to look at it and to name it. Node has no constant for it. */
const O_PATH = 0o10000000;

/** The kernel's clock for files ticks at 10 ms or less: a link with an older time has not been changed in between. */
const TICK_MS = 20;

/** How often a link that has just been changed is read again. */
const ATTEMPTS = 5;

/** In such a directory a file is renamed and removed by its owner, the directory's owner and root alone. */
const STICKY = 0o1000;

/** The calls of the system that a walk is made of. A test puts itself between two of them. */
export type SystemCalls = Pick<typeof fs, "lstatSync" | "openSync" | "fstatSync" | "readlinkSync" | "closeSync">;

/** Where a path leads, for as long as {@link inPlace} runs. */
export interface Place {
  /** What to give to the system. Nobody but root can make it mean something else. */
  path: string;
  /** To be added when it is opened: nothing there is a link, and a pipe is not waited for. */
  flags: number;
  /** True if nothing was there, in a directory that a user can change: by now it may be a link, and only such flags tell. */
  vacant: boolean;
}

/** What {@link Walk.go} has found. */
interface Reached extends Place {
  /** The path with its links resolved; it may end at missing names. */
  real: string;
  /** Why the way ends before the last name, in a directory that a user can change. */
  blocked?: string;
}

/** What stands under a name, held if a user could put something else there. */
interface Found {
  stat: Stats;
  fd?: number;
}

const namesOf = (path: string) => path.split("/").filter((part) => part !== "" && part !== ".");

const failure = (code: string) => Object.assign(new Error(code), { code });

const isRoot = () => process.geteuid?.() === 0;

/** Elsewhere users' links are refused as well, but one that is made right after the look is not seen. */
export const descriptorsHaveNames = () => process.platform === "linux" && fs.existsSync("/proc/self/fd");

const pause = new Int32Array(new SharedArrayBuffer(4));

/** From the root of the file system to a file, one name at a time. */
class Walk {
  readonly #file: string;
  readonly #calls: SystemCalls;
  /** Whether users' links are refused: what others may not change they cannot make anybody but root change. */
  readonly #careful: boolean;
  /** What is left of the way, the next one last: names, and links whose ends are to be checked. */
  readonly #rest: (string | UsersLink)[];
  #real: string[] = [];
  /** The directory that has been reached, as the system knows it; "" is the root. */
  #here = "";
  #fd: number | undefined;
  /** Its status, once a user can change the names on the way to it; undefined before that. */
  #users: Stats | undefined;
  /** Whether only root can change what is on the way, so that the system may walk it by itself. */
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

  /** @param follow whether a link at the end is followed, too */
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

  /** What stands under a name of the directory that has been reached. */
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
    // Below root's directories the name still means what was looked at.
    else this.#stand(path, this.#users === undefined && descriptorsHaveNames() ? undefined : found);
    this.#real.push(name);
  }

  /** Goes on from a directory that a user can change, or that is below one. */
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

  /** Goes on where a link leads. One that a user could have made is followed to what is that user's own. */
  #follow(name: string, { stat, fd }: Found): void {
    if (fd !== undefined) this.#calls.closeSync(fd);
    if (++this.#links > MOST_LINKS) throw failure("ELOOP");
    const path = `${this.#here}/${name}`;
    const rootsAlone = this.#users === undefined || onlyRootChanges(this.#users);
    if (!rootsAlone && stat.uid !== 0) {
      this.#rest.push({ uid: stat.uid, path: `/${[...this.#real, name].join("/")}` });
      // What it leads to is checked at its end: it does not matter whether the text is that of the same link still.
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

  /** The text of a link of root, in a directory whose owner can exchange it for another at any time. */
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

  /** The last name itself, whatever it is. */
  #named(name: string): Reached {
    for (const link of this.#rest) checkUsersLink(this.#file, link as UsersLink, this.#look(name)?.stat);
    return this.#reached(`${this.#here}/${name}`, name, O_NOFOLLOW | O_NONBLOCK);
  }

  /** What the last name stands for. */
  #end(name: string, found: Found | undefined): Reached {
    const path = `${this.#here}/${name}`;
    // Held from here on: what is thrown closes it.
    if (found?.fd !== undefined) this.#stand(path, found);
    for (const link of this.#rest.toReversed()) checkUsersLink(this.#file, link as UsersLink, found?.stat);
    return found?.fd === undefined
      ? this.#reached(path, name, O_NOFOLLOW | O_NONBLOCK, found === undefined)
      : this.#reached(this.#here, name);
  }

  /** The way ends before the last name. */
  #blocked(code: string, name: string, found?: Found): Reached {
    if (found?.fd !== undefined) this.#calls.closeSync(found.fd);
    const links = this.#rest.filter((one) => typeof one !== "string");
    if (links.length > 0) checkUsersLink(this.#file, links.at(-1)!, undefined);
    const users = this.#users !== undefined;
    this.#real.push(name);
    for (const one of this.#rest.toReversed() as string[]) one === ".." ? this.#real.pop() : this.#real.push(one);
    // In a directory of root the system says it itself. In another one, the missing name may be there a moment later.
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
 * @param follow whether a link at the end of the path is followed; otherwise it is the link that is changed, or refused
 * @throws {ForeignLinkError} if a user's link is on the way, and leads to what is not that user's
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

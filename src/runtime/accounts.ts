/** Users and groups of a host: from its files, and from the other sources of `nsswitch.conf`, such as LDAP, by `getent`. */
import type { FileStat, FileSystem } from "./fs.ts";
import type { Runtime } from "./runtime.ts";
import type { ProcessAccount as User } from "./process.ts";

/** The parts of a runtime that the functions here use. */
export type AccountHost = Pick<Runtime, "clock" | "fs" | "process">;

/** An entry of the password database. */
export interface Account extends User {
  passwd: string;
  gecos: string;
  home: string;
  shell: string;
}

export interface Group {
  name: string;
  passwd: string;
  gid: number;
  members: string[];
}

type Database = "passwd" | "group" | "shadow";

/** Fields of a row, by database: a row with fewer is no entry. */
const LEAST_FIELDS = { passwd: 4, group: 3, shadow: 8 } as const satisfies Record<Database, number>;
const GETENT = ["/usr/bin/getent", "/bin/getent", "/run/current-system/sw/bin/getent"];

/** How long an answer of `getent` is used again, in milliseconds: an entry, and, for less long, a list or "no such entry". */
const [KNOWN_MS, UNKNOWN_MS] = [60_000, 5_000];
const ASK_MS = 30_000;
/** Bytes of a list of users or groups, at most: a directory of a million users. */
const MAX_BYTES = 256 * 1024 * 1024;

type Rows = readonly string[][];

/** The parsed content of a file, and the state of the file when it was read. */
interface Read<T> {
  stat: FileStat;
  value: T;
}

/** The accounts of a file system, kept between calls: each file state asks for its owner by name. */
interface Known {
  files: Map<string, Read<unknown>>;
  answers: Map<string, { rows: Rows; until: number; stamp: string }>;
}

const KNOWN = new WeakMap<FileSystem, Known>();

function knownOf(fs: FileSystem): Known {
  const known = KNOWN.get(fs) ?? { files: new Map(), answers: new Map() };
  KNOWN.set(fs, known);
  return known;
}

const sameFile = (a: FileStat, b: FileStat): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;

/** The parsed content of a file, read again only after the file has changed; undefined if there is no file. */
function fileOf<T>(fs: FileSystem, path: string, parse: (text: string) => T): T | undefined {
  const stat = fs.stat(path);
  if (stat?.kind !== "file") return undefined;
  const { files } = knownOf(fs);
  const known = files.get(path);
  if (known !== undefined && sameFile(known.stat, stat)) return known.value as T;
  const value = parse(fs.readText(path));
  files.set(path, { stat, value });
  return value;
}

const rowsIn = (least: number) => (text: string): Rows =>
  text.split("\n").map((line) => line.split(":"))
    .filter((parts) => parts.length >= least && parts[0] !== "" && !/^[#+-]/.test(parts[0]!));

const fileRows = (fs: FileSystem, database: Database, root: string): Rows =>
  fileOf(fs, `${root}/etc/${database}`, rowsIn(LEAST_FIELDS[database])) ?? [];

/** The sources of each database, as `nsswitch.conf` names them. */
function sourcesIn(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text.split("\n").map((line) => /^\s*(\w+):([^#]*)/.exec(line)).filter((match) => match !== null);
  return new Map(
    lines.map(([, name = "", sources = ""]) => [name, sources.replace(/\[[^\]]*\]/g, " ").trim().split(/\s+/)]),
  );
}

/** The sources of each database. Callers with several questions pass the result on, so that the file is checked once. */
const sourcesOf = ({ fs }: AccountHost) => fileOf(fs, "/etc/nsswitch.conf", sourcesIn);

/** Whether a database has sources besides its file: none, sources that are asked after the file, or sources that come first. */
function otherSources(host: AccountHost, database: Database, known = sourcesOf(host)): "none" | "after" | "first" {
  const sources = known?.get(database) ?? ["files"];
  if (sources.every((source) => source === "files")) return "none";
  return sources[0] === "files" ? "after" : "first";
}

/** The rows that `getent` prints for a key, or all rows without a key; undefined if `getent` cannot be run. */
function getent(host: AccountHost, database: string, key: string | undefined, least: number): Rows | undefined {
  const { clock, fs, process } = host;
  const program = GETENT.find((path) => fs.stat(path)?.kind === "file");
  if (program === undefined) return undefined;
  // An answer has the rows of these files, too.
  const stamp = Object.keys(LEAST_FIELDS).map((name) => {
    const stat = fs.stat(`/etc/${name}`);
    return `${stat?.ino}:${stat?.mtimeMs}:${stat?.size}`;
  }).join();
  const { answers } = knownOf(fs);
  const name = `${database}:${key ?? ""}`;
  const known = answers.get(name);
  if (known !== undefined && known.until > clock.now() && known.stamp === stamp) return known.rows;
  const result = process.runNow([program, database, ...(key === undefined ? [] : ["--", key])], {
    timeoutMs: ASK_MS,
    maxBytes: MAX_BYTES,
  });
  // getent exits with 2 if there is no such entry.
  if (result === undefined || result.code !== 0 && result.code !== 2) return undefined;
  const rows = rowsIn(least)(new TextDecoder().decode(result.stdout));
  const lasts = key === undefined || rows.length === 0 ? UNKNOWN_MS : KNOWN_MS;
  answers.set(name, { rows, until: clock.now() + lasts, stamp });
  return rows;
}

function rowOf(
  host: AccountHost,
  database: Database,
  who: string | number,
  sources = sourcesOf(host),
): string[] | undefined {
  const matches = ([name, , number]: string[]) => typeof who === "number" ? Number(number) === who : name === who;
  const own = fileRows(host.fs, database, "").find(matches);
  const others = otherSources(host, database, sources);
  if (others === "none" || own !== undefined && others === "after") return own;
  // A name of digits is not asked for: getent would take it for a number.
  if (typeof who === "string" && (/^\d*$/.test(who) || /[\0\n:]/.test(who))) return own;
  return getent(host, database, String(who), LEAST_FIELDS[database])?.find(matches) ?? own;
}

function allRows(host: AccountHost, database: Database, root: string): Rows {
  const own = fileRows(host.fs, database, root);
  if (root !== "" || otherSources(host, database) === "none") return own;
  return getent(host, database, undefined, LEAST_FIELDS[database]) ?? own;
}

function accountOf([name = "", passwd = "", uid, gid, gecos = "", home = "/", shell = ""]: string[]): Account {
  return { name, passwd, uid: Number(uid), gid: Number(gid), gecos, home, shell };
}

function groupOf([name = "", passwd = "", gid, members = ""]: string[]): Group {
  return { name, passwd, gid: Number(gid), members: members.split(",").filter((member) => member !== "") };
}

/** The account with a name or number; undefined if no source has it. */
export function findAccount(host: AccountHost, who: string | number): Account | undefined {
  const row = rowOf(host, "passwd", who);
  return row === undefined ? undefined : accountOf(row);
}

/** The group with a name or number; undefined if no source has it. */
export function findGroup(host: AccountHost, who: string | number): Group | undefined {
  const row = rowOf(host, "group", who);
  return row === undefined ? undefined : groupOf(row);
}

/** The names of a user and a group; a number without an entry is returned as text. */
export function ownerNames(
  host: AccountHost,
  { uid, gid }: { uid: number; gid: number },
): { user: string | number; group: string | number } {
  const sources = sourcesOf(host);
  return {
    user: rowOf(host, "passwd", uid, sources)?.[0] ?? uid,
    group: rowOf(host, "group", gid, sources)?.[0] ?? gid,
  };
}

/** The accounts of this host, as far as their sources list them, or of the system below a directory. */
export function allAccounts(host: AccountHost, root = ""): Account[] {
  return allRows(host, "passwd", root).map(accountOf);
}

/** The groups of this host, as far as their sources list them, or of the system below a directory. */
export function allGroups(host: AccountHost, root = ""): Group[] {
  return allRows(host, "group", root).map(groupOf);
}

/** The rows of the shadow database. Without `root`, only the user root gets any. */
export function shadowRows(host: AccountHost, root = ""): Rows {
  return allRows(host, "shadow", root);
}

/** The groups of a user, the primary group included, sorted. */
export function groupsOf(host: AccountHost, name: string, root = ""): string[] {
  const groups = fileRows(host.fs, "group", root).map(groupOf);
  const own = root === ""
    ? findAccount(host, name)?.gid
    : allAccounts(host, root).find((account) => account.name === name)?.gid;
  const names = groups.filter((group) => group.gid === own || group.members.includes(name)).map((group) => group.name);
  if (root === "" && own !== undefined && otherSources(host, "group") !== "none" && !/^\d*$/.test(name)) {
    // One line without colons: the name, blanks up to a column, then the numbers of its further groups. A name without any ends in blanks.
    const [line = ""] = getent(host, "initgroups", name, 1)?.[0] ?? [];
    const numbers = new Set([own, ...line.trim().split(/\s+/).slice(1).map(Number)]);
    for (const number of numbers) {
      const group = findGroup(host, number);
      if (group !== undefined) names.push(group.name);
    }
  }
  return [...new Set(names)].sort();
}

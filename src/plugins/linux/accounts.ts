import type { FileStat, FileSystem } from "../../runtime/fs.ts";

/** A line of /etc/passwd. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

/** The rows of a file, and what the file was like when they were read. */
interface Read {
  stat: FileStat;
  rows: string[][];
}

/** What was read of a file system's files: each state of a file asks for its owner by name. */
const READ = new WeakMap<FileSystem, Map<string, Read>>();

const sameFile = (a: FileStat, b: FileStat): boolean =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;

function fields(fs: FileSystem, file: string, count: number): string[][] {
  const stat = fs.stat(file);
  if (stat?.kind !== "file") return [];
  const files = READ.get(fs) ?? new Map<string, Read>();
  READ.set(fs, files);
  const known = files.get(file);
  if (known !== undefined && sameFile(known.stat, stat)) return known.rows;
  const rows = fs.readText(file).split("\n").filter((line) => !line.startsWith("#")).map((line) => line.split(":"))
    .filter((parts) => parts.length >= count);
  files.set(file, { stat, rows });
  return rows;
}

/** The account with a name or id, from the password file; undefined if it is unknown. */
export function findAccount(fs: FileSystem, who: string | number): Account | undefined {
  for (const [name = "", , uid, gid, , home = "/", shell = ""] of fields(fs, "/etc/passwd", 7)) {
    if (name === who || Number(uid) === who) return { name, uid: Number(uid), gid: Number(gid), home, shell };
  }
  return undefined;
}

/** The id of the group with this name. */
export function findGroup(fs: FileSystem, name: string): number | undefined {
  for (const [group, , gid] of fields(fs, "/etc/group", 3)) if (group === name) return Number(gid);
  return undefined;
}

/** The name of the group with this id. */
export function groupName(fs: FileSystem, number: number): string | undefined {
  for (const [group, , gid] of fields(fs, "/etc/group", 3)) if (Number(gid) === number) return group;
  return undefined;
}

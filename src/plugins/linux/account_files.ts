import { splitLines } from "../../python/lines.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { isFile } from "./paths.ts";

/** A line of the password file. */
export interface PasswordEntry {
  name: string;
  passwd: string;
  uid: number;
  gid: number;
  gecos: string;
  home: string;
  shell: string;
}

/** A line of the group file. */
export interface GroupEntry {
  name: string;
  passwd: string;
  gid: number;
  members: string[];
}

/** A line of the shadow file; -1 stands for a missing number. */
export interface ShadowEntry {
  name: string;
  passwd: string;
  lstchg: number;
  min: number;
  max: number;
  warn: number;
  inact: number;
  expire: number;
}

function rows(fs: FileSystem, root: string, file: string, fields: number): string[][] {
  const path = `${root}/etc/${file}`;
  if (!isFile(fs, path)) return [];
  return splitLines(fs.readText(path)).map((line) => line.split(":"))
    .filter((parts) => parts.length >= fields && parts[0] !== "" && !/^[#+-]/.test(parts[0]!));
}

/** The accounts of this host, or of the system below a directory. */
export function passwordEntries(fs: FileSystem, root = ""): PasswordEntry[] {
  return rows(fs, root, "passwd", 7).map(([name = "", passwd = "", uid, gid, gecos = "", home = "", shell = ""]) => ({
    name,
    passwd,
    uid: Number(uid),
    gid: Number(gid),
    gecos,
    home,
    shell,
  }));
}

export function groupEntries(fs: FileSystem, root = ""): GroupEntry[] {
  return rows(fs, root, "group", 4).map(([name = "", passwd = "", gid, members = ""]) => ({
    name,
    passwd,
    gid: Number(gid),
    members: members.split(",").filter((member) => member !== ""),
  }));
}

export function shadowEntries(fs: FileSystem, root = ""): ShadowEntry[] {
  const number = (text = "") => text === "" ? -1 : Number(text);
  return rows(fs, root, "shadow", 8).map(([name = "", passwd = "", lstchg, min, max, warn, inact, expire]) => ({
    name,
    passwd,
    lstchg: number(lstchg),
    min: number(min),
    max: number(max),
    warn: number(warn),
    inact: number(inact),
    expire: number(expire),
  }));
}

/** The groups of a user, the primary group included, sorted. */
export function groupsOf(fs: FileSystem, name: string, root = ""): string[] {
  const own = passwordEntries(fs, root).find((entry) => entry.name === name)?.gid;
  const names = groupEntries(fs, root)
    .filter((group) => group.gid === own || group.members.includes(name)).map((group) => group.name);
  return [...new Set(names)].sort();
}

import type { FileSystem } from "../../runtime/fs.ts";

/** A line of /etc/passwd. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

function* fields(fs: FileSystem, file: string, count: number): Iterable<string[]> {
  if (fs.stat(file)?.kind !== "file") return;
  for (const line of fs.readText(file).split("\n")) {
    const parts = line.split(":");
    if (parts.length >= count && !line.startsWith("#")) yield parts;
  }
}

/** The account of a name or number, as the password file has it; undefined if it has none. */
export function findAccount(fs: FileSystem, who: string | number): Account | undefined {
  for (const [name = "", , uid, gid, , home = "/", shell = ""] of fields(fs, "/etc/passwd", 7)) {
    if (name === who || Number(uid) === who) return { name, uid: Number(uid), gid: Number(gid), home, shell };
  }
  return undefined;
}

/** The number of a group of that name. */
export function findGroup(fs: FileSystem, name: string): number | undefined {
  for (const [group, , gid] of fields(fs, "/etc/group", 3)) if (group === name) return Number(gid);
  return undefined;
}

/** The name of a group of that number. */
export function groupName(fs: FileSystem, number: number): string | undefined {
  for (const [group, , gid] of fields(fs, "/etc/group", 3)) if (Number(gid) === number) return group;
  return undefined;
}

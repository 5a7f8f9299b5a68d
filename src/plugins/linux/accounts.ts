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

import { SystemError } from "../../base/errors.ts";
import type { ProcessAccount } from "../process.ts";
import { builtin } from "./builtin.ts";

const { readdirSync, readFileSync } = builtin("node:fs");

/** Sets the supplementary groups of this process to those of a user. Returns false if that failed. */
export type InitGroups = (name: string, gid: number) => boolean;

/** The runtime's own function; Deno has none. */
const ownInitGroups: InitGroups = (name, gid) => {
  const { initgroups } = process as { initgroups?(name: string, gid: number): void };
  initgroups?.call(process, name, gid);
  return initgroups !== undefined;
};

/** See {@link ProcessHost.become}. */
export function changeUser({ name, uid, gid }: ProcessAccount, initGroups: InitGroups = ownInitGroups): void {
  const failed = (why: string, cause?: unknown): never => {
    throw new SystemError("EPERM", `Cannot become the user "${name}" (${uid}): ${why}`, { user: name, cause });
  };
  const { setgid, setuid } = process;
  if (setgid === undefined || setuid === undefined) return failed("this system has no user ids");
  let grouped = false;
  try {
    grouped = initGroups(name, gid);
    setgid.call(process, gid);
    setuid.call(process, uid);
  } catch (error) {
    failed("the system does not allow it", error);
  }
  if ([process.getuid?.(), process.geteuid?.()].some((now) => now !== uid)) {
    failed("the process still has another user id");
  }
  if ([process.getgid?.(), process.getegid?.()].some((now) => now !== gid)) {
    failed("the process still has another group id");
  }
  for (const status of threads()) {
    const numbers = (field: string) =>
      new RegExp(`^${field}:\\s*(.*)$`, "m").exec(status)?.[1]?.trim().split(/\s+/) ?? [];
    if (numbers("Uid").some((one) => one !== String(uid))) failed("a thread still has another user id");
    const groups = numbers("Groups").filter((one) => one !== "");
    if (!grouped && groups.some((one) => one !== String(gid))) failed("the process keeps its previous groups");
  }
  if (canReturn(setuid)) failed("the process could become root again");
}

/** The status of each thread on Linux; empty elsewhere. */
function threads(): string[] {
  try {
    return readdirSync("/proc/self/task").flatMap((task) => {
      try {
        return [readFileSync(`/proc/self/task/${task}/status`, "utf8")];
      } catch {
        // The thread has ended meanwhile.
        return [];
      }
    });
  } catch {
    return [];
  }
}

function canReturn(setuid: (uid: number) => void): boolean {
  try {
    setuid.call(process, 0);
    return true;
  } catch {
    return false;
  }
}

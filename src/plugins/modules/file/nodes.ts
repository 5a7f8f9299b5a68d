import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { dirname, join } from "../../../language/python/posixpath.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { checkProgramPath, exists, lookAt, realPath } from "../../linux/paths.ts";
import { pythonError } from "../../python_errors.ts";
import { checkPerms } from "./perms.ts";
import { absoluteOf, pathOf, wholeNumberOf } from "./stats.ts";
import { makedirs } from "./tree.ts";

type Kind = "c" | "b" | "p";

const WORDS: Record<Kind, string> = { c: "Character device", b: "Block device", p: "Fifo pipe" };

/** Makes a device or a pipe. */
export async function makeNode(context: JobContext, kind: Kind, args: Record<string, unknown>) {
  const path = pathOf(context, args.name);
  const mode = str(args.mode).replace(/^[0Oo]+/, "") || "0";
  const ret = { name: path, changes: {}, comment: "", result: false as boolean | null };
  const made = { new: `${WORDS[kind]} ${path} created.` };
  if (truthy(context.opts.test)) {
    ret.changes = made;
    ret.result = null;
  } else if (lookAt(context.runtime.fs, path, { follow: false }) !== undefined) {
    ret.comment = `File ${path} exists and cannot be overwritten`;
  } else {
    checkProgramPath(context, dirname(path));
    const numbers = kind === "p" ? [] : [str(args.major), str(args.minor)];
    const { retcode, stderr } = await runAll(context, ["mknod", "-m", mode, path, kind, ...numbers]);
    if (retcode !== 0) throw pythonError("OSError", stderr);
    ret.changes = made;
    ret.result = true;
  }
  const wanted = { user: args.user, group: args.group, mode: truthy(args.mode) ? wholeNumberOf(str(args.mode)) : null };
  await checkPerms(context, path, null, wanted);
  return ret;
}

export async function mknod(context: JobContext, args: Record<string, unknown>): Promise<unknown> {
  await makedirs(context, { path: args.name, user: args.user, group: args.group, mode: null });
  const { ntype } = args;
  if (ntype !== "c" && ntype !== "b" && ntype !== "p") {
    throw new SaltInvocationError(
      `Node type unavailable: '${str(ntype)}'. Available node types are character ('c'), block ('b'), and pipe ('p').`,
    );
  }
  return await makeNode(context, ntype, args);
}

/** The fields of a file system that the program `stat` is asked for, in order. */
const FIELDS = ["f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_ffree", "f_files", "f_frsize", "f_namemax"] as const;
const FORMAT = "%a %f %b %s %d %c %S %l";
const FLAGS: Record<string, number> = {
  ro: 1,
  nosuid: 2,
  nodev: 4,
  noexec: 8,
  sync: 16,
  mand: 64,
  noatime: 1024,
  nodiratime: 2048,
  relatime: 4096,
};

/** Options of the mount that a path is on, as the bits of `f_flag`. */
function mountFlags(context: JobContext, path: string): number {
  const real = realPath(context.runtime, path);
  let best = { length: -1, flags: 0 };
  for (const line of context.runtime.fs.readText("/proc/self/mountinfo").split("\n")) {
    const [, , , , point = "", options = ""] = line.split(" ");
    const directory = point.replaceAll("\\040", " ");
    const inside = directory === "/" || real === directory || real.startsWith(`${directory}/`);
    // Of several mounts on one place the last is the one that shows.
    if (directory === "" || !inside || directory.length < best.length) continue;
    const flags = options.split(",").reduce((sum, option) => sum | (FLAGS[option] ?? 0), 0);
    best = { length: directory.length, flags };
  }
  return best.flags;
}

export async function statvfs(context: JobContext, given: unknown): Promise<Record<string, number>> {
  const path = absoluteOf(context, given, "File path must be absolute.");
  const failed = () => new CommandExecutionError(`Could not statvfs '${path}'`);
  if (!exists(context.runtime.fs, path)) throw failed();
  const { retcode, stdout } = await runAll(context, ["stat", "-f", "-c", FORMAT, path], { ignore_retcode: true });
  if (retcode !== 0) throw failed();
  const values = stdout.split(" ").map(Number);
  const fields = Object.fromEntries(FIELDS.map((name, at) => [name, values[at]!]));
  return { ...fields, f_favail: fields.f_ffree!, f_flag: mountFlags(context, path) };
}

/** Files that processes have open: file → processes, or process → files. */
export function openFilesOf(context: JobContext, byPid: unknown): Map<string, number[]> | Map<number, string[]> {
  const { fs } = context.runtime;
  const list = (path: string) => {
    try {
      return fs.list(path);
    } catch {
      // It has ended in the meantime, or may not be read.
      return [];
    }
  };
  const files = new Map<string, number[]>();
  const pids = new Map<number, string[]>();
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name)).map(Number)) {
    const names = new Set<string>();
    const note = (path: string) => {
      const name = realPath(context.runtime, path);
      if (exists(fs, name)) names.add(name);
    };
    for (const fd of list(`/proc/${pid}/fd`)) note(`/proc/${pid}/fd/${fd}`);
    for (const task of list(`/proc/${pid}/task`)) {
      const own = `/proc/${pid}/task/${task}`;
      note(join(own, "exe"));
      for (const fd of list(join(own, "fd"))) note(join(own, "fd", fd));
    }
    pids.set(pid, [...names].sort());
    for (const name of names) files.set(name, [...files.get(name) ?? [], pid]);
  }
  return truthy(byPid) ? pids : files;
}

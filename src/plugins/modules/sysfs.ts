import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, toFloat, toInteger } from "../../language/python/values.ts";
import { tryIterate } from "../../language/python/iterate.ts";
import { basename, join, relpath } from "../../language/python/posixpath.ts";
import { strip } from "../../language/python/text.ts";
import { exists, isDirectory, lookAt, realPath, walkPaths } from "../linux/paths.ts";

const ROOT = "/sys";
/** Attributes are a page long; what is longer is none. */
const LONGEST = 1 << 20;

interface Interfaces {
  r: string[];
  w: string[];
  rw: string[];
}

/** The real path of an attribute or directory, or undefined. @throws {SaltInvocationError} if it leads out of /sys */
function place({ runtime }: JobContext, key: string): string | undefined {
  const path = realPath(runtime, key.startsWith(ROOT) ? key : join(ROOT, key));
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) {
    throw new SaltInvocationError(
      `Cannot use "${key}" as an attribute of SysFS: it leads to ${path}, and not below ${ROOT}`,
    );
  }
  return exists(runtime.fs, path) ? path : undefined;
}

/** The attributes below a directory by what their owner may do; links to directories are not followed. */
function interfaces(context: JobContext, key: string): Interfaces | false {
  const root = place(context, key);
  const { fs } = context.runtime;
  if (root === undefined || !isDirectory(fs, root)) {
    context.log.error("Cannot list attributes of SysFS: it is not a directory", { key });
    return false;
  }
  const found: Interfaces = { r: [], w: [], rw: [] };
  for (const { path, files } of walkPaths(fs, root)) {
    for (const name of files) {
      const file = join(path, name);
      const stat = lookAt(fs, file);
      if (stat?.kind !== "file") continue;
      const how = `${stat.mode & 0o400 ? "r" : ""}${stat.mode & 0o200 ? "w" : ""}`;
      if (how !== "") found[how as keyof Interfaces].push(relpath(file, root));
    }
  }
  return found;
}

/** A number where the text is one. */
function valueOf(text: string): unknown {
  if (/^[+-]?\d+(?:_\d+)*$/.test(text)) return toInteger(BigInt(text.replaceAll("_", "").replace(/^\+/, "")));
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return toFloat(Number(text));
  return text;
}

function readFile({ runtime: { fs } }: JobContext, path: string): unknown {
  // Only files: a pipe would hold up the job.
  if (lookAt(fs, path)?.kind !== "file") return false;
  try {
    const text = strip(new TextDecoder("utf-8", { fatal: true }).decode(fs.readAt(path, 0, LONGEST)));
    return text === "" ? false : valueOf(text);
  } catch {
    // Many attributes answer a read with an error while their device is idle.
    return false;
  }
}

function readOne(context: JobContext, key: string): unknown {
  const path = place(context, key);
  if (path === undefined) return false;
  if (!isDirectory(context.runtime.fs, path)) return readFile(context, path);
  const { r, rw } = interfaces(context, path) as Interfaces;
  const result: Record<string, unknown> = {};
  for (const name of [...r, ...rw]) {
    const value = readFile(context, realPath(context.runtime, join(path, name)));
    if (value === false) continue;
    const parts = name.split("/");
    const last = parts.pop()!;
    let into = result;
    for (const part of parts) into = (into[part] ??= {}) as Record<string, unknown>;
    into[last] = value;
  }
  return result;
}

function write(context: JobContext, key: unknown, value: unknown): boolean {
  const path = place(context, str(key));
  if (path === undefined) return false;
  try {
    context.runtime.fs.writeAt(path, 0, new TextEncoder().encode(`${str(value)}\n`));
    return true;
  } catch (error) {
    context.log.debug("Cannot write an attribute of SysFS", { path, error: String(error) });
    return false;
  }
}

/** Attributes of devices and drivers, as files below /sys. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux" ? true : { unavailable: "The sysfs module is available on Linux only" },
  functions: executionFunctions({
    "attr(key: str, value=None)": {
      doc: "Reads an attribute, or writes it. Of a directory its path; false if there is none.\n\n" +
        "    salt '*' sysfs.attr block/sda/queue/logical_block_size\n\nkey: a path below /sys",
      run(context, { key, value }) {
        const path = place(context, key);
        if (path === undefined) return false;
        if (isDirectory(context.runtime.fs, path)) return path;
        return value === null ? readOne(context, path) : write(context, path, value);
      },
    },
    "read(key, root='')": {
      doc: "Reads an attribute, or all below a directory; false if it has no value.\n\n" +
        "    salt '*' sysfs.read class/net/em1/statistics\n\nkey: a path below /sys, or a list of them below `root`\n" +
        "root: directory in which they are",
      run(context, { key, root }): unknown {
        if (typeof key === "string") return readOne(context, join(str(root), key));
        const result: Record<string, unknown> = {};
        for (const name of tryIterate(key) ?? []) {
          const value = readOne(context, join(str(root), str(name)));
          if (value !== false) result[str(name)] = value;
        }
        return result;
      },
    },
    "write(key, value)": {
      doc: "Writes an attribute; false if that failed.\n\n" +
        "    salt '*' sysfs.write devices/system/cpu/cpu0/cpufreq/scaling_governor performance\n\nkey: a path below /sys",
      run: (context, { key, value }) => write(context, key, value),
    },
    "target(key: str, full=True)": {
      doc: "Where a path leads, with links resolved; false if there is none.\n\n" +
        "    salt '*' sysfs.target class/ttyS0\n\nkey: a path below /sys\nfull: the whole path rather than its last part",
      run(context, { key, full }) {
        const path = place(context, key);
        if (path === undefined) return false;
        return full === false ? basename(path) : path;
      },
    },
    "interfaces(root: str)": {
      doc: "The attributes below a directory: those that can be read (r), written (w), and both (rw).\n\n" +
        "    salt '*' sysfs.interfaces block/bcache0/bcache\n\nroot: a path below /sys",
      run: (context, { root }) => interfaces(context, root),
    },
  }),
};

import type { JobContext } from "../../../model/loader/family.ts";
import { stringRepr, toFloat } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import { commandLine, countIn, PAGE_BYTES, processFields, type ProcessStat, TICKS } from "../../linux/proc.ts";
import { pythonError } from "../../python_errors.ts";

interface Subject {
  context: JobContext;
  fs: FileSystem;
  stat: ProcessStat;
  directory: string;
  fields: Record<string, string>;
}

const seconds = (ticks: number) => toFloat(ticks / TICKS);
const numbers = (text: string | undefined) => splitWords(text ?? "").map(Number);

function memoryInfo({ fs, directory }: Subject): number[] {
  const [size = 0, resident = 0, shared = 0, text = 0, lib = 0, data = 0, dirty = 0] = numbers(
    fs.readText(`${directory}/statm`),
  );
  return [resident, size, shared, text, lib, data, dirty].map((pages) => pages * PAGE_BYTES);
}

function totalMemory(fs: FileSystem): number {
  return Number(/^MemTotal:\s+(\d+)/m.exec(fs.readText("/proc/meminfo"))?.[1] ?? 1) * 1024;
}

/** `0-2,5` → 0, 1, 2, 5 */
function range(text = ""): number[] {
  return text.split(",").filter((part) => part !== "").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

function startTime({ fs, stat }: Subject): number {
  return Number(/^btime (\d+)/m.exec(fs.readText("/proc/stat"))?.[1] ?? 0) + stat.started / TICKS;
}

function terminal({ fs, stat }: Subject): string | null {
  if (stat.terminal === 0) return null;
  for (const directory of ["/dev/pts", "/dev"]) {
    if (fs.stat(directory) === undefined) continue;
    for (const name of fs.list(directory).filter((entry) => directory === "/dev/pts" || entry.startsWith("tty"))) {
      if (fs.stat(`${directory}/${name}`)?.rdev === stat.terminal) return `${directory}/${name}`;
    }
  }
  return null;
}

function environment({ fs, directory }: Subject): Record<string, string> {
  return Object.fromEntries(
    fs.readText(`${directory}/environ`).split("\0").filter((entry) => entry.indexOf("=") > 0).map((entry) => {
      const at = entry.indexOf("=");
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/** Open files as they stand in the file system: path and descriptor. */
function openFiles({ fs, directory }: Subject): unknown[] {
  return fs.list(`${directory}/fd`).map((descriptor) => {
    const path = fs.readlink(`${directory}/fd/${descriptor}`);
    return { path, descriptor };
  }).filter(({ path }) => path.startsWith("/") && fs.stat(path)?.kind === "file")
    .map(({ path, descriptor }) => [path, Number(descriptor)]);
}

function ioCounters({ fs, directory }: Subject): unknown[] {
  const counters = new Map(
    fs.readText(`${directory}/io`).split("\n").map((line) => line.split(": ") as [string, string]),
  );
  return ["syscr", "syscw", "read_bytes", "write_bytes", "rchar", "wchar"].map((name) =>
    countIn(counters.get(name) ?? "0")
  );
}

/** The details of a process, by the names that Salt's library uses. */
const DETAILS: Record<string, (subject: Subject) => unknown> = {
  cmdline: ({ fs, stat }) => commandLine(fs, stat.pid),
  cpu_affinity: ({ fields }) => range(fields.Cpus_allowed_list),
  cpu_num: ({ stat }) => stat.processor,
  cpu_percent: () => toFloat(0),
  cpu_times: ({ stat: { times } }) => [
    seconds(times.user),
    seconds(times.system),
    seconds(times.childrenUser),
    seconds(times.childrenSystem),
    seconds(times.iowait),
  ],
  create_time: (subject) => toFloat(startTime(subject)),
  cwd: ({ fs, directory }) => fs.readlink(`${directory}/cwd`),
  environ: environment,
  exe: ({ fs, directory }) => fs.readlink(`${directory}/exe`),
  gids: ({ fields }) => numbers(fields.Gid).slice(0, 3),
  io_counters: ioCounters,
  memory_info: memoryInfo,
  memory_percent: (subject) => toFloat(memoryInfo(subject)[0]! / totalMemory(subject.fs) * 100),
  name: ({ stat }) => stat.name,
  nice: ({ stat }) => stat.nice,
  num_ctx_switches: ({ fields }) => [
    countIn(fields.voluntary_ctxt_switches ?? "0"),
    countIn(fields.nonvoluntary_ctxt_switches ?? "0"),
  ],
  num_fds: ({ fs, directory }) => fs.list(`${directory}/fd`).length,
  num_threads: ({ stat }) => stat.threads,
  open_files: openFiles,
  pid: ({ stat }) => stat.pid,
  ppid: ({ stat }) => stat.ppid,
  status: ({ stat }) => stat.status,
  terminal,
  uids: ({ fields }) => numbers(fields.Uid).slice(0, 3),
  username: ({ context, fields }) => {
    const uid = numbers(fields.Uid)[0] ?? -1;
    return findAccount(context.runtime, uid)?.name ?? String(uid);
  },
};

/** Details of a process, all without names; null for those that may not be read. */
export function processDetails(
  context: JobContext,
  stat: ProcessStat,
  names?: readonly string[],
): Record<string, unknown> {
  const { fs } = context.runtime;
  const fields = processFields(fs, stat.pid);
  const subject: Subject = { context, fs, stat, directory: `/proc/${stat.pid}`, fields };
  const found: Record<string, unknown> = {};
  for (const name of names ?? Object.keys(DETAILS)) {
    if (!Object.hasOwn(DETAILS, name)) throw pythonError("ValueError", `invalid attr name ${stringRepr(name)}`);
    try {
      found[name] = DETAILS[name]!(subject);
    } catch {
      found[name] = null;
    }
  }
  return found;
}

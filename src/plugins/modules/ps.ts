import type { JobContext } from "../../loader/context.ts";
import {
  CommandExecutionError,
  type ExecutionModule,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../loader/family.ts";
import { toFloat, toInteger } from "../../python/float.ts";
import { splitLines } from "../../python/lines.ts";
import { str } from "../../python/repr.ts";
import { compileSearch, escapeRegexp } from "../../python/substitute.ts";
import { truthy } from "../../python/truth.ts";
import { typeName } from "../../python/type_name.ts";
import { splitWords } from "../../python/whitespace.ts";
import { run } from "../commands.ts";
import { findAccount } from "../linux/accounts.ts";
import { exists } from "../linux/paths.ts";
import * as proc from "../linux/proc.ts";
import { withOsErrors } from "../python_errors.ts";
import { strftime } from "../strftime.ts";
import { details } from "./ps/details.ts";

type Facts = Record<string, unknown>;

const round = (value: number, digits = 0) => toFloat(Math.round(value * 10 ** digits) / 10 ** digits);

/** The sizes of `/proc/meminfo`, in bytes. */
function memory({ runtime: { fs } }: JobContext): (name: string) => number {
  const text = fs.readText("/proc/meminfo");
  const sizes = new Map(
    splitLines(text).map((line) => {
      const [name = "", size] = splitWords(line);
      return [name.slice(0, -1), Number(size) * 1024];
    }),
  );
  return (name) => sizes.get(name) ?? 0;
}

function virtualMemory(context: JobContext): Facts {
  const size = memory(context);
  const [total, available] = [size("MemTotal"), size("MemAvailable")];
  return {
    total,
    available,
    percent: round((total - available) / total * 100, 1),
    used: total - available,
    free: size("MemFree"),
    active: size("Active"),
    inactive: size("Inactive"),
    buffers: size("Buffers"),
    cached: size("Cached") + size("SReclaimable"),
    shared: size("Shmem"),
    slab: size("Slab"),
  };
}

function swapMemory(context: JobContext): Facts {
  const size = memory(context);
  const [total, free] = [size("SwapTotal"), size("SwapFree")];
  const counters = new Map(
    splitLines(context.runtime.fs.readText("/proc/vmstat")).map((line) => line.split(" ") as [string, string]),
  );
  const paged = (name: string) => toInteger(BigInt(counters.get(name) ?? 0) * BigInt(proc.PAGE));
  const percent = total === 0 ? toFloat(0) : round((total - free) / total * 100, 1);
  return { total, used: total - free, free, percent, sin: paged("pswpin"), sout: paged("pswpout") };
}

/** The lines of all processors together, then of each. */
function processors({ runtime: { fs } }: JobContext) {
  return splitLines(fs.readText("/proc/stat")).filter((line) => /^cpu/.test(line)).map(proc.processorTimes);
}

function cpuTimes(context: JobContext, each: unknown): unknown {
  const [all, ...single] = processors(context).map((times) =>
    Object.fromEntries(Object.entries(times).map(([name, ticks]) => [name, toFloat(ticks / proc.TICKS)]))
  );
  return truthy(each) ? single : all;
}

async function cpuPercent(context: JobContext, interval: unknown, each: unknown): Promise<unknown> {
  const before = processors(context);
  await context.runtime.clock.sleep(Number(interval) * 1000, context.signal);
  const shares = processors(context).map((after, at) => {
    const spent = (names: (keyof typeof after)[]) =>
      names.reduce((sum, name) => sum + Math.max(0, after[name] - (before[at]?.[name] ?? 0)), 0);
    const busy = spent(["user", "nice", "system", "irq", "softirq", "steal"]);
    const all = busy + spent(["idle", "iowait"]);
    return round(all === 0 ? 0 : busy / all * 100, 1);
  });
  return truthy(each) ? shares.slice(1) : shares[0];
}

function bootTime(context: JobContext, format: unknown): unknown {
  const seconds = Number(/^btime (\d+)/m.exec(context.runtime.fs.readText("/proc/stat"))?.[1] ?? 0);
  if (!truthy(format)) return seconds;
  if (typeof format !== "string") throw new SaltInvocationError(`Invalid time_format: ${typeName(format)}`);
  return strftime(new Date(seconds * 1000), format);
}

function diskUsage({ runtime: { fs } }: JobContext, path: string): Facts {
  const { total, free, available } = withOsErrors(path, () => fs.space(path));
  const used = total - free;
  const percent = used + available === 0 ? toFloat(0) : round(used / (used + available) * 100, 1);
  return { total, used, free: available, percent };
}

function partitions({ runtime: { fs } }: JobContext, all: unknown): Facts[] {
  const types = new Set(
    splitLines(fs.readText("/proc/filesystems")).filter((line) => !line.startsWith("nodev") || line.endsWith("\tzfs"))
      .map((line) => line.split("\t")[1]),
  );
  return proc.mounts(fs).filter(({ device, type }) => truthy(all) || device !== "" && types.has(type))
    .map(({ device, path, type, options }) => ({ device, mountpoint: path, fstype: type, opts: options }));
}

/** Names beside the column of `/proc/diskstats` where each is, and the bytes of what it counts. */
const DISK_COUNTERS: [name: string, column: number, unit: bigint][] = [
  ["read_count", 3, 1n],
  ["write_count", 7, 1n],
  ["read_bytes", 5, 512n],
  ["write_bytes", 9, 512n],
  ["read_time", 6, 1n],
  ["write_time", 10, 1n],
  ["read_merged_count", 4, 1n],
  ["write_merged_count", 8, 1n],
  ["busy_time", 12, 1n],
];

const NET_COUNTERS: [name: string, column: number, unit: bigint][] = [
  ["bytes_sent", 8, 1n],
  ["bytes_recv", 0, 1n],
  ["packets_sent", 9, 1n],
  ["packets_recv", 1, 1n],
  ["errin", 2, 1n],
  ["errout", 10, 1n],
  ["dropin", 3, 1n],
  ["dropout", 11, 1n],
];

const sums = (rows: string[][], counters: typeof DISK_COUNTERS): Facts =>
  Object.fromEntries(
    counters.map(([name, column, unit]) => [
      name,
      toInteger(rows.reduce((sum, row) => sum + BigInt(row[column] ?? 0) * unit, 0n)),
    ]),
  );

function diskCounters({ runtime: { fs } }: JobContext, device: unknown): Facts | false {
  const rows = splitLines(fs.readText("/proc/diskstats")).map(splitWords);
  if (truthy(device)) {
    const row = rows.find((words) => words[2] === device);
    return row === undefined ? false : sums([row], DISK_COUNTERS);
  }
  // Partitions are counted with the disk that they are on.
  const disks = rows.filter(([, , name = ""]) => exists(fs, `/sys/block/${name.replaceAll("/", "!")}`));
  return disks.length === 0 ? false : sums(disks, DISK_COUNTERS);
}

function netCounters({ runtime: { fs } }: JobContext, wanted: unknown): Facts | false {
  const rows = splitLines(fs.readText("/proc/net/dev")).slice(2).map((line) => {
    const colon = line.lastIndexOf(":");
    return { name: line.slice(0, colon).trim(), counts: splitWords(line.slice(colon + 1)) };
  });
  const chosen = truthy(wanted) ? rows.filter(({ name }) => name === wanted) : rows;
  return chosen.length === 0 ? false : sums(chosen.map(({ counts }) => counts), NET_COUNTERS);
}

/** Bytes of an entry of the file of sessions, and the kind that is a session of a user. */
const SESSION = { size: 384, user: 7 };

function users({ runtime: { fs } }: JobContext): Facts[] {
  const path = ["/run/utmp", "/var/run/utmp"].find((name) => exists(fs, name));
  if (path === undefined) return [];
  const data = fs.read(path);
  const found: Facts[] = [];
  for (let at = 0; at + SESSION.size <= data.length; at += SESSION.size) {
    const view = new DataView(data.buffer, data.byteOffset + at, SESSION.size);
    const text = (from: number, length: number) =>
      new TextDecoder().decode(data.subarray(at + from, at + from + length)).replace(/\0.*$/s, "");
    if (view.getInt16(0, true) !== SESSION.user) continue;
    const host = text(76, 256);
    found.push({
      name: text(44, 32),
      terminal: text(8, 32) || null,
      started: toFloat(view.getInt32(340, true)),
      host: host.startsWith(":0") ? "localhost" : host,
      pid: view.getInt32(4, true),
    });
  }
  return found;
}

/** Processes whose name, or whole command line, contains a text or matches a pattern. */
function matching(context: JobContext, args: Facts): number[] {
  const { fs } = context.runtime;
  const text = str(args.pattern);
  const pattern = compileSearch(args.pattern_is_regex === true ? text : escapeRegexp(text));
  return proc.processIds(fs).filter((pid) => {
    const name = truthy(args.full) ? proc.commandLine(fs, pid).join(" ") : proc.processStat(fs, pid)?.name ?? "";
    if (name.search(pattern) < 0) return false;
    return args.user === null || args.user === undefined || ownerOf(context, pid) === args.user;
  });
}

function ownerOf({ runtime: { fs } }: JobContext, pid: number): string {
  const uid = Number(splitWords(proc.processFields(fs, pid).Uid ?? "")[0] ?? -1);
  return findAccount(fs, uid)?.name ?? String(uid);
}

function kill(context: JobContext, pid: number, signal: unknown): boolean {
  try {
    return context.runtime.process.kill(pid, Number(signal));
  } catch {
    // It is not ours to end.
    return false;
  }
}

/** The processes that took most of the processors' time meanwhile. */
async function top(context: JobContext, count: unknown, interval: unknown): Promise<Facts[]> {
  const { clock, fs } = context.runtime;
  const spent = ({ times }: proc.ProcessStat) => times.user + times.system;
  const before = new Map(
    proc.processIds(fs).map((pid) => proc.processStat(fs, pid)).filter((stat) => stat !== undefined)
      .map((stat) => [stat.pid, stat]),
  );
  await clock.sleep(Number(interval) * 1000, context.signal);
  const used: { stat: proc.ProcessStat; ticks: number }[] = [];
  for (const [pid, old] of before) {
    const stat = proc.processStat(fs, pid);
    if (stat?.started === old.started && stat.status !== "zombie") used.push({ stat, ticks: spent(stat) - spent(old) });
  }
  used.sort((a, b) => b.ticks - a.ticks);
  return used.slice(0, Number(count)).map(({ stat }) => {
    const { cmdline, name, ...facts } = details(context, stat, [
      "cmdline",
      "name",
      "username",
      "status",
      "create_time",
      "cpu_times",
      "memory_info",
    ]);
    const [user, system, childrenUser, childrenSystem, iowait] = facts.cpu_times as unknown[];
    const [rss, vms, shared, text, lib, data, dirty] = facts.memory_info as unknown[] ?? [];
    return {
      cmd: truthy(cmdline) ? cmdline : name,
      user: facts.username,
      status: facts.status,
      pid: stat.pid,
      create_time: facts.create_time,
      cpu: { user, system, children_user: childrenUser, children_system: childrenSystem, iowait },
      mem: { rss, vms, shared, text, lib, data, dirty },
    };
  });
}

function info(context: JobContext, pid: unknown, attrs: unknown): Facts {
  const { fs } = context.runtime;
  if (attrs !== null && !Array.isArray(attrs)) {
    throw new InvalidArgumentsError(`invalid attrs type <class '${typeName(attrs)}'>`);
  }
  const stat = proc.processStat(fs, Number(pid));
  if (stat === undefined) throw new CommandExecutionError(`process PID not found (pid=${str(pid)})`);
  return details(context, stat, attrs === null ? undefined : (attrs as unknown[]).map(str));
}

/** The lines of a program in which a text is found. */
async function linesWith(context: JobContext, argv: string[], text: string): Promise<string[]> {
  return splitLines(await run(context, argv)).filter((line) => line.includes(text));
}

/** Processes and the resources of the system. Where Salt asks a library, this reads /proc of Linux. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The ps module reads /proc, and this system has none" },
  functions: {
    boot_time: {
      signature: "time_format=None",
      doc: "The boot time: seconds since 1970, or in a format of strftime.\n\n    salt '*' ps.boot_time",
      run: (context, { time_format: format }) => bootTime(context, format),
    },
    cpu_percent: {
      signature: "interval=0.1, per_cpu=False",
      doc: "The usage of the processors over some seconds, in total or per processor.\n\n    salt '*' ps.cpu_percent",
      run: (context, { interval, per_cpu: each }) => cpuPercent(context, interval, each),
    },
    cpu_times: {
      signature: "per_cpu=False",
      doc: "The processor times in seconds, by kind.\n\n    salt '*' ps.cpu_times",
      run: (context, { per_cpu: each }) => cpuTimes(context, each),
    },
    disk_io_counters: {
      signature: "device=None",
      doc: "What disks have read and written: all, or one; False if it does not exist.\n\n" +
        "    salt '*' ps.disk_io_counters sda",
      run: (context, { device }) => diskCounters(context, device),
    },
    disk_partition_usage: {
      signature: "all=False",
      doc: "The mounted file systems and their usage.\n\n    salt '*' ps.disk_partition_usage",
      run: (context, { all }) =>
        partitions(context, all).map((part) => ({ ...part, ...diskUsage(context, str(part.mountpoint)) })),
    },
    disk_partitions: {
      signature: "all=False",
      doc: "The mounted file systems; with `all` also virtual ones.\n\n    salt '*' ps.disk_partitions",
      run: (context, { all }) => partitions(context, all),
    },
    disk_usage: {
      signature: "path",
      doc: "The usage of the file system of a path.\n\n    salt '*' ps.disk_usage /home",
      run: (context, { path }) => diskUsage(context, str(path)),
    },
    get_pid_list: {
      signature: "",
      doc: "The pids of all processes.\n\n    salt '*' ps.get_pid_list",
      run: ({ runtime }) => proc.processIds(runtime.fs),
    },
    get_users: {
      signature: "",
      doc: "The users who are logged in.\n\n    salt '*' ps.get_users",
      run: users,
    },
    kill_pid: {
      signature: "pid, signal=15",
      doc: "Sends a signal to a process; False if it does not exist.\n\n    salt '*' ps.kill_pid 4321 signal=9",
      run: (context, { pid, signal }) => kill(context, Number(pid), signal),
    },
    lsof: {
      signature: "name",
      doc: "The open files of processes with a name, from lsof.\n\n    salt '*' ps.lsof apache2",
      run: async (context, { name }) => [str(name), await run(context, ["lsof", "-c", str(name)])],
    },
    netstat: {
      signature: "name",
      doc: "The lines of netstat that contain a text.\n\n    salt '*' ps.netstat apache2",
      run: async (context, { name }) => [str(name), await linesWith(context, ["netstat", "-nap"], str(name))],
    },
    network_io_counters: {
      signature: "interface=None",
      doc: "What network interfaces have sent and received: all, or one.\n\n    salt '*' ps.network_io_counters eth0",
      run: (context, args) => netCounters(context, args.interface),
    },
    num_cpus: {
      signature: "",
      doc: "How many processors there are.\n\n    salt '*' ps.num_cpus",
      run: (context) => processors(context).length - 1,
    },
    pgrep: {
      signature: "pattern, user=None, full=False, pattern_is_regex=False",
      doc: "The pids of processes by name, or with `full` by command line; null for none.\n\n" +
        "    salt '*' ps.pgrep sshd user=root",
      run(context, args) {
        const found = matching(context, args);
        return found.length === 0 ? null : found;
      },
    },
    pkill: {
      signature: "pattern, user=None, signal=15, full=False",
      doc: "Sends a signal to processes found as by ps.pgrep; null if there are none.\n\n    salt '*' ps.pkill httpd",
      run(context, args) {
        const killed = matching(context, args).filter((pid) => kill(context, pid, args.signal));
        return killed.length === 0 ? null : { killed };
      },
    },
    proc_info: {
      signature: "pid, attrs=None",
      doc: "Details of a process; null for those that may not be read.\n\n" +
        "    salt '*' ps.proc_info 2322 attrs='[pid, name]'",
      run: (context, { pid, attrs }) => info(context, pid, attrs),
    },
    psaux: {
      signature: "name",
      doc: "The lines of `ps aux` that contain a text, and their number.\n\n    salt '*' ps.psaux www-data",
      async run(context, { name }) {
        const lines = (await linesWith(context, ["ps", "aux"], str(name))).filter((line) => !line.includes("ps.psaux"));
        return [str(name), lines, `${lines.length} occurrence(s).`];
      },
    },
    ss: {
      signature: "name",
      doc: "The lines of ss that contain a text.\n\n    salt '*' ps.ss apache2",
      run: async (context, { name }) => [str(name), await linesWith(context, ["ss", "-neap"], str(name))],
    },
    status: {
      signature: "status",
      doc: "The processes in a state: running, sleeping, zombie and so on.\n\n    salt '*' ps.status zombie",
      run({ runtime: { fs } }, { status }) {
        if (!truthy(status)) throw new SaltInvocationError("Filter is required for ps.status");
        return proc.processIds(fs).map((pid) => proc.processStat(fs, pid))
          .filter((stat) => stat?.status === status).map((stat) => ({ pid: stat!.pid, name: stat!.name }));
      },
    },
    swap_memory: {
      signature: "",
      doc: "The usage of swap, in bytes.\n\n    salt '*' ps.swap_memory",
      run: swapMemory,
    },
    top: {
      signature: "num_processes=5, interval=3",
      doc: "The processes that use the processors most, over some seconds.\n\n    salt '*' ps.top 3 interval=1",
      run: (context, { num_processes: count, interval }) => top(context, count, interval),
    },
    total_physical_memory: {
      signature: "",
      doc: "Bytes of memory.\n\n    salt '*' ps.total_physical_memory",
      run: (context) => memory(context)("MemTotal"),
    },
    virtual_memory: {
      signature: "",
      doc: "The usage of memory, in bytes.\n\n    salt '*' ps.virtual_memory",
      run: virtualMemory,
    },
  },
};

import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, toFloat, truthy, typeName } from "../../language/python/values.ts";
import { splitLines } from "../../language/python/text.ts";
import { run } from "../commands.ts";
import { exists } from "../linux/paths.ts";
import * as proc from "../linux/proc.ts";
import { withOsErrors } from "../python_errors.ts";
import { strftime } from "../../language/python/strftime.ts";
import { diskCounters, netCounters } from "./ps/counters.ts";
import { memory, swapMemory, virtualMemory } from "./ps/memory.ts";
import { killProcess, matching, processInfo, topProcesses } from "./ps/processes.ts";
import { cpuPercent, cpuTimes, processors, round } from "./ps/processors.ts";

export type Facts = Record<string, unknown>;

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
    // As psutil has it, "none" is no device.
    .map(({ device, path, type, options }) => ({
      device: device === "none" ? "" : device,
      mountpoint: path,
      fstype: type,
      opts: options,
    }));
}

/** Bytes of an entry of the file of sessions, and the kind that is a session of a user. */
const SESSION = { size: 384, user: 7 };

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
  functions: executionFunctions({
    "boot_time(time_format=None)": {
      doc: "The boot time: seconds since 1970, or in a format of strftime.\n\n    salt '*' ps.boot_time",
      run(context, { time_format: format }): unknown {
        const seconds = Number(/^btime (\d+)/m.exec(context.runtime.fs.readText("/proc/stat"))?.[1] ?? 0);
        if (!truthy(format)) return seconds;
        if (typeof format !== "string") throw new SaltInvocationError(`Invalid time_format: ${typeName(format)}`);
        return strftime(new Date(seconds * 1000), format);
      },
    },
    "cpu_percent(interval=0.1, per_cpu=False)": {
      doc: "The usage of the processors over some seconds, in total or per processor.\n\n    salt '*' ps.cpu_percent",
      run: (context, { interval, per_cpu: each }) => cpuPercent(context, interval, each),
    },
    "cpu_times(per_cpu=False)": {
      doc: "The processor times in seconds, by kind.\n\n    salt '*' ps.cpu_times",
      run: (context, { per_cpu: each }) => cpuTimes(context, each),
    },
    "disk_io_counters(device=None)": {
      doc: "What disks have read and written: all, or one; False if it does not exist.\n\n" +
        "    salt '*' ps.disk_io_counters sda",
      run: (context, { device }) => diskCounters(context, device),
    },
    "disk_partition_usage(all=False)": {
      doc: "The mounted file systems and their usage.\n\n    salt '*' ps.disk_partition_usage",
      run: (context, { all }) =>
        partitions(context, all).map((part) => ({ ...part, ...diskUsage(context, str(part.mountpoint)) })),
    },
    "disk_partitions(all=False)": {
      doc: "The mounted file systems; with `all` also virtual ones.\n\n    salt '*' ps.disk_partitions",
      run: (context, { all }) => partitions(context, all),
    },
    "disk_usage(path: str)": {
      doc: "The usage of the file system of a path.\n\n    salt '*' ps.disk_usage /home",
      run: (context, { path }) => diskUsage(context, path),
    },
    "get_pid_list()": {
      doc: "The pids of all processes.\n\n    salt '*' ps.get_pid_list",
      run: ({ runtime }) => proc.processIds(runtime.fs),
    },
    "get_users()": {
      doc: "The users who are logged in.\n\n    salt '*' ps.get_users",
      run({ runtime: { fs } }): Facts[] {
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
      },
    },
    "kill_pid(pid, signal=15)": {
      doc: "Sends a signal to a process; False if it does not exist.\n\n    salt '*' ps.kill_pid 4321 signal=9",
      run: (context, { pid, signal }) => killProcess(context, Number(pid), signal),
    },
    "lsof(name: str)": {
      doc: "The open files of processes with a name, from lsof.\n\n    salt '*' ps.lsof apache2",
      run: async (context, { name }) => [name, await run(context, ["lsof", "-c", name])],
    },
    "netstat(name: str)": {
      doc: "The lines of netstat that contain a text.\n\n    salt '*' ps.netstat apache2",
      run: async (context, { name }) => [name, await linesWith(context, ["netstat", "-nap"], name)],
    },
    "network_io_counters(interface=None)": {
      doc: "What network interfaces have sent and received: all, or one.\n\n    salt '*' ps.network_io_counters eth0",
      run: (context, args) => netCounters(context, args.interface),
    },
    "num_cpus()": {
      doc: "How many processors there are.\n\n    salt '*' ps.num_cpus",
      run: (context) => processors(context).length - 1,
    },
    "pgrep(pattern, user=None, full=False, pattern_is_regex=False)": {
      doc: "The pids of processes by name, or with `full` by command line; null for none.\n\n" +
        "    salt '*' ps.pgrep sshd user=root",
      run(context, args) {
        const found = matching(context, args);
        return found.length === 0 ? null : found;
      },
    },
    "pkill(pattern, user=None, signal=15, full=False)": {
      doc: "Sends a signal to processes found as by ps.pgrep; null if there are none.\n\n    salt '*' ps.pkill httpd",
      run(context, args) {
        const killed = matching(context, args).filter((pid) => killProcess(context, pid, args.signal));
        return killed.length === 0 ? null : { killed };
      },
    },
    "proc_info(pid, attrs=None)": {
      doc: "Details of a process; null for those that may not be read.\n\n" +
        "    salt '*' ps.proc_info 2322 attrs='[pid, name]'",
      run: (context, { pid, attrs }) => processInfo(context, pid, attrs),
    },
    "psaux(name: str)": {
      doc: "The lines of `ps aux` that contain a text, and their number.\n\n    salt '*' ps.psaux www-data",
      async run(context, { name }) {
        const lines = (await linesWith(context, ["ps", "aux"], name)).filter((line) => !line.includes("ps.psaux"));
        return [name, lines, `${lines.length} occurrence(s).`];
      },
    },
    "ss(name: str)": {
      doc: "The lines of ss that contain a text.\n\n    salt '*' ps.ss apache2",
      run: async (context, { name }) => [name, await linesWith(context, ["ss", "-neap"], name)],
    },
    "status(status)": {
      doc: "The processes in a state: running, sleeping, zombie and so on.\n\n    salt '*' ps.status zombie",
      run({ runtime: { fs } }, { status }) {
        if (!truthy(status)) throw new SaltInvocationError("Filter is required for ps.status");
        return proc.processIds(fs).map((pid) => proc.processStat(fs, pid))
          .filter((stat) => stat?.status === status).map((stat) => ({ pid: stat!.pid, name: stat!.name }));
      },
    },
    swap_memory: swapMemory,
    "top(num_processes=5, interval=3)": {
      doc: "The processes that use the processors most, over some seconds.\n\n    salt '*' ps.top 3 interval=1",
      run: (context, { num_processes: count, interval }) => topProcesses(context, count, interval),
    },
    "total_physical_memory()": {
      doc: "Bytes of memory.\n\n    salt '*' ps.total_physical_memory",
      run: (context) => memory(context)("MemTotal"),
    },
    virtual_memory: virtualMemory,
  }),
};

import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { entriesOf, isMap, str, toFloat } from "../../language/python/values.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { compileSearch } from "../../language/python/substitute.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { run } from "../commands.ts";
import { isFile } from "../linux/paths.ts";
import { countIn, processorTimes } from "../linux/proc.ts";
import { remoteAddresses } from "../linux/sockets.ts";
import { strftime } from "../../language/python/strftime.ts";

type Facts = Record<string, unknown>;

/** The lines of a file of the kernel, none if it is not there. */
function linesOf({ runtime: { fs } }: JobContext, path: string): string[] {
  return isFile(fs, path) ? splitLines(fs.readText(path)) : [];
}

async function uptime(context: JobContext): Promise<Facts> {
  const { runtime } = context;
  const up = Number(runtime.fs.readText("/proc/uptime").split(" ", 1)[0]);
  const seconds = Math.floor(up);
  const since = runtime.clock.now() / 1000 - seconds;
  const micros = String(Math.floor(since % 1 * 1e6)).padStart(6, "0");
  return {
    seconds,
    since_iso: `${new Date(since * 1000).toISOString().slice(0, 19)}.${micros}`,
    since_t: Math.floor(since),
    days: Math.floor(seconds / 86400),
    time: `${Math.floor(seconds % 86400 / 3600)}:${Math.floor(seconds % 3600 / 60)}`,
    // Every release of Salt counts one user on a host without users.
    users: (await run(context, ["who", "-s"])).split("\n").length,
  };
}

function loadavg(context: JobContext): Facts {
  const loads = splitWords(context.runtime.fs.readText("/proc/loadavg")).slice(0, 3).map((load) =>
    toFloat(Number(load))
  );
  return { "1-min": loads[0], "5-min": loads[1], "15-min": loads[2] };
}

/** Lines of /proc/stat whose numbers have a total before them: the name of the others. */
const TOTALS: Record<string, string> = { intr: "irqs", softirq: "softirqs" };

function cpustats(context: JobContext): Facts {
  const facts: Facts = {};
  for (const line of linesOf(context, "/proc/stat")) {
    const [name, ...counts] = splitWords(line);
    if (name === undefined) continue;
    if (name === "cpu") {
      const { user, nice, system, idle, iowait, irq, softirq, steal } = processorTimes(line);
      facts.cpu = { idle, iowait, irq, nice, softirq, steal, system, user };
    } else if (Object.hasOwn(TOTALS, name)) {
      facts[name] = { total: countIn(counts[0]!), [TOTALS[name]!]: counts.slice(1).map(countIn) };
    } else facts[name] = countIn(counts[0]!);
  }
  return facts;
}

function meminfo(context: JobContext): Facts {
  const facts: Facts = {};
  for (const line of linesOf(context, "/proc/meminfo")) {
    const [name = "", value, unit] = splitWords(line);
    if (value === undefined) continue;
    facts[name.slice(0, -1)] = unit === undefined ? { value } : { value, unit };
  }
  return facts;
}

/** The last processor's, as they are alike. */
function cpuinfo(context: JobContext): Facts {
  const facts: Facts = {};
  for (const line of linesOf(context, "/proc/cpuinfo")) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    facts[name] = name === "flags" ? splitWords(value) : value;
  }
  return facts;
}

const DISK_FIELDS = [
  "major",
  "minor",
  "device",
  "reads_issued",
  "reads_merged",
  "sectors_read",
  "ms_spent_reading",
  "writes_completed",
  "writes_merged",
  "sectors_written",
  "ms_spent_writing",
  "io_in_progress",
  "ms_spent_in_io",
  "weighted_ms_spent_in_io",
];

function diskstats(context: JobContext): Facts {
  return Object.fromEntries(
    linesOf(context, "/proc/diskstats").map(splitWords).filter((words) => words.length >= DISK_FIELDS.length).map((
      words,
    ) => [
      words[2]!,
      Object.fromEntries(DISK_FIELDS.map((field, at) => [field, at === 2 ? words[at] : countIn(words[at]!)])),
    ]),
  );
}

/** The usage of file systems by path or by type; of all mounts without arguments. */
function diskusage(context: JobContext, args: readonly unknown[]): Facts {
  const { fs } = context.runtime;
  const paths = new Set<string>();
  const types: ((text: string) => boolean)[] = [];
  for (const arg of args.map(str)) {
    if (arg.startsWith("/")) paths.add(arg);
    else types.push(compileGlob(arg));
  }
  if (types.length > 0 || args.length === 0) {
    for (const line of linesOf(context, "/proc/mounts")) {
      const [, mount = "", type = ""] = splitWords(line);
      if (args.length === 0 || types.some((matches) => matches(type))) paths.add(mount);
    }
  }
  const facts: Facts = {};
  for (const path of paths) {
    try {
      const { available, total } = fs.space(path);
      facts[path] = { available, total };
    } catch (error) {
      context.log.warning("usage of a file system unknown", { path, error: messageOf(error) });
    }
  }
  return facts;
}

function vmstats(context: JobContext): Facts {
  return Object.fromEntries(
    linesOf(context, "/proc/vmstat").map(splitWords).filter((words) => words.length > 1)
      .map(([name = "", count = ""]) => [name, countIn(count)]),
  );
}

/** Lines come in pairs that begin alike: names, then their numbers. */
function netstats(context: JobContext): Facts {
  const facts: Record<string, Facts> = {};
  const names = new Map<string, string[]>();
  for (const line of linesOf(context, "/proc/net/netstat")) {
    const [head = "", ...words] = splitWords(line);
    const known = names.get(head);
    if (known === undefined) names.set(head, words);
    else facts[head.slice(0, -1)] = Object.fromEntries(known.map((name, at) => [name, countIn(words[at] ?? "0")]));
  }
  return facts;
}

const RECEIVED = ["bytes", "packets", "errs", "drop", "fifo", "frame", "compressed", "multicast"];
const SENT = ["bytes", "packets", "errs", "drop", "fifo", "colls", "carrier", "compressed"];

function netdev(context: JobContext): Facts {
  const fields = [...RECEIVED.map((name) => `rx_${name}`), ...SENT.map((name) => `tx_${name}`)];
  return Object.fromEntries(
    linesOf(context, "/proc/net/dev").filter((line) => line.includes(":")).map((line) => {
      const colon = line.indexOf(":");
      const iface = line.slice(0, colon).trim();
      const counts = splitWords(line.slice(colon + 1)).map(countIn);
      return [iface, { iface, ...Object.fromEntries(fields.map((field, at) => [field, counts[at]])) }];
    }),
  );
}

async function loggedIn(context: JobContext): Promise<Facts[]> {
  return splitLines(await run(context, ["w", "-fh"])).map(splitWords).filter((words) => words.length >= 6)
    .map(([user, tty, login, idle, jcpu, pcpu, ...what]) => ({
      idle,
      jcpu,
      login,
      pcpu,
      tty,
      user,
      what: what.join(" "),
    }));
}

/** What `ps` prints, in the form that the grain of that name asks for. */
async function processLines(context: JobContext): Promise<string[]> {
  const words = splitWords(typeof context.grains.ps === "string" ? context.grains.ps : "ps -efHww");
  return splitLines(await run(context, words));
}

async function procs(context: JobContext): Promise<Facts> {
  const [head = "", ...lines] = await processLines(context);
  const columns = splitWords(head);
  const column = (...names: string[]) => columns.findIndex((name) => names.includes(name));
  const [user, pid, command] = [column("USER", "UID"), column("PID"), column("CMD", "COMMAND")];
  return Object.fromEntries(
    lines.map(splitWords).filter((words) => words.length > command).map((words) => [
      words[pid]!,
      { user: words[user], cmd: words.slice(command).join(" ") },
    ]),
  );
}

async function pid(context: JobContext, sig: unknown): Promise<string> {
  const pattern = compileSearch(str(sig));
  return (await processLines(context))
    // The command line of the call itself contains the name.
    .filter((line) => !line.includes("status.pid") && line.search(pattern) >= 0)
    .map((line) => splitWords(line)[1]).join("\n");
}

/** The functions that `all_status` calls, and that `custom` chooses from. */
const PARTS: Record<string, (context: JobContext) => unknown> = {
  cpuinfo,
  cpustats,
  diskstats,
  diskusage: (context) => diskusage(context, []),
  loadavg,
  meminfo,
  netdev,
  netstats,
  uptime,
  vmstats,
  w: loggedIn,
};

async function allStatus(context: JobContext): Promise<Facts> {
  const facts: Facts = {};
  for (const [name, gather] of Object.entries(PARTS)) facts[name] = await gather(context);
  return facts;
}

/** The fields that options such as `status.cpustats.custom: [cpu, ctxt]` ask for. */
async function custom(context: JobContext): Promise<Facts> {
  const facts: Facts = {};
  const options = await context.call("config.dot_vals", ["status"]);
  for (const [option, wanted] of isMap(options) ? entriesOf(options) : []) {
    const part = str(option).split(".")[1] ?? "";
    if (!Object.hasOwn(PARTS, part)) continue;
    const values = await PARTS[part]!(context) as Facts;
    for (const field of Array.isArray(wanted) ? wanted.map(str) : []) facts[field] = values[field];
  }
  return facts;
}

async function addressesOf(context: JobContext, host: string): Promise<string[]> {
  const { host: resolver } = context.runtime;
  return [...await resolver.addresses(host, 4), ...await resolver.addresses(host, 6)];
}

/** Milliseconds that a master has to accept a connection. */
const PING_MS = 5000;

/** `Saturday, 21. November 2026 07:24AM` */
const TIME_FORMAT = "%A, %d. %B %Y %I:%M%p";

/** A function without arguments. */
const fact = <R>(name: string, doc: string, gather: (context: JobContext) => R) =>
  executionFunction({
    signature: "",
    doc: `${doc}\n\n    salt '*' status.${name}`,
    run: gather,
  });

/** The state of the host, mostly from /proc. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The status module reads /proc of Linux, and this is another system" },
  functions: executionFunctions({
    all_status: fact("all_status", "Everything that the functions of this module gather.", allStatus),
    cpuinfo: fact("cpuinfo", "The kind of the processors.", cpuinfo),
    cpustats: fact("cpustats", "What the processors have spent their time on, in ticks, and other counters.", cpustats),
    custom: fact("custom", "The fields that options such as `status.cpustats.custom` ask for.", custom),
    diskstats: fact("diskstats", "Counters of the disks.", diskstats),
    "diskusage(*args)": {
      doc: "Free and total bytes of file systems, by path or type; of all without arguments.\n\n" +
        "    salt '*' status.diskusage /home ext?",
      run: (context, { args }) => diskusage(context, args),
    },
    loadavg: fact("loadavg", "How many processes wanted to run, over the last minutes.", loadavg),
    /** Whether a connection to the publish port is open; fires an event if that is new to the minion. */
    "master(master=None, connected=True)": {
      doc: "True if a connection to the master is open; fires an event if that differs from `connected`.\n\n" +
        "    salt '*' status.master salt.example.com",
      async run(context, { master: name, connected }): Promise<boolean | null> {
        if (typeof name !== "string" || name === "") return null;
        const port = Number(context.opts.publish_port ?? 4505);
        const addresses = await addressesOf(context, name);
        const open = remoteAddresses(context.runtime.fs, port).some((address) => addresses.includes(address));
        if (open !== (connected === true)) {
          context.master?.fireLocal(open ? "__master_connected" : "__master_disconnected", { master: name });
        }
        return open;
      },
    },
    meminfo: fact("meminfo", "How memory is used.", meminfo),
    netdev: fact("netdev", "Counters of the network interfaces.", netdev),
    netstats: fact("netstats", "Counters of the network protocols.", netstats),
    nproc: fact(
      "nproc",
      "Processors that there are for us.",
      async (context) => Number((await run(context, ["nproc"])).trim()) || 0,
    ),
    "pid(sig)": {
      doc:
        "The pids of the processes whose line of `ps` matches a pattern, one per line.\n\n    salt '*' status.pid sshd",
      run: (context, { sig }) => pid(context, sig),
    },
    "ping_master(master)": {
      doc: "True if a connection to the master can be opened.\n\n    salt '*' status.ping_master salt.example.com",
      async run(context, { master: name }): Promise<boolean> {
        if (typeof name !== "string" || name === "") return false;
        const { net } = context.runtime;
        try {
          // As in the option `master`: host, host:port, an IPv6 address, or that in brackets and a port.
          const [, ipv6, named, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(name) ?? [];
          const host = ipv6 ?? named ?? name.replace(/^\[(.*)\]$/, "$1");
          const port = Number(digits ?? context.opts.master_port ?? 4506);
          const connection = await net.dial({ kind: "tcp", host, port }, { timeoutMs: PING_MS });
          connection.destroy();
        } catch {
          return false;
        }
        context.master?.fireLocal("__master_failback", { master: name });
        return true;
      },
    },
    procs: fact("procs", "The processes: number to user and command.", procs),
    "time(format=None)": {
      doc: "The time of day, in a format of strftime.\n\n    salt '*' status.time '%s'",
      run: (context, { format }) =>
        strftime(new Date(context.runtime.clock.now()), format === null ? TIME_FORMAT : str(format)),
    },
    uptime: fact("uptime", "How long the system has been running.", uptime),
    version: fact(
      "version",
      "The version of the kernel, in its own words.",
      (context) => context.runtime.fs.readText("/proc/version").trim(),
    ),
    vmstats: fact("vmstats", "Counters of the virtual memory.", vmstats),
    w: fact("w", "Who is logged in, and what they do.", loggedIn),
  }),
};

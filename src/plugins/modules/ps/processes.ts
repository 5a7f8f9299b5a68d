import { CommandExecutionError, InvalidArgumentsError, type JobContext } from "../../../model/loader/family.ts";
import { str, truthy, typeName } from "../../../language/python/values.ts";
import { compileSearch, escapeRegexp } from "../../../language/python/substitute.ts";
import { splitWords } from "../../../language/python/text.ts";
import { findAccount } from "../../../runtime/accounts.ts";
import * as proc from "../../linux/proc.ts";
import { processDetails } from "./details.ts";

type Facts = Record<string, unknown>;

/** Processes whose name, or whole command line, contains a text or matches a pattern. */
export function matching(context: JobContext, args: Facts): number[] {
  const { fs } = context.runtime;
  const text = str(args.pattern);
  const pattern = compileSearch(args.pattern_is_regex === true ? text : escapeRegexp(text));
  return proc.processIds(fs).filter((pid) => {
    const name = truthy(args.full) ? proc.commandLine(fs, pid).join(" ") : proc.processStat(fs, pid)?.name ?? "";
    if (name.search(pattern) < 0) return false;
    return args.user === null || args.user === undefined || ownerOf(context, pid) === args.user;
  });
}

function ownerOf({ runtime }: JobContext, pid: number): string {
  const uid = Number(splitWords(proc.processFields(runtime.fs, pid).Uid ?? "")[0] ?? -1);
  return findAccount(runtime, uid)?.name ?? String(uid);
}

export function killProcess(context: JobContext, pid: number, signal: unknown): boolean {
  try {
    return context.runtime.process.kill(pid, Number(signal));
  } catch {
    // Not permitted.
    return false;
  }
}

/** The processes that took most of the processors' time meanwhile. */
export async function topProcesses(context: JobContext, count: unknown, interval: unknown): Promise<Facts[]> {
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
    const { cmdline, name, ...facts } = processDetails(context, stat, [
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

export function processInfo(context: JobContext, pid: unknown, attrs: unknown): Facts {
  const { fs } = context.runtime;
  if (attrs !== null && !Array.isArray(attrs)) {
    throw new InvalidArgumentsError(`invalid attrs type <class '${typeName(attrs)}'>`);
  }
  const stat = proc.processStat(fs, Number(pid));
  if (stat === undefined) throw new CommandExecutionError(`process PID not found (pid=${str(pid)})`);
  return processDetails(context, stat, attrs === null ? undefined : attrs.map(str));
}

/** What a job was asked to do: function, arguments, target. */
export interface JobHead {
  jid: string;
  fun: string;
  arg: unknown[];
  tgt: unknown;
  tgtType: string;
  user?: string;
  startedMs?: number;
}

/** Reads the data of a `salt/job/<jid>/new` event. */
export function headOf(jid: string, data: Record<string, unknown>): JobHead {
  return {
    jid,
    fun: Array.isArray(data.fun) ? data.fun.join(", ") : String(data.fun ?? ""),
    arg: Array.isArray(data.arg) ? data.arg : [],
    tgt: data.tgt ?? "",
    tgtType: String(data.tgt_type ?? "glob"),
    ...(typeof data.user === "string" ? { user: data.user } : {}),
  };
}

/** Functions that Salt and this console call by themselves; not shown among the jobs. */
const INTERNAL: ReadonlySet<string> = new Set([
  "beacons.list",
  "beacons.list_available",
  "saltutil.find_job",
  "saltutil.running",
  "schedule.list",
  "schedule.show_next_fire_time",
  "sys.argspec",
  "sys.doc",
  "sys.list_functions",
]);

export const isInternal = (fun: string) => INTERNAL.has(fun) || fun.startsWith("runner.") || fun.startsWith("wheel.");

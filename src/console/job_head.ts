/** The request of a job: function, arguments, target. */
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

/** Reads the data of a `salt/run/<jid>/new` event, for a function of the master. */
export function headOfMaster(jid: string, data: Record<string, unknown>): JobHead {
  return { ...headOf(jid, data), arg: Array.isArray(data.fun_args) ? data.fun_args : [] };
}

/** Functions that Salt and this console call internally; they are not shown among the jobs. */
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

/** True for an orchestration, which is shown as a job, with the states of minions below. */
export const isOrchestration = (fun: string) => /^runner\.state\.(?:orch|orchestrate|orchestrate_\w+|sls)$/.test(fun);

export const isInternalJob = (fun: string) =>
  INTERNAL.has(fun) || (/^(?:runner|wheel)\./.test(fun) && !isOrchestration(fun));

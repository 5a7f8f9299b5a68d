import { type Signal, signal } from "@preact/signals";
import { type Api, ApiError } from "../../api.ts";
import { argumentText } from "../../job_arguments.ts";
import { isInternalJob, type JobHead } from "../../job_head.ts";
import { jidTime } from "../../text.ts";
import { isRecord } from "../../../base/record.ts";

export interface JobRow {
  jid: string;
  fun: string;
  args: string;
  target: string;
  targetType: string;
  user: string;
  startedMs?: number;
  /** The text of all fields above in lower case, for the search. */
  search: string;
}

/** The recorded jobs, newest first, for the page of jobs. */
export class JobHistory {
  /** The jobs; undefined until they have been read. */
  readonly rows: Signal<JobRow[] | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async load(): Promise<void> {
    try {
      const listed = await this.#api.runner("jobs.list_jobs") as Record<string, Record<string, unknown>>;
      this.rows.value = Object.entries(listed ?? {})
        .filter(([, { Function: fun }]) => !isInternalJob(String(fun)))
        .sort(([left], [right]) => left < right ? 1 : -1)
        .map(([jid, { Function: fun, Arguments: arg, Target: tgt, "Target-type": type, User: user }]) =>
          rowOf(
            {
              jid,
              fun: Array.isArray(fun) ? fun.join(", ") : String(fun),
              arg: Array.isArray(arg) ? arg : [],
              tgt,
              tgtType: String(type ?? "glob"),
              user: String(user ?? ""),
            },
            jidTime(jid, this.#api.jidZoneMs),
          )
        );
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    }
  }

  /**
   * The recorded jobs with a target of this outcome (`jobs.list_jobs` of a Brine master).
   *
   * @throws {ApiError} if the master does not search by outcome
   */
  async withOutcome(outcome: string): Promise<ReadonlySet<string>> {
    const found = await this.#api.runner("jobs.list_jobs", { search_outcome: outcome });
    if (isRecord(found)) return new Set(Object.keys(found));
    throw new ApiError(
      "refused",
      200,
      "This master cannot search jobs by outcome",
      "Only Brine masters can: choose any outcome, and sort or search instead.",
    );
  }

  /** Adds a job that has just started at the top; false if the list was not read yet, or has the job already. */
  add(head: JobHead, startedMs: number): boolean {
    const rows = this.rows.value;
    if (rows === undefined || rows.some(({ jid }) => jid === head.jid)) return false;
    this.rows.value = [rowOf(head, startedMs), ...rows];
    return true;
  }

  forget(): void {
    this.rows.value = undefined;
  }
}

function rowOf({ jid, fun, arg, tgt, tgtType, user = "" }: JobHead, startedMs?: number): JobRow {
  const args = argumentText(arg);
  const target = Array.isArray(tgt) ? tgt.join(",") : String(tgt ?? "");
  return {
    jid,
    fun,
    args,
    target,
    targetType: tgtType,
    user,
    ...(startedMs === undefined ? {} : { startedMs }),
    search: `${jid} ${fun} ${args} ${target} ${user}`.toLowerCase(),
  };
}

import { type OutcomeState, succeeded } from "../model/job/outcome.ts";

/**
 * The return of one minion for a job.
 *
 * @typeParam Return the return type of the function, such as `FunctionReturn<"cmd.run">`
 */
export interface MinionReturn<Return = unknown> {
  /** The minion's id. */
  id: string;
  /** The job's id, 20 digits. */
  jid: string;
  /** The return of the function; for several functions, an object of function → return. */
  return: Return;
  /** The return code: a number, 0 for success; for several functions, an object of function → code. */
  retcode: unknown;
  /** The success that the minion reports: a boolean, or an object of function → boolean. Some minions leave it out. */
  success: unknown;
  /** The outputter that the function asks for, such as `"highstate"`. */
  out: string | undefined;
}

/** The status of a target without a return. */
export interface TargetStatus {
  /** The minion's id. */
  id: string;
  /** The job's id, 20 digits. */
  jid: string;
  /** When the target got this status, in milliseconds since the epoch, to the second; absent if the master did not report it. */
  atMs?: number;
  /** Since when the minion is not connected, in milliseconds since the epoch; absent if it is connected, or if the time is unknown. */
  sinceMs?: number;
  /** The reason, as text for people. */
  note?: string;
}

/**
 * The outcome of one target of a job. {@link LocalClient.run} yields exactly one for each target; `kind` tells them apart,
 * so that a `switch` over it can be checked for completeness.
 *
 * @typeParam Return the return type of the successful function, such as `FunctionReturn<"cmd.run">`
 */
export type Outcome<Return = unknown> =
  /** The minion returned, with code 0. */
  | ({ kind: "returned" } & MinionReturn<Return>)
  /** The minion returned another code, or reports a failure; the return is that of the function, or the text of an error. */
  | ({ kind: "failed" } & MinionReturn<Return | string>)
  /** The minion is not connected; the master keeps the job and delivers it when the minion connects. */
  | ({ kind: "queued" } & TargetStatus)
  /** The job was sent; the wait ended before the minion acknowledged it. It may still return. */
  | ({ kind: "published" } & TargetStatus)
  /** The minion works on the job; the wait ended before it returned. */
  | ({ kind: "started" } & TargetStatus)
  /** The minion is connected and does not work on the job, or the job's own timeout ended it. */
  | ({ kind: "timed out" } & TargetStatus)
  /** The minion lost its connection before it returned. */
  | ({ kind: "lost" } & TargetStatus)
  /** The master kept the job for the minion and could not deliver it in time. */
  | ({ kind: "expired" } & TargetStatus)
  /** An operator ended the job, or removed it from the queue. */
  | ({ kind: "cancelled" } & TargetStatus)
  /** The minion neither returned nor says that it works on the job, and its master keeps no outcomes, such as a Salt master. */
  | ({ kind: "no answer" } & TargetStatus)
  /** The name in a list target has no accepted key: the job was not sent to it. */
  | ({ kind: "missing" } & TargetStatus);

/** An outcome with a return. */
export type ReturnOutcome<Return = unknown> = Extract<Outcome<Return>, MinionReturn>;

/**
 * True if the minion returned, whether it succeeded or failed.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * for await (const outcome of salt.run({ tgt: "*", fun: "cmd.run", arg: ["uptime"] })) {
 *   console.log(outcome.id, hasReturn(outcome) ? outcome.return : outcome.kind);
 * }
 * ```
 */
export function hasReturn<Return>(outcome: Outcome<Return>): outcome is ReturnOutcome<Return> {
  return outcome.kind === "returned" || outcome.kind === "failed";
}

/** The outcome of a return: `returned` or `failed`, by its `retcode` and `success`. */
export function returnOutcome(result: MinionReturn): ReturnOutcome {
  return { kind: succeeded(result.retcode, result.success) ? "returned" : "failed", ...result };
}

/** The outcome of a target that a Brine master reports in events and replies. Times are seconds since the epoch. */
export interface ReportedOutcome {
  outcome?: unknown;
  at?: unknown;
  since?: unknown;
  note?: unknown;
}

/**
 * The outcome of a target without a known return, from the master's report.
 *
 * @param reported the report; undefined if the master keeps no outcomes
 */
export function statusOutcome(id: string, jid: string, reported: ReportedOutcome = {}): Outcome {
  const { outcome, at, since, note } = reported;
  const status: TargetStatus = {
    id,
    jid,
    ...(typeof at === "number" ? { atMs: at * 1000 } : {}),
    ...(typeof since === "number" ? { sinceMs: since * 1000 } : {}),
    ...(typeof note === "string" ? { note } : {}),
  };
  switch (outcome as OutcomeState | undefined) {
    case "queued":
    case "published":
    case "started":
    case "timed out":
    case "lost":
    case "expired":
    case "cancelled":
      return { kind: outcome as Exclude<OutcomeState, "returned" | "failed">, ...status };
    case "returned":
    case "failed":
      return {
        kind: "no answer",
        ...status,
        note: `${outcome}: the master has its return, but the client did not receive it`,
      };
    default:
      return { kind: "no answer", ...status };
  }
}

/**
 * The retcode of a return as one number: for several functions the highest one; 0 for a value that is not a number.
 *
 * @example
 * ```ts
 * console.log(highestRetcode(2)); // 2
 * console.log(highestRetcode({ "test.ping": 0, "cmd.run": 127 })); // 127
 * ```
 */
export function highestRetcode(retcode: unknown): number {
  if (typeof retcode === "number") return retcode;
  if (typeof retcode !== "object" || retcode === null) return 0;
  const codes = retcode instanceof Map ? [...retcode.values()] : Object.values(retcode);
  return codes.reduce<number>((highest, code) => typeof code === "number" && code > highest ? code : highest, 0);
}

/** Jobs as chunks of a lowstate for a salt-api, and its answers as outcomes. */
import { highestRetcode, type Outcome, returnOutcome } from "../outcome.ts";
import { type PublishRequest, settled, type SettledRequest } from "../publish_request.ts";

/** The fields of a chunk for a job; the caller adds the field `client`. */
export function chunkOf(request: PublishRequest): Record<string, unknown> {
  return settledChunk(settled(request));
}

/** As {@link chunkOf}, for a request that has its defaults already. */
export function settledChunk({ tgt, tgt_type, fun, arg, ret, jid, kwargs }: SettledRequest): Record<string, unknown> {
  const last = arg.at(-1) as Record<string, unknown> | undefined;
  const named = typeof fun === "string" && last?.__kwarg__ === true;
  const { __kwarg__: _, ...kwarg } = named ? last : {};
  return {
    tgt,
    tgt_type,
    fun,
    arg: named ? arg.slice(0, -1) : arg,
    ...(named ? { kwarg } : {}),
    ...(ret === undefined || ret === "" ? {} : { ret }),
    ...(jid === undefined || jid === "" ? {} : { jid }),
    ...kwargs,
  };
}

/** The outcomes in an answer of `local` with `full_return`; all get the jid that some of the returns contain. */
export function lowstateOutcomes(returns: Record<string, unknown>): { jid: string; outcomes: Outcome[] } {
  let jid = "";
  const outcomes = Object.entries(returns).map(([id, value]): Outcome => {
    if (value === false || value === null || typeof value !== "object") return { kind: "no answer", id, jid: "" };
    const { ret, retcode, jid: ofReturn, out } = value as Record<string, unknown>;
    // A name in a list target without an accepted key.
    if (out === "no_return") return { kind: "missing", id, jid: "" };
    if (typeof ofReturn === "string") jid = ofReturn;
    const success = retcode !== undefined && highestRetcode(retcode) === 0;
    return returnOutcome({ id, jid, return: ret, retcode, success, out: out as string | undefined });
  });
  return { jid, outcomes: outcomes.map((outcome) => ({ ...outcome, jid })) };
}

/** The outcome in an answer of `local_batch`, which has neither jid nor return code. */
export function batchOutcome(id: string, value: unknown): Outcome {
  if (value === false) return { kind: "no answer", id, jid: "" };
  return { kind: "returned", id, jid: "", return: value, retcode: 0, success: true, out: undefined };
}

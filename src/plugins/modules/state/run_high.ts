import { gatherGrains } from "../../grains/mod.ts";
import { messageOf } from "../../../base/errors.ts";
import { jobProgress } from "../../../model/event/tag.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { checkResult } from "../../../content/state/check_result.ts";
import type { OpenHigh } from "../../../content/state/compile/high.ts";
import { runStates } from "../../../content/state/run/run_states.ts";
import type { StateEntry } from "../../../content/state/run/chunk.ts";
import { pauseCheck, removePauses } from "./pauses.ts";
import { CODES, type StateCall } from "./state_call.ts";

/** What states came to: returns by tag, in the order of the run, or what was wrong with them. As in Salt, outputters may sort them. */
type Ran = Map<unknown, unknown> | string[];

/** Sets the code of the job by what states came to. @param high the high data that was run */
export function setCode(context: JobContext, ret: unknown, high?: unknown): void {
  context.retcode = Array.isArray(ret) ? CODES.compiler : checkResult(ret, false, high) ? 0 : CODES.failure;
}

/** Runs high data. The compilation changes it. */
export async function runHigh(call: StateCall, high: OpenHigh): Promise<Ran> {
  const jid = call.kwargs.orchestration_jid;
  const { chunks, errors } = call.compiler.compile(high, jid === undefined ? {} : { orchestrationJid: str(jid) });
  return errors.length > 0 ? errors : await runLow(call, chunks);
}

/** Runs low chunks. @param wanted the chunks that are asked for; others run if these require them. @default all */
export async function runLow(
  call: StateCall,
  chunks: readonly LowChunk[],
  wanted?: (low: LowChunk) => boolean,
): Promise<Map<unknown, unknown>> {
  const { context, states, test, kwargs } = call;
  const { returns } = await runStates({
    context,
    chunks,
    states,
    test,
    mock: truthy(kwargs.mock ?? false),
    files: call.compiler.rendered,
    wanted,
    reloads: { pillar: call.reloadPillar, grains: () => gatherGrains(context, { fresh: true }) },
    mayRun: pauseCheck(context),
    onState: reporter(context),
  });
  removePauses(context);
  return new Map(returns);
}

/** What fires an event on the master's bus: the master of a minion, or for an orchestration this one. */
function eventSender({ master, hostMaster, jid }: JobContext) {
  if (master !== undefined) {
    return async (tag: string, data: Record<string, unknown>) => void await master.fireEvent(tag, { ...data, jid });
  }
  if (hostMaster?.isOwn !== true) return undefined;
  return (tag: string, data: Record<string, unknown>) => hostMaster.fire(tag, data);
}

/**
 * Makes what fires the event of each state that is done, if there is a master: of each with `state_events` or `salt --stream`, and of those with `fire_event` under a name of their own.
 *
 * @see salt/state.py State.event
 */
function reporter(context: JobContext) {
  const fire = eventSender(context);
  if (fire === undefined) return undefined;
  return (entry: StateEntry, low: LowChunk, total: number) => report(context, fire, entry, low, total);
}

async function report(
  context: JobContext,
  fire: NonNullable<ReturnType<typeof eventSender>>,
  entry: StateEntry,
  low: LowChunk,
  total: number,
): Promise<void> {
  const { opts, jid, log, output } = context;
  const id = str(opts.id);
  const named = low.fire_event;
  const events: [string, Record<string, unknown>][] = [];
  // Who asks for live output wants to see each state as well.
  if (truthy(opts.state_events ?? false) || output !== undefined) {
    events.push([jobProgress(jid, id, str(entry.__run_num__ ?? 0)), { ret: entry, len: total }]);
  }
  if (truthy(named ?? false)) {
    const name = named === true ? str(entry.name ?? null) : str(named);
    events.push([`salt/state_result/${jid}/${id}/${name}`, { ret: entry }]);
  }
  for (const [tag, data] of events) {
    try {
      await fire(tag, data);
    } catch (error) {
      // What a state did counts, also where nobody could be told.
      log.warning("event of a state not fired", { tag, error: messageOf(error) });
    }
  }
}

/** Only what failed or changed, for `terse` and the option `state_data: terse`. */
export function terse(call: StateCall, ret: Ran): unknown {
  if (call.context.opts.state_data !== "terse" && !truthy(call.kwargs.terse ?? false)) return ret;
  if (!isMap(ret)) return ret;
  const told = entriesOf(ret).filter(([, value]) => {
    const { result, changes } = value as StateEntry;
    return !truthy(result) || truthy(changes);
  });
  return new Map(told);
}

/** The clients `local…`: jobs on minions. */
import type { CollectOptions } from "../../../client/job_collector.ts";
import { hasReturn } from "../../../client/outcome.ts";
import type { PublishRequest } from "../../../client/publish_request.ts";
import { silentText } from "../../../client/silent_text.ts";
import { NO_MATCH } from "../../../model/job/outcome.ts";
import { HttpError } from "../wire/errors.ts";
import { flag, milliseconds } from "./low_fields.ts";
import type { Low, LowContext } from "./lowstate.ts";
import { publication } from "./publication.ts";

/**
 * `local`: publishes a job and waits for its returns. The value of a minion that did not return is `false`; the value of a name in a
 * list without an accepted key is the text that `salt` prints.
 *
 * @see salt/client/__init__.py LocalClient.cmd, get_cli_event_returns
 */
export async function runLocal(low: Low, context: LowContext): Promise<unknown> {
  return await collect(publication(low, context), collecting(low, context), context, flag(low.full_return));
}

/** `local` of `rest_tornado`, whose clients expect that minions without a return are left out. */
export async function localOfPresent(low: Low, context: LowContext): Promise<unknown> {
  const values: [string, unknown][] = [];
  const outcomes = context.backend.run(publication(low, context), collecting(low, context));
  let step = await outcomes.next();
  for (; !step.done; step = await outcomes.next()) {
    if (hasReturn(step.value)) values.push([step.value.id, step.value.return]);
  }
  return step.value === undefined ? NO_MATCH : Object.fromEntries(values);
}

/**
 * `local_async`: publishes a job and does not wait. With `full_return`, a Brine master's answer has `missing`, `queued` and
 * `syndics` as well.
 */
export async function publishLocal(low: Low, context: LowContext): Promise<unknown> {
  const { backend } = context;
  const published = await backend.publish(publication(low, context));
  if (published === undefined) return {};
  return backend.isBrine && flag(low.full_return) ? published : { jid: published.jid, minions: published.minions };
}

/** `local_subset`: a job for a few minions of the target, chosen at random. */
export async function runSubset(low: Low, context: LowContext): Promise<unknown> {
  const request = publication(low, context);
  const options = collecting(low, context);
  const wanted = Number(low.subset ?? low.sub ?? 3);
  if (!Number.isInteger(wanted) || wanted < 0) throw new HttpError(400, "subset is not a number of minions");
  const tgt = await context.backend.subset(request, wanted, options);
  if (tgt.length === 0) return {};
  return await collect({ ...request, tgt, tgt_type: "list" }, options, context, flag(low.full_return));
}

/** `local_batch`: a job for a few minions of the target at a time; yields a result for each minion. */
export async function* runLocalBatch(low: Low, context: LowContext): AsyncGenerator<unknown> {
  const size = low.batch === undefined || low.batch === null ? "10%" : String(low.batch);
  if (!/^\d+(?:\.\d+)?%$|^%\d+(?:\.\d+)?$|^[1-9]\d*$/.test(size)) {
    throw new HttpError(400, "batch is neither a number of minions nor a percentage");
  }
  const options = { ...collecting(low, context), size };
  for await (const event of context.backend.batch(publication(low, context), options)) {
    if (event.kind !== "ended") continue;
    yield { [event.outcome.id]: hasReturn(event.outcome) ? event.outcome.return : false };
  }
}

function collecting(low: Low, { settings, signal }: LowContext): CollectOptions {
  return {
    timeoutMs: milliseconds(low, "timeout") ?? settings.timeoutMs,
    gatherMs: milliseconds(low, "gather_job_timeout") ?? settings.gatherMs,
    signal,
  };
}

async function collect(
  request: PublishRequest,
  options: CollectOptions,
  { backend }: LowContext,
  full: boolean,
): Promise<unknown> {
  const values: [string, unknown][] = [];
  for await (const outcome of backend.run(request, options)) {
    const { id, jid } = outcome;
    // A name in a list target without a key.
    if (outcome.kind === "missing") {
      const text = silentText(jid, outcome);
      values.push([id, full ? { out: "no_return", ret: text, retcode: 1 } : text]);
    } else if (!hasReturn(outcome)) values.push([id, false]);
    else if (!full) values.push([id, outcome.return]);
    else {
      const { out, retcode } = outcome;
      values.push([id, { ret: outcome.return, retcode, jid, ...(out === undefined ? {} : { out }) }]);
    }
  }
  return Object.fromEntries(values);
}

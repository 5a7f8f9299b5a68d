/** `salt -b`: runs a batch, and prints results as they arrive. */
import { batchSize, runBatch } from "../../../src/client/batch.ts";
import { hasReturn, highestRetcode, type Outcome } from "../../../src/client/outcome.ts";
import { printable } from "../../../src/base/printable.ts";
import type { SaltJob } from "./salt_job.ts";
import { reportNoMatch } from "./target.ts";

/**
 * Runs the job on a few minions at a time.
 *
 * @param size number or percentage of minions, `3` or `25%`
 * @param onOutcome called with the outcome of each minion
 * @returns the highest return code of any minion, or 2 if none answered
 */
export async function runBatchJob(
  job: SaltJob,
  size: string,
  onOutcome: (outcome: Outcome) => void,
): Promise<number> {
  const { context, client, request, collect, printer, opts } = job;
  const { options, log, runtime, complain } = context;
  if (batchSize(size, 100) === undefined) {
    printer.line(`Invalid batch data sent: ${size}\nData must be in the form of %10, 10% or 3`);
    return 1;
  }
  /** Absent minions, which are printed before the first run; without a run, no minion was left out of one. */
  const absent: string[] = [];
  let highest = 0;
  let any = false;
  let ran = false;
  const batch = runBatch(client, request, {
    ...collect,
    size,
    waitMs: Number(options.batch_wait ?? 0) * 1000,
    failhard: options.failhard === true,
    sleep: (ms) => runtime.clock.sleep(ms),
  });
  for await (const event of batch) {
    any = true;
    switch (event.kind) {
      case "absent":
        absent.push(printable(event.id));
        break;
      case "started":
        ran = true;
        for (const id of absent.splice(0)) printer.line(`Minion ${id} did not respond. No job will be sent.`);
        printer.line(`\nExecuting run on [${event.ids.map((id) => `'${printable(id)}'`).join(", ")}]\n`);
        break;
      case "ended": {
        const { outcome } = event;
        onOutcome(outcome);
        const { id, jid } = outcome;
        if (!hasReturn(outcome)) {
          printer.line(`Minion '${printable(id)}' failed to respond to job sent`);
          break;
        }
        const retcode = highestRetcode(outcome.retcode);
        highest = Math.max(highest, retcode);
        await printer.document({ retcode, jid, [id]: outcome.return }, outcome.out, retcode);
        if (retcode > 0 && options.failhard === true) {
          log.error(`Minion ${id} returned with non-zero exit code. Batch run stopped due to failhard`);
        }
      }
    }
  }
  if (!any) {
    const { tgt, tgt_type = "glob" } = request;
    await reportNoMatch(context, opts, printer, { tgt, tgt_type }, "\nNo minions matched the target.");
  } else if (!ran) {
    complain("ERROR: No return received");
    return 2;
  }
  return highest;
}

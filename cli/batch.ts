/** `salt -b`: prints a batch as it goes. */
import { batchSize, runBatch } from "../src/client/batch.ts";
import { type CollectOptions, highestRetcode, type LocalClient, type PublishRequest } from "../src/client/local.ts";
import type { Printer } from "./printer.ts";
import type { ProgramContext } from "./program.ts";

/** Runs the batch; the highest return code of any minion is the exit code, or 2 if there was none to run it. */
export async function batchMain(
  context: ProgramContext,
  client: LocalClient,
  request: PublishRequest,
  collect: CollectOptions,
  size: string,
  printer: Printer,
): Promise<number> {
  const { options, log, runtime, complain } = context;
  if (batchSize(size, 100) === undefined) {
    printer.line(`Invalid batch data sent: ${size}\nData must be in the form of %10, 10% or 3`);
    return 1;
  }
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
        printer.line(`Minion ${event.id} did not respond. No job will be sent.`);
        break;
      case "started":
        ran = true;
        printer.line(`\nExecuting run on [${event.ids.map((id) => `'${id}'`).join(", ")}]\n`);
        break;
      case "silent":
        printer.line(`Minion '${event.id}' failed to respond to job sent`);
        break;
      case "returned": {
        const retcode = highestRetcode(event.result.retcode);
        highest = Math.max(highest, retcode);
        const { jid, out } = event.result;
        await printer.document({ retcode, jid, [event.id]: event.result.return }, out, retcode);
        if (retcode !== 0 && options.failhard === true) {
          log.error(`Minion ${event.id} returned with non-zero exit code. Batch run stopped due to failhard`);
        }
      }
    }
  }
  if (!any) {
    printer.line(
      "No minions matched the target. No command was sent, no jid was assigned.\nNo minions matched the target.",
    );
  }
  if (!ran) {
    complain("ERROR: No return received");
    return 2;
  }
  return highest;
}

/** The client for jobs of `salt` and `salt-cp`: opening, timeouts and failures. */
import { isRefusal } from "../../../src/client/client_error.ts";
import type { CollectOptions } from "../../../src/client/job_collector.ts";
import { LocalClient } from "../../../src/client/local_client.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { codeOf, messageOf } from "../../../src/base/errors.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { NO_TELEMETRY, type Telemetry } from "../../../src/base/telemetry/mod.ts";
import type { ProgramContext } from "../../program/context.ts";
import { Exit, MasterDown } from "../../program/exit.ts";
import type { Printer } from "../../terminal/printer.ts";

/** How long to wait for answers, in milliseconds. */
export type Waiting = Required<Pick<CollectOptions, "timeoutMs" | "gatherMs">>;

export function waitingOf({ options, explicit }: ProgramContext, opts: MasterOpts): Waiting {
  const seconds = Number(explicit.has("timeout") ? options.timeout : opts.timeout) || opts.timeout;
  return { timeoutMs: seconds * 1000, gatherMs: opts.gather_job_timeout * 1000 };
}

/**
 * Opens the client of the master on this host.
 *
 * @param checked see {@linkcode LocalClient.open}
 * @throws {MasterDown} if no master is running; {Exit} 2 if the master cannot be used
 */
export async function openJobClient(
  { runtime, log }: ProgramContext,
  opts: MasterOpts,
  { timeoutMs }: Waiting,
  { checked = true } = {},
): Promise<LocalClient> {
  try {
    // As in Salt, three times the timeout. Salt publishes the job again each time; Brine does not.
    const requestTimeoutMs = 3 * timeoutMs;
    const { tracer, close } = await openTracing(runtime, log, opts);
    return await LocalClient.open({ runtime, log, opts, requestTimeoutMs, checked, tracer, onClose: close });
  } catch (error) {
    throw codeOf(error) === "MASTER_DOWN" ? new MasterDown(error) : new Exit(2, messageOf(error));
  }
}

/** Opens the traces that the master's configuration asks for; without them nothing is loaded. */
async function openTracing(runtime: Runtime, log: Logger, { tracing }: MasterOpts): Promise<Telemetry> {
  if (tracing.enabled !== true) return NO_TELEMETRY;
  const { openTelemetry } = await import("../../daemon/telemetry/open_telemetry.ts");
  return await openTelemetry({ runtime, log, program: "salt", opts: { tracing } });
}

/**
 * Prints the reason for a failed job.
 *
 * @returns the exit code
 * @throws {Exit} 2 if the master cannot be asked; `error` itself if it is not an error of the client
 */
export async function reportJobFailure(error: unknown, { log }: ProgramContext, printer: Printer): Promise<number> {
  const code = codeOf(error);
  if (code === "NO_KEY" || code === "NOT_BRINE") throw new Exit(2, messageOf(error));
  if (!isRefusal(error) && code !== "TIMEOUT" && code !== "BUS_LOST") throw error;
  const message = messageOf(error);
  // Salt prints its own refusals twice, too.
  log[message.startsWith("Cannot publish") ? "debug" : "error"](message);
  await printer.document(message);
  return isRefusal(error) ? 0 : 1;
}

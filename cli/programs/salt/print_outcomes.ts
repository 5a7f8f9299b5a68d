/** Follows a job to its end, and prints its outcomes. */
import { hasReturn, highestRetcode, type Outcome } from "../../../src/client/outcome.ts";
import { OutputError } from "../../../src/plugins/outputters/mod.ts";
import { printable } from "../../../src/base/printable.ts";
import type { ProgramContext } from "../../program/context.ts";
import { showsTimeouts } from "./request_of_options.ts";
import type { SaltJob } from "./salt_job.ts";
import { documentOf, type MinionDocument, Tally } from "./tally.ts";
import { RenderErrors } from "./explain_render.ts";
import { reportNoMatch } from "./target.ts";

/**
 * Prints each minion's document when its outcome arrives; with `--static`, one document of all returns at the end.
 *
 * @param outcomes outcomes of a job that is published now, or is already running
 * @param onOutcome called with each outcome before it is printed, also with hidden ones
 * @returns the exit code
 */
export async function followJob(
  job: SaltJob,
  outcomes: AsyncIterable<Outcome>,
  onOutcome: (outcome: Outcome) => void,
): Promise<number> {
  const { context, opts, printer } = job;
  const { options } = context;
  const verbose = options.verbose === true;
  const hidesLate = !showsTimeouts(context, opts);
  const sink = options.static === true ? collected(job) : printed(job);
  const tally = new Tally();
  const renderErrors = new RenderErrors(context.runtime, opts);
  let matched = false;
  for await (const outcome of outcomes) {
    matched = true;
    onOutcome(outcome);
    // A hidden outcome is not counted either.
    if (hidesLate && isLate(outcome)) continue;
    tally.count(outcome);
    renderErrors.take(outcome);
    await sink.take(outcome, documentOf(outcome, verbose));
  }
  if (!matched) {
    await reportNoMatch(context, opts, printer, job.target);
    await printer.document({});
    return noReturn(context);
  }
  const told = await sink.end();
  for (const line of await renderErrors.lines()) context.complain(line);
  await suggestFunction(job, tally);
  if (!told) return noReturn(context);
  if (options.static === true) return 0;
  if ((options.cli_summary === true || opts.cli_summary) && !printer.chosen) printer.line(tally.summary(verbose));
  if (!tally.anyFailed) return 0;
  context.complain("ERROR: Minions returned with non-zero exit code");
  return 1;
}

/** Suggests the function that a mistyped one probably means. Nothing is printed to stdout, which scripts compare. */
async function suggestFunction({ context, request }: SaltJob, { unknownFunctions }: Tally): Promise<void> {
  const [fun] = unknownFunctions;
  if (context.advise === undefined || fun === undefined || ![request.fun].flat().includes(fun)) return;
  const { adviseNearest } = await import("../../complete/nearest_function.ts");
  await adviseNearest(context, "modules", fun);
}

/** Ends the program if no minion has returned anything. @returns the exit code */
export function noReturn({ complain }: ProgramContext): number {
  complain("ERROR: No return received");
  return 2;
}

/** True for a minion that received the job and did not return. A minion without a key is not late. */
function isLate(outcome: Outcome): boolean {
  return !hasReturn(outcome) && outcome.kind !== "queued" && outcome.kind !== "missing";
}

interface Sink {
  take(outcome: Outcome, shown: MinionDocument): Promise<void>;
  /** @returns false if there was nothing to print */
  end(): Promise<boolean>;
}

/** Prints each minion's document as it arrives, after a header with the job id if one is wanted. */
function printed(job: SaltJob): Sink {
  const { context: { options }, opts, printer } = job;
  let hasHeader = false;
  const header = (jid: string) => {
    if (hasHeader) return;
    hasHeader = true;
    if (options.verbose === true) {
      const line = `Executing job with jid ${jid}`;
      printer.line(`${line}\n${"-".repeat(line.length)}\n`);
    } else if (options.show_jid === true || opts.show_jid) printer.line(`jid: ${jid}`);
  };
  return {
    async take(outcome, { document, out, retcode }) {
      header(outcome.jid);
      if (!wasShownLive(job, outcome)) await printer.document(document, out, retcode).catch(passOverMissingKey);
    },
    end: () => Promise.resolve(true),
  };
}

/** Prints all returns as one document at the end, as states if there are any among them. */
function collected(job: SaltJob): Sink {
  const returns: Record<string, unknown> = {};
  let outputter: string | undefined;
  return {
    take(outcome, { document, out }) {
      if (wasShownLive(job, outcome)) return Promise.resolve();
      if (hasReturn(outcome)) Object.assign(returns, document);
      if (out === "highstate") outputter = out;
      return Promise.resolve();
    },
    async end() {
      await job.printer.document(returns, outputter);
      return Object.keys(returns).length > 0;
    },
  };
}

/** True if the minion's output was already shown line by line; the end of its command is then printed as a line, too. */
function wasShownLive({ live, printer }: SaltJob, outcome: Outcome): boolean {
  if (live === undefined) return false;
  live.end(outcome.id);
  if (!hasReturn(outcome) || typeof outcome.return !== "string") return false;
  if (!live.heard.has(outcome.id) || printer.chosen) return false;
  printer.line(`${printable(outcome.id)}: [ended with code ${highestRetcode(outcome.retcode)}]`);
  return true;
}

/** As in Salt, ignores a return that lacks a key which the outputter needs. */
function passOverMissingKey(error: unknown): void {
  if (!(error instanceof OutputError && error.missingKey)) throw error;
}

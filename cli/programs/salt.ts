/** The program `salt`: publishes a job and prints its results. */
import type { CollectOptions } from "../../src/client/job_collector.ts";
import type { LocalClient } from "../../src/client/local_client.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import type { Credentials } from "../../src/client/publish_request.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { ProgramContext } from "../program/context.ts";
import { leaveOnInterrupt, MasterDown } from "../program/exit.ts";
import { readMasterConfig } from "../program/read_master_config.ts";
import { makePrinter, type Printer } from "../terminal/printer.ts";
import { asksForDocumentation, printDocumentation } from "./salt/documentation.ts";
import { followJob as followPublished } from "../../src/client/follow_job.ts";
import { followJob, noReturn } from "./salt/print_outcomes.ts";
import { openJobClient, reportJobFailure, type Waiting, waitingOf } from "./salt/job_client.ts";
import type { LiveOutput } from "./salt/live_output.ts";
import { Progress } from "./salt/progress.ts";
import { functionsOf, publishRequest } from "./salt/request_of_options.ts";
import type { SaltJob } from "./salt/salt_job.ts";
import { silentText } from "../../src/client/silent_text.ts";
import { type JobTarget, readTarget, reportNoMatch } from "./salt/target.ts";

export async function saltMain(context: ProgramContext): Promise<number> {
  const { options } = context;
  const opts = await readMasterConfig(context, { client: true });
  const functions = functionsOf(context);
  // The output mode `filter` of states selects by the arguments of the call.
  const printer = await makePrinter(context, { ...opts, arg: functions.arg });
  if (options.config_dump === true) return await dumpConfig(context, opts);
  if (typeof options.watch === "string") return await watchJob(context, opts, printer, options.watch);
  const target = await readTarget(context, opts, printer, context.positionals[0]!);
  if (target === undefined) return 0;
  if (options.preview_target === true) return await preview(context, opts, printer, target);

  const request = publishRequest(context, opts, target, functions);
  const live = await liveOutput(context, printer);
  const waiting = waitingOf(context, opts);
  const collect: CollectOptions = {
    ...waiting,
    ...(live === undefined ? {} : liveOptions(live)),
  };
  const client = await openClient(context, opts, printer, waiting);
  if (client === undefined) return 0;
  await using _client = client;
  const credentials = await ownOrGiven(context, opts, client);
  if (credentials !== undefined) request.credentials = credentials;
  return await runJob({ context, opts, printer, client, target, request, collect, live });
}

/** The credentials of the user; undefined for a user who has a key of the master. */
async function ownOrGiven(
  context: ProgramContext,
  opts: MasterOpts,
  client: LocalClient,
): Promise<Credentials | undefined> {
  if (!context.options.eauth && client.keyed) return undefined;
  const { credentialsOf } = await import("../program/credentials.ts");
  return await credentialsOf(context, opts, client);
}

async function dumpConfig({ print }: ProgramContext, opts: MasterOpts): Promise<number> {
  const { render } = await import("../../src/plugins/outputters/mod.ts");
  const { SALT_MASTER_DEFAULTS, withSaltDefaults } = await import("../../src/model/config/salt_defaults.ts");
  print(`${(await render("yaml", withSaltDefaults(opts, SALT_MASTER_DEFAULTS))).text}\n`);
  return 0;
}

/** Ids of the minions that the target matches, found without a job. */
async function expectedMinions(context: ProgramContext, opts: MasterOpts, target: JobTarget): Promise<string[]> {
  const { previewTarget } = await import("../../src/host/master/preview_target.ts");
  return previewTarget({ ...context, delimiter: String(context.options.delimiter ?? ":") }, opts, target);
}

/** Handles `--preview-target`. */
async function preview(
  context: ProgramContext,
  opts: MasterOpts,
  printer: Printer,
  target: JobTarget,
): Promise<number> {
  const minions = await expectedMinions(context, opts, target);
  await printer.document(minions);
  return minions.length > 0 ? 0 : noReturn(context);
}

/** Handles `--stream`. */
async function liveOutput({ options, complain }: ProgramContext, printer: Printer): Promise<LiveOutput | undefined> {
  if (options.stream !== true) return undefined;
  const { LiveOutput } = await import("./salt/live_output.ts");
  // With `--out`, stdout has only the output of the outputter.
  return new LiveOutput(printer.chosen ? complain : (line) => printer.line(line), complain);
}

function liveOptions(live: LiveOutput): Pick<CollectOptions, "onOutput" | "onProgress"> {
  return { onOutput: (output) => live.take(output), onProgress: (progress) => live.takeState(progress) };
}

/** Number of minions at a time (`--batch-size`, option `batch`), as text; empty for all at once. */
const batchOf = ({ options }: ProgramContext, opts: MasterOpts) => String(options.batch ?? opts.batch ?? "");

/**
 * Opens the client of the master. Undefined after printing that no master is running: Salt prints this, too, when it waits for
 * returns.
 */
async function openClient(
  context: ProgramContext,
  opts: MasterOpts,
  printer: Printer,
  waiting: Waiting,
): Promise<LocalClient | undefined> {
  const { options, log } = context;
  try {
    return await openJobClient(context, opts, waiting, { checked: false });
  } catch (error) {
    const waits = options.async !== true && options.static !== true && batchOf(context, opts) === "";
    if (!(error instanceof MasterDown && waits)) throw error;
    log.error(messageOf(error.cause));
    await printer.document("The salt master could not be contacted. Is master running?");
    return undefined;
  }
}

/** Handles `--watch`: follows a job that another program has published. */
async function watchJob(context: ProgramContext, opts: MasterOpts, printer: Printer, jid: string): Promise<number> {
  const live = await liveOutput(context, printer);
  const waiting = waitingOf(context, opts);
  const collect: CollectOptions = { ...waiting, ...(live === undefined ? {} : liveOptions(live)) };
  const client = await openClient(context, opts, printer, waiting);
  if (client === undefined) return 0;
  await using _client = client;
  const target: JobTarget = { tgt: "*", tgt_type: "glob" };
  const job: SaltJob = { context, opts, printer, client, target, request: { tgt: "*", fun: "" }, collect, live };
  const progress = startProgress(job);
  const off = leaveOnInterrupt(context, () => context.complain(`The job continues: ${jid}`));
  try {
    const given = await ownOrGiven(context, opts, client);
    const outcomes = followPublished(client, jid, {
      ...collect,
      ...(given === undefined ? {} : { credentials: given }),
    });
    return await followJob(job, outcomes, (outcome) => progress?.step(outcome));
  } catch (error) {
    return await reportJobFailure(error, context, printer);
  } finally {
    progress?.end();
    off();
  }
}

/** Runs the job as the options ask; on Ctrl-C its id is printed. */
async function runJob(job: SaltJob): Promise<number> {
  const { context, printer, collect, client, request } = job;
  const { options, complain, log } = context;
  let jid = "";
  const progress = startProgress(job, (published) => jid = published);
  const off = leaveOnInterrupt(context, () => {
    if (jid !== "") complain(`This job's jid is: ${jid}\n${silentText(jid).split("\n").slice(1).join("\n")}`);
  });
  try {
    const batch = await batchToRun(job);
    // `--async` with a batch still runs the batch, because the job must not reach all minions at once.
    if (options.async === true && batch === undefined) return await publishOnly(job);
    await chooseSubset(job);
    if (batch !== undefined) {
      const { runBatchJob } = await import("./salt/batch.ts");
      return await runBatchJob(job, batch, (outcome) => progress?.step(outcome));
    }
    if (asksForDocumentation(context)) return await printDocumentation(job);
    return await followJob(job, client.run(request, collect), (outcome) => {
      jid = outcome.jid;
      log.debug("outcome", { id: outcome.id, jid, kind: outcome.kind });
      progress?.step(outcome);
    });
  } catch (error) {
    return await reportJobFailure(error, context, printer);
  } finally {
    progress?.end();
    off();
  }
}

/** Handles `--progress`. Also remembers the minions of the job, if the user may not read the master's keys. */
function startProgress(job: SaltJob, onPublished: (jid: string) => void = () => {}): Progress | undefined {
  const { context, collect, client } = job;
  const progress = context.options.progress === true ? new Progress(context) : undefined;
  collect.onPublished = (jid, { minions, missing }) => {
    onPublished(jid);
    // A user who may read the master's keys does not need remembered ids.
    if (!client.keyed) {
      void import("../complete/remembered_minions.ts").then((m) => m.rememberMinions(context.runtime, minions));
    }
    progress?.expect(minions.length + missing.length);
  };
  return progress;
}

/** The size of the batch that is requested, or needed for that many minions; undefined for all at once. */
async function batchToRun({ context, opts, printer, target }: SaltJob): Promise<string | undefined> {
  const { options, explicit } = context;
  if (options.static === true) return undefined;
  const batch = batchOf(context, opts);
  if (batch !== "") return batch;
  const limit = Number(options.batch_safe_limit || opts.batch_safe_limit);
  if (limit <= 1 || (await expectedMinions(context, opts, target)).length < limit) return undefined;
  printer.line("\nNOTICE: Too many minions targeted, switching to batch execution.");
  return String(explicit.has("batch_safe_size") ? options.batch_safe_size : opts.batch_safe_size);
}

async function publishOnly({ context, opts, printer, client, request, target }: SaltJob): Promise<number> {
  const published = await client.publish(request);
  if (published === undefined) await reportNoMatch(context, opts, printer, target);
  printer.line(`Executed command with job ID: ${published?.jid ?? 0}`);
  return 0;
}

/** Handles `--subset`: changes the request to a random subset of the minions that have the function. */
async function chooseSubset({ context: { options, runtime }, client, request, collect }: SaltJob): Promise<void> {
  if (options.subset === undefined || Number(options.subset) === 0) return;
  const size = Math.max(1, Number(options.subset));
  const { chooseSubset } = await import("../../src/client/subset.ts");
  request.tgt = await chooseSubset(client, request, size, collect, () => runtime.random());
  request.tgt_type = "list";
}

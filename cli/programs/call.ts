/** The program `salt-call`: runs a function on this host, with or without a master. */
import { MINION_OPTIONS, type MinionOpts } from "../../src/model/config/minion_opts.ts";
import { joinPath } from "../../src/base/paths.ts";
import { parseInput, yamlifyArg } from "../../src/model/job/args.ts";
import { newJid } from "../../src/model/job/jid.ts";
import { withCustomReturners } from "../../src/model/loader/custom_returners.ts";
import type { FunctionTable } from "../../src/model/loader/loader.ts";
import { minionId } from "../../src/host/minion/id.ts";
import { returnLoad } from "../../src/host/minion/jobs/return_load.ts";
import { callReturners, returnerContext, returnerNames } from "../../src/host/minion/jobs/returners.ts";
import { callFunction, type JobOutcome } from "../../src/host/minion/processes/execute_job.ts";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { optimizeLate } from "../late_optimizing.ts";
import type { ProgramContext } from "../program/context.ts";
import { becomeUser } from "../program/become_user.ts";
import { leaveOnInterrupt } from "../program/exit.ts";
import { readConfig } from "../program/read_config.ts";
import { makePrinter, type Printer } from "../terminal/printer.ts";
import { reportCallFailure } from "./call/call_failure.ts";
import { type MinionCallHost, openCallHost } from "./call/call_host.ts";
import { preload } from "./call/preload.ts";

const SIGTERM = 15;

export async function callMain(context: ProgramContext): Promise<number> {
  const { options } = context;
  await becomeUser(context);
  const opts = await readMinionConfig(context);
  const printer = await makePrinter(context, opts);
  const grains = await grainsOf(context, opts);
  if (options.grains_run === true) {
    await printer.document({ local: grains }, "nested");
    return 0;
  }
  if (typeof options.file_root === "string") opts.file_roots = { base: [options.file_root] };
  if (typeof options.pillar_root === "string") opts.pillar_roots = { base: [options.pillar_root] };
  optimizeLate();
  const host = await openCallHost(context, opts, grains);
  if (options.doc === true) return await printDocumentation(context, host.functions);
  return await runFunction(context, printer, host).finally(() => host.bus.close());
}

/** The grains of this host; empty if they are not needed. */
async function grainsOf({ runtime, options, positionals, log }: ProgramContext, opts: MinionOpts) {
  if (options.skip_grains === true && options.grains_run !== true) return {};
  const grains = gatherGrains({ runtime, log, opts }, { fresh: options.refresh_grains_cache === true });
  if (options.grains_run === true || options.doc === true) return await grains;
  const isLocal = options.local === true || opts.file_client === "local";
  const [gathered] = await Promise.all([grains, preload(positionals[0] ?? "", isLocal)]);
  return gathered;
}

/** The configuration of the minion, changed by `--id` and `--master`. */
async function readMinionConfig(context: ProgramContext): Promise<MinionOpts> {
  const { runtime, options, log } = context;
  const { opts } = await readConfig(context, "minion", MINION_OPTIONS, false, { program: "salt-call" });
  if (typeof options.id === "string" && options.id !== "") opts.id = options.id;
  if (typeof options.master === "string" && options.master !== "") opts.master = options.master;
  opts.id = await minionId(runtime, opts, log);
  return opts;
}

/** `--doc`: prints the documentation of every function whose name begins with the word. */
async function printDocumentation(context: ProgramContext, functions: FunctionTable): Promise<number> {
  const [prefix = ""] = context.positionals;
  for (const { name, function: { doc } } of await functions.list()) {
    if (name.startsWith(prefix) && doc !== "") context.print(`${name}:\n${doc}\n\n`);
  }
  return 0;
}

interface Call {
  jid: string;
  fun: string;
  arg: unknown[];
  /** `{metadata}`; an empty map if the call has none. */
  metadata: { metadata?: unknown };
  /** Fields of the publication for the function. */
  published: Record<string, unknown>;
}

function readCall({ runtime, options, positionals }: ProgramContext): Call {
  const [fun = "", ...words] = positionals;
  const jid = newJid(runtime.clock);
  return {
    jid,
    fun,
    arg: parseInput(words, { noParse: Array.isArray(options.no_parse) ? options.no_parse : [] }),
    metadata: typeof options.metadata === "string" ? { metadata: yamlifyArg(options.metadata) } : {},
    published: { fun, pid: runtime.process.pid, jid, tgt: "salt-call" },
  };
}

/** Runs the function of the command line, sends its return and prints it. @returns the exit code */
async function runFunction(context: ProgramContext, printer: Printer, host: MinionCallHost): Promise<number> {
  const { runtime, options } = context;
  const { base, functions, jobs } = host;
  const call = readCall(context);
  const given = (["module_executors", "executor_opts"] as const).filter((name) => typeof options[name] === "string");
  const load: Record<string, unknown> = {
    ...call.published,
    arg: call.arg,
    ...Object.fromEntries(given.map((name) => [name, yamlifyArg(String(options[name]))])),
  };
  runtime.fs.mkdir(joinPath(host.opts.cachedir, "proc"));
  const running = jobs.begin(call.jid, load);
  // Processes that the function has started must end with this program.
  const off = leaveOnInterrupt(context, () => {
    jobs.signal(call.jid, SIGTERM);
    running.end();
  });
  try {
    const { signal, ownProcess } = running;
    const outcome = await callFunction({
      functions,
      context: () => base,
      load,
      published: call.published,
      signal,
      ownProcess,
    });
    await sendReturn(context, host, call, outcome);
    return await printReturn(context, printer, host, call, outcome);
  } catch (error) {
    return await reportCallFailure({ context, printer, functions, fun: call.fun }, error);
  } finally {
    off();
    running.end();
    await host.master?.connection.close();
  }
}

const outputterOf = ({ out }: JobOutcome) => out === undefined ? {} : { out };

/** Sends the return to the master, except with `--no-return-event`, and to the returners. */
async function sendReturn(
  { options, positionals }: ProgramContext,
  { opts, base, master }: MinionCallHost,
  { jid, fun, metadata }: Call,
  outcome: JobOutcome,
): Promise<void> {
  // As in Salt, the words of the command line.
  const ret = { ...returnLoad(opts.id, { jid, fun, arg: positionals.slice(1) }, outcome), ...metadata };
  if (master !== undefined && options.no_return_event !== true) {
    // `req` marks a job that no master has published: the master makes a job id for the return.
    await master.connection.requests.send({ ...ret, jid: "req" });
  }
  const names = returnerNames({ ret: options.return }, opts);
  if (names.length === 0) return;
  const { RETURNERS } = await import("../../src/plugins/returners/mod.ts");
  const returners = withCustomReturners(RETURNERS, base);
  await callReturners(returners, returnerContext(base, {}), names, ret);
}

/** Prints the return; with `--metadata`, also the other fields that are sent. @returns the exit code */
async function printReturn(
  { options, positionals }: ProgramContext,
  printer: Printer,
  { opts }: MinionCallHost,
  { jid, fun, metadata }: Call,
  outcome: JobOutcome,
): Promise<number> {
  const retcode = typeof outcome.retcode === "number" ? outcome.retcode : 0;
  if (options.print_metadata === true) {
    const envelope = {
      jid,
      return: outcome.return,
      retcode: outcome.retcode,
      ...outputterOf(outcome),
      id: opts.id,
      fun,
      fun_args: positionals.slice(1),
      ...metadata,
    };
    await printer.document({ local: envelope }, "nested", retcode);
  } else await printer.document({ local: outcome.return }, outcome.out, retcode);
  if (retcode === 0) return 0;
  return options.retcode_passthrough === true ? retcode : 1;
}

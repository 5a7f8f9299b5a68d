/** The program `salt-call`: runs a function on this very machine, with a master behind it or without. */
import { extraMinionData, pillarOf, pillarRecord, pillarRequest } from "../../src/minion/mod.ts";
import { callFunction, MissingFunctionError } from "../../src/minion/processes/executor.ts";
import { minionId } from "../../src/minion/id.ts";
import { RunningJobs } from "../../src/minion/jobs/running_jobs.ts";
import { callReturners, returnerNames } from "../../src/minion/jobs/returners.ts";
import { traceback } from "../../src/loader/traceback.ts";
import { MINION_OPTIONS, type MinionOpts } from "../../src/config/minion_opts.ts";
import { joinPath } from "../../src/config/paths.ts";
import { messageOf } from "../../src/errors.ts";
import { openFiles } from "../../src/fileserver/mod.ts";
import { InvocationError, parseInput, yamlifyArg } from "../../src/job/args.ts";
import { newJid } from "../../src/job/jid.ts";
import { withCustomReturners } from "../../src/loader/custom.ts";
import type { CompilePillar } from "../../src/loader/pillar_link.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../src/loader/family.ts";
import type { Context } from "../../src/loader/context.ts";
import { hostContext, hostFunctions } from "../../src/loader/host_context.ts";
import type { FunctionTable } from "../../src/loader/loader.ts";
import { ArgumentMismatchError } from "../../src/loader/signature.ts";
import { gatherGrains } from "../../src/plugins/grains/mod.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { render } from "../../src/plugins/outputters/mod.ts";
import { connectToMaster } from "./call/connect_to_master.ts";
import { openHostMaster } from "../host_master.ts";
import { makePrinter } from "../terminal/printer.ts";
import { Exit, leaveOnInterrupt } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";

const SIGTERM = 15;

/** `-d`: documentation of every function whose name begins with the word. */
async function documentation(context: ProgramContext, functions: FunctionTable): Promise<number> {
  const [prefix = ""] = context.positionals;
  for (const { name, function: { doc } } of await functions.list()) {
    if (name.startsWith(prefix) && doc !== "") context.print(`${name}:\n${doc}\n\n`);
  }
  return 0;
}

/** Failures of the call go to stderr, in Salt's words; the exit code of each. */
async function explain(
  context: ProgramContext,
  error: unknown,
  fun: string,
  functions: FunctionTable,
): Promise<number> {
  const { complain, log } = context;
  if (error instanceof Exit) throw error;
  if (error instanceof MissingFunctionError) {
    complain(error.message);
    return 255;
  }
  if (error instanceof CommandNotFoundError) {
    complain(`Command required for '${fun}' not found: ${error.message}`);
    return 1;
  }
  if (error instanceof CommandExecutionError) {
    const info = error.info === undefined || error.info === null
      ? ""
      : `${/[.!?]$/.test(error.message) ? "" : "."} Additional info follows:\n\n${
        (await render("nested", error.info)).text
      }`;
    complain(`Error running '${fun}': ${error.message}${info}`);
    return 1;
  }
  if (error instanceof InvocationError) {
    complain(error.message);
    return 1;
  }
  if (
    error instanceof SaltInvocationError || error instanceof ArgumentMismatchError ||
    error instanceof InvalidArgumentsError
  ) {
    const found = await functions.find(fun);
    complain(`\nPassed invalid arguments: ${error.message}.\n\nUsage:`);
    context.print(`${"message" in found || found.function.doc === "" ? "None" : found.function.doc}\n`);
    return 1;
  }
  log.error(`An un-handled exception was caught by Salt's global exception handler:\n${traceback(error)}`);
  return 1;
}

/** Runs `salt-call`. */
export async function callMain(context: ProgramContext): Promise<number> {
  const { runtime, options, positionals, log } = context;
  const { opts: values } = await readConfig(context, "minion", MINION_OPTIONS, false);
  const opts = values as MinionOpts;
  if (typeof options.id === "string" && options.id !== "") opts.id = options.id;
  if (typeof options.master === "string" && options.master !== "") opts.master = options.master;
  opts.id = await minionId(runtime, opts, log);
  const printer = await makePrinter(context, opts);
  const local = options.local === true || opts.file_client === "local";

  const grains = options.skip_grains === true && options.grains_run !== true
    ? {}
    : await gatherGrains({ runtime, log, opts }, { fresh: options.refresh_grains_cache === true });
  if (options.grains_run === true) {
    await printer.document({ local: grains }, "nested");
    return 0;
  }

  if (typeof options.file_root === "string") opts.file_roots = { base: [options.file_root] };
  if (typeof options.pillar_root === "string") opts.pillar_roots = { base: [options.pillar_root] };
  const remote = local || options.doc === true ? undefined : await connectToMaster(context, opts, grains);
  const ownPillar = local && options.doc !== true
    ? (await import("../pillar.ts")).openOwnPillar(runtime, opts, log)
    : undefined;
  const compilePillar: CompilePillar = async (call) =>
    remote === undefined
      ? await ownPillar?.({ id: opts.id, grains, ...call, extraMinionData: extraMinionData(opts) }) ?? {}
      : pillarOf(await remote.connection.requests.sendPrivate(pillarRequest(grains, opts, call)));
  const own = {
    saltenv: opts.saltenv as string | null,
    pillarenv: opts.pillarenv as string | null,
  };
  const jobs = new RunningJobs(runtime, log.child("job"), opts.cachedir);
  const functions = hostFunctions(MODULES, opts, () => base);
  const base: Context = hostContext(functions, {
    runtime,
    log: log.child("module"),
    opts,
    grains,
    pillar: remote?.pillar ?? pillarRecord(await compilePillar(own)),
    compilePillar,
    hostMaster: openHostMaster(runtime, log)(opts),
    jobs,
    master: remote && {
      fireEvent: async (tag, data) => {
        await remote.connection.requests.send({ cmd: "_minion_event", tag, data, pretag: null });
        return true;
      },
      fireLocal: () => {},
      request: async (load, how = {}) => {
        const { private: sealed, ...options } = how;
        const { requests } = remote.connection;
        return await (sealed ? requests.sendPrivate(load, options) : requests.send(load, options));
      },
    },
    files: openFiles({
      runtime,
      log: log.child("files"),
      opts,
      request: remote && ((load, how) => remote.connection.requests.send(load, how)),
    }),
  });
  if (options.doc === true) return await documentation(context, functions);

  const [fun = "", ...words] = positionals;
  const noParse = Array.isArray(options.no_parse) ? options.no_parse : [];
  const jid = newJid(runtime.clock);
  const published = { fun, pid: runtime.process.pid, jid, tgt: "salt-call" };
  const load = {
    ...published,
    arg: parseInput(words, { noParse }),
    ...(typeof options.module_executors === "string" ? { module_executors: yamlifyArg(options.module_executors) } : {}),
  };
  const metadata = typeof options.metadata === "string" ? yamlifyArg(options.metadata) : undefined;
  runtime.fs.mkdir(joinPath(opts.cachedir, "proc"));
  const running = jobs.begin(jid, load);
  // What the function has started must not go on without it.
  const off = leaveOnInterrupt(context, () => {
    jobs.signal(jid, SIGTERM);
    running.end();
  });
  try {
    const outcome = await callFunction({
      functions,
      context: () => base,
      load,
      published,
      signal: running.signal,
      ownProcess: running.ownProcess,
    });
    if (remote !== undefined && options.no_return_event !== true) {
      await remote.connection.requests.send({
        cmd: "_return",
        id: opts.id,
        success: outcome.success,
        return: outcome.return,
        retcode: outcome.retcode,
        jid: "req",
        fun,
        fun_args: load.arg,
        ...(outcome.out === undefined ? {} : { out: outcome.out }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    }
    const names = returnerNames({ ret: options.return }, opts);
    if (names.length > 0) {
      const { RETURNERS } = await import("../../src/plugins/returners/mod.ts");
      const ret = {
        id: opts.id,
        jid,
        fun,
        fun_args: load.arg,
        return: outcome.return,
        retcode: outcome.retcode,
        success: outcome.success,
        ...(outcome.out === undefined ? {} : { out: outcome.out }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      await callReturners(
        withCustomReturners(RETURNERS, base),
        { runtime, log: log.child("returner"), opts },
        names,
        ret,
      );
    }
    const retcode = typeof outcome.retcode === "number" ? outcome.retcode : 0;
    if (options.print_metadata === true) {
      const envelope = {
        jid,
        return: outcome.return,
        retcode: outcome.retcode,
        ...(outcome.out === undefined ? {} : { out: outcome.out }),
        id: opts.id,
        fun,
        fun_args: words,
        ...(metadata === undefined ? {} : { metadata }),
      };
      await printer.document({ local: envelope }, "nested", retcode);
    } else await printer.document({ local: outcome.return }, outcome.out, retcode);
    if (retcode === 0) return 0;
    return options.retcode_passthrough === true ? retcode : 1;
  } catch (error) {
    if (error instanceof MissingFunctionError && /^[A-Za-z0-9_.]+$/.test(fun)) {
      const near = (await functions.list()).filter(({ name }) => name.startsWith(fun));
      if (near.length > 0) {
        const docs = Object.fromEntries(near.map(({ name, function: { doc } }) => [name, doc || null]));
        await printer.document({ local: { ...docs, [fun]: messageOf(error) } });
        return 1;
      }
    }
    return await explain(context, error, fun, functions);
  } finally {
    off();
    running.end();
    await remote?.connection.close();
  }
}

/** The program `salt-run`: runs a runner in this process, next to a Brine or Salt master. */
import { conditionInput, parseArguments } from "../../src/model/job/args.ts";
import { newJid } from "../../src/model/job/jid.ts";
import { messageOf } from "../../src/base/errors.ts";
import { ORCHESTRATIONS } from "../../src/model/job/function_name.ts";
import { parseSignature } from "../../src/model/loader/signature.ts";
import { traceback } from "../../src/model/loader/traceback.ts";
import { makePrinter } from "../terminal/printer.ts";
import { leaveOnInterrupt } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";
import { readMasterConfig } from "../program/read_master_config.ts";
import { RunnerHost } from "../../src/host/runner/runner_host.ts";
import { adviseNearest } from "../complete/nearest_function.ts";
import { runnerDocumentation, runnersOf } from "../../src/host/runner/runner_registry.ts";
import { RUNNER_PLUGINS } from "../runner_plugins.ts";

export async function runMain(context: ProgramContext): Promise<number> {
  const { runtime, options, positionals, log } = context;
  const opts = await readMasterConfig(context, { client: true });
  const printer = await makePrinter(context, opts);
  const [name = "", ...words] = positionals;
  // As in Salt, the name of a module alone shows its documentation.
  const docs = options.doc === true || !name.includes(".")
    ? await runnerDocumentation(runnersOf({ runtime, log, opts, plugins: RUNNER_PLUGINS }), name)
    : {};
  if (options.doc === true || name === "" || Object.keys(docs).length > 0) {
    const shown = Object.entries(docs).map(([fun, text]) => [fun, text === "" ? null : text] as const);
    if (options.doc !== true) await printer.document(Object.fromEntries(shown));
    else for (const [fun, text] of shown) context.print(`${fun}:\n${text ?? "None"}\n`);
    return 0;
  }

  const off = leaveOnInterrupt(context);
  if (options.eauth || options.async === true) {
    const { runInMaster } = await import("./run/run_in_master.ts");
    return await runInMaster(context, opts, printer).finally(off);
  }
  const quiet = options.quiet === true;
  const show = (data: unknown, own?: string) => printer.document(data, own);
  const jid = typeof options.jid === "string" && options.jid !== "" ? options.jid : newJid(runtime.clock);
  // Logs the error after the traceback: scripts read that on stdout, and on a terminal this is the last line.
  const failed = (runner: string, error: unknown) => {
    log.error("runner failed", { runner, error: messageOf(error) });
    for (const line of traceback(error).trimEnd().split("\n")) log.debug(line);
  };
  const host = await RunnerHost.open({
    runtime,
    log,
    opts,
    plugins: RUNNER_PLUGINS,
    isBrine: context.explicit.has("master_job_cache"),
    delimiter: String(options.delimiter ?? ":"),
    jid,
    screen: { quiet, show, line: printer.line, failed },
  });
  try {
    const found = await host.find(name);
    if (found === undefined) {
      const text = host.missing(name, words);
      if (!quiet) await show(text);
      await adviseNearest(context, "runners", name);
      return 0;
    }
    const { positional: given, keyword } = parseArguments(words, {
      noParse: Array.isArray(options.no_parse) ? options.no_parse : [],
    });
    // As in a job, text that looks like a job id stays text.
    const positional = conditionInput(given, new Map());
    const { keywords, params } = parseSignature(found.signature);
    if (keywords === undefined && [...keyword.keys()].some((key) => !params.some((param) => param.name === key))) {
      if (!quiet) await show({ [name]: found.doc === "" ? null : found.doc });
      return 0;
    }
    if (ORCHESTRATIONS.includes(name)) keyword.set("orchestration_jid", jid);
    return await host.run(found, name, { positional, keyword, user: runtime.host.user().name });
  } finally {
    off();
    await host.close();
  }
}

import type { CollectOptions } from "../../src/client/job_collector.ts";
import { LocalClient } from "../../src/client/local_client.ts";
import { hasReturn, highestRetcode, type Outcome, type ReturnOutcome } from "../../src/client/outcome.ts";
import type { PublishRequest } from "../../src/client/publish_request.ts";
import { codeOf, messageOf } from "../../src/errors.ts";
import { MASTER_OPTIONS, type MasterOpts } from "../../src/config/master_opts.ts";
import { parseInput, yamlifyArg } from "../../src/job/args.ts";
import { OutputError } from "../../src/plugins/outputters/mod.ts";
import { printable } from "../../src/printable.ts";
import type { LiveOutput } from "./salt/live_output.ts";
import { makePrinter, type Printer } from "../terminal/printer.ts";
import { Progress } from "./salt/progress.ts";
import { silentText } from "./salt/silent_text.ts";
import { targetOf, tellNobody } from "./salt/target.ts";
import { Exit, leaveOnInterrupt, masterDown } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";
import { readConfig } from "../program/read_config.ts";

/** `90`, `90s`, `15m`, `12h`, `7d` in seconds; undefined for anything else, and for nothing. */
export function seconds(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text.trim()) ?? [];
  if (number === undefined) return undefined;
  const value = Number(number) * { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }[unit as ""]!;
  return value > 0 ? value : undefined;
}

function timeOption(name: string, value: unknown): number {
  const found = seconds(String(value));
  if (found !== undefined) return found;
  throw new Exit(64, `salt: error: option ${name}: invalid time: '${value}': expected seconds, or 90s, 15m, 12h, 7d`);
}

/** A time as people read it. */
function clockTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** What the master reports of a target that did not return, in a line; undefined if that is no more than "published". */
function reportedText({ kind, atMs, sinceMs, note }: Exclude<Outcome, ReturnOutcome>): string | undefined {
  if (kind === "missing") return undefined;
  if ((kind === "published" || kind === "no answer") && sinceMs === undefined && note === undefined) return undefined;
  const gone = sinceMs === undefined ? "" : `, gone since ${clockTime(sinceMs)}`;
  const when = atMs === undefined ? "" : ` (${clockTime(atMs)})`;
  return `${kind}${when}${note === undefined ? "" : `: ${note}`}${gone}`;
}

/** Functions and their arguments, as the words of the command line give them. */
function functionsOf(
  words: readonly string[],
  separator: string,
  noParse: string[],
): Pick<PublishRequest, "fun" | "arg"> {
  const [fun = "", ...args] = words;
  if (!fun.includes(",")) return { fun, arg: parseInput(args, { noParse }) };
  const names = fun.split(",").map((name) => name.trim());
  let groups: string[][] = [[]];
  if (args.filter((word) => word === separator).length === names.length - 1) {
    for (const word of args) {
      if (word === separator) groups.push([]);
      else groups[groups.length - 1]!.push(word);
    }
  } else {
    groups = [[]];
    for (const word of args) {
      word.split(separator).forEach((piece, index) => {
        if (index > 0) groups.push([]);
        if (piece !== "") groups[groups.length - 1]!.push(piece);
      });
    }
  }
  if (groups.length < names.length) {
    throw new Exit(42, "Cannot execute compound command without defining all arguments.");
  }
  if (groups.length > names.length) {
    throw new Exit(42, "Cannot execute compound command with more arguments than commands.");
  }
  return { fun: names, arg: groups.map((group) => parseInput(group, { noParse })) };
}

interface Tally {
  targeted: number;
  returned: Set<string>;
  silent: string[];
  queued: string[];
  failed: string[];
  retcodes: number[];
  /** How those that did not return stand, as far as the master knows. */
  outcomes: Map<string, number>;
}

function summary(tally: Tally, verbose: boolean): string {
  const rule = "-".repeat(43);
  const lines = [
    "",
    "",
    rule,
    "Summary",
    rule,
    `# of minions targeted: ${tally.targeted}`,
    `# of minions returned: ${tally.returned.size}`,
    `# of minions that did not return: ${tally.silent.length}`,
    `# of minions with errors: ${tally.failed.length}`,
  ];
  // Only what Salt has no line for.
  if (tally.queued.length > 0) lines.push(`# of minions queued: ${tally.queued.length}`);
  for (const [outcome, count] of [...tally.outcomes].sort()) lines.push(`# of minions ${outcome}: ${count}`);
  if (verbose && tally.silent.length > 0) {
    lines.push(`Minions not responding: ${tally.silent.map((id) => printable(id)).join(" ")}`);
  }
  if (verbose && tally.failed.length > 0) {
    lines.push(`Minions with failures: ${tally.failed.map((id) => printable(id)).join(" ")}`);
  }
  return [...lines, rule].join("\n");
}

/** Follows a job and prints each minion's document as it comes; the tally at the end. */
async function follow(
  outcomes: AsyncIterable<Outcome>,
  verbose: boolean,
  show: (
    outcome: Outcome,
    document: Record<string, unknown>,
    out: string | undefined,
    retcode: number,
  ) => Promise<void>,
): Promise<Tally> {
  const tally: Tally = {
    targeted: 0,
    returned: new Set(),
    silent: [],
    queued: [],
    failed: [],
    retcodes: [],
    outcomes: new Map(),
  };
  for await (const outcome of outcomes) {
    tally.targeted++;
    if (hasReturn(outcome)) {
      // As in Salt, a command that a signal ended, whose code is negative, has not failed.
      const retcode = Math.max(0, highestRetcode(outcome.retcode));
      tally.returned.add(outcome.id);
      tally.retcodes.push(retcode);
      if (retcode !== 0) tally.failed.push(outcome.id);
      await show(outcome, { [outcome.id]: outcome.return }, outcome.out, retcode);
    } else if (outcome.kind === "queued") {
      tally.queued.push(outcome.id);
      const text = `The minion is away: it gets the job when it comes back. To see what waits:\n\nsalt-run jobs.queued`;
      await show(outcome, { [outcome.id]: text }, "no_return", 0);
    } else {
      tally.silent.push(outcome.id);
      // That it was sent the job and did not return is in Salt's own lines.
      if (outcome.kind !== "published" && outcome.kind !== "no answer" && outcome.kind !== "missing") {
        tally.outcomes.set(outcome.kind, (tally.outcomes.get(outcome.kind) ?? 0) + 1);
      }
      const reported = verbose ? reportedText(outcome) : undefined;
      const more = reported === undefined ? "" : `\n\nOutcome: ${reported}`;
      await show(outcome, { [outcome.id]: silentText(outcome.jid, outcome) + more }, "no_return", 1);
    }
  }
  return tally;
}

/** Salt passes over a return in which an outputter misses a name. */
function passOverMissingKey(error: unknown): void {
  if (!(error instanceof OutputError && error.missingKey)) throw error;
}

interface Target {
  tgt: unknown;
  tgt_type: string;
}

/** Who is expected to answer, looked up without sending anything. */
async function expected(context: ProgramContext, opts: MasterOpts, target: Target): Promise<string[]> {
  const { previewTarget } = await import("../preview.ts");
  return previewTarget({ ...context, delimiter: String(context.options.delimiter ?? ":") }, opts, target);
}

async function preview(context: ProgramContext, opts: MasterOpts, printer: Printer, target: Target): Promise<number> {
  const minions = await expected(context, opts, target);
  await printer.document(minions);
  if (minions.length > 0) return 0;
  context.complain("ERROR: No return received");
  return 2;
}

/** `-d`: the documentation of functions, gathered from all minions. */
async function documentation(
  outcomes: AsyncIterable<Outcome>,
  printer: Printer,
  context: ProgramContext,
): Promise<number> {
  const docs = new Map<string, string>();
  for await (const outcome of outcomes) {
    if (!hasReturn(outcome) || typeof outcome.return !== "object" || outcome.return === null) continue;
    for (const [name, text] of Object.entries(outcome.return)) {
      if (!docs.get(name) && text) docs.set(name, String(text));
    }
  }
  for (const name of [...docs.keys()].sort()) {
    if (printer.chosen) await printer.document({ [name]: docs.get(name) });
    else context.print(`${name}:\n${docs.get(name)}\n\n`);
  }
  return 0;
}

/** How many at a time, as text; empty for all at once. */
const batchOf = (options: ProgramContext["options"], opts: MasterOpts) => String(options.batch ?? opts.batch ?? "");

export async function saltMain(context: ProgramContext): Promise<number> {
  const { options, positionals, runtime, log, complain } = context;
  const { opts: values } = await readConfig(context, "master", MASTER_OPTIONS, false, { client: true });
  const opts = values as MasterOpts;
  const printer = await makePrinter(context, opts);

  if (options.config_dump === true) {
    const { render } = await import("../../src/plugins/outputters/mod.ts");
    const { SALT_MASTER_DEFAULTS, withSaltDefaults } = await import("../../src/config/salt_defaults.ts");
    context.print(`${(await render("yaml", withSaltDefaults(opts, SALT_MASTER_DEFAULTS))).text}\n`);
    return 0;
  }
  // As in Salt, it is the function that decides, not whether -d named it.
  const asksDoc = options.doc === true || positionals[1] === "sys.doc";
  const words = positionals;
  let target;
  try {
    target = await targetOf(context, opts, words[0]!);
  } catch (error) {
    if (!(error instanceof Exit) || error.exitCode !== 0) throw error;
    await printer.document(error.message);
    return 0;
  }
  if (options.preview_target === true) return await preview(context, opts, printer, target);

  const functions = functionsOf(
    words.slice(1),
    String(options.args_separator ?? ","),
    Array.isArray(options.no_parse) ? options.no_parse : [],
  );
  const showTimeout = options.show_timeout !== false && opts.show_timeout;
  const kwargs: Record<string, unknown> = {
    delimiter: options.delimiter ?? ":",
    show_timeout: showTimeout,
    show_jid: options.show_jid === true,
  };
  for (const name of ["metadata", "ret_kwargs", "module_executors", "executor_opts"]) {
    const text = options[name];
    if (typeof text === "string" && text !== "" && text !== "{}") kwargs[name] = yamlifyArg(text);
  }
  if (typeof options.ret_config === "string" && options.ret_config !== "") kwargs.ret_config = options.ret_config;
  const request: PublishRequest = { ...target, ...functions, ret: String(options.return ?? ""), kwargs };
  if (context.explicit.has("queue")) {
    request.queue = options.queue === true ? opts.job_queue_ttl : timeOption("--queue", options.queue);
  }
  if (context.explicit.has("job_timeout")) request.jobTimeout = timeOption("--job-timeout", options.job_timeout);
  let live: LiveOutput | undefined;
  if (options.stream === true) {
    const { LiveOutput } = await import("./salt/live_output.ts");
    request.stream = true;
    // Where an outputter was asked for, what it prints must stay by itself.
    live = new LiveOutput(printer.chosen ? complain : (line) => printer.line(line), complain);
  }
  const collect: CollectOptions = {
    ...(live === undefined ? {} : { onOutput: (output) => live.take(output) }),
    timeoutMs: (Number(context.explicit.has("timeout") ? options.timeout : opts.timeout) || opts.timeout) * 1000,
    gatherMs: (Number(options.gather_job_timeout ?? 0) || opts.gather_job_timeout) * 1000,
  };

  let client: LocalClient;
  try {
    // Salt waits this long, too: three times the timeout. It publishes anew each time, which we do not.
    client = await LocalClient.open({
      runtime,
      log,
      opts,
      requestTimeoutMs: 3 * collect.timeoutMs!,
      checked: false,
    });
  } catch (error) {
    if (codeOf(error) !== "MASTER_DOWN") throw new Exit(2, messageOf(error));
    // Only where Salt waits for each return by itself it calls that a document.
    if (options.async === true || options.static === true || batchOf(options, opts) !== "") throw masterDown(error);
    log.error(messageOf(error));
    await printer.document("The salt master could not be contacted. Is master running?");
    return 0;
  }
  await using _client = client;
  if (options.eauth || !client.keyed) {
    const { credentialsOf } = await import("../program/credentials.ts");
    const credentials = await credentialsOf(context, opts, client);
    if (credentials !== undefined) request.credentials = credentials;
  }

  const interrupted = new AbortController();
  let jid = "";
  const progress = options.progress === true ? new Progress(complain) : undefined;
  collect.onPublished = (published, { minions, missing }) => {
    jid = published;
    progress?.expect(minions.length + missing.length);
  };
  const off = leaveOnInterrupt(context, () => {
    if (jid !== "") complain(`This job's jid is: ${jid}\n${silentText(jid).split("\n").slice(1).join("\n")}`);
  });

  try {
    const safeLimit = Number(options.batch_safe_limit || opts.batch_safe_limit);
    let batch = batchOf(options, opts);
    if (batch === "" && options.static !== true && safeLimit > 1) {
      if ((await expected(context, opts, target)).length >= safeLimit) {
        printer.line("\nNOTICE: Too many minions targeted, switching to batch execution.");
        batch = String(context.explicit.has("batch_safe_size") ? options.batch_safe_size : opts.batch_safe_size);
      }
    }
    const batched = batch !== "" && options.static !== true;
    // Whoever asked for few at a time does not mean all at once.
    if (options.async === true && !batched) {
      const published = await client.publish(request);
      if (published === undefined) await tellNobody(context, opts, printer, target);
      printer.line(`Executed command with job ID: ${published?.jid ?? 0}`);
      return 0;
    }
    if (options.subset !== undefined && Number(options.subset) !== 0) {
      const { chooseSubset } = await import("../../src/client/subset.ts");
      request.tgt = await chooseSubset(
        client,
        request,
        Math.max(1, Number(options.subset)),
        collect,
        () => runtime.random(),
      );
      request.tgt_type = "list";
    }
    if (batched) {
      const { batchMain } = await import("./salt/batch.ts");
      return await batchMain(context, client, request, collect, batch, printer, opts);
    }

    const outcomes = client.run(request, { ...collect, signal: interrupted.signal });
    if (asksDoc) return await documentation(outcomes, printer, context);
    let header = false;
    let matched = false;
    const stream = (async function* () {
      for await (const outcome of outcomes) {
        matched = true;
        jid = outcome.jid;
        log.debug("outcome", { id: outcome.id, jid, kind: outcome.kind });
        progress?.step();
        // Who is hidden is not counted either. What has no key is not late.
        const late = !hasReturn(outcome) && outcome.kind !== "queued" && outcome.kind !== "missing";
        if (late && !showTimeout) continue;
        // All in one document has nothing before it.
        if (!header && options.static !== true) {
          header = true;
          if (options.verbose === true) {
            const line = `Executing job with jid ${jid}`;
            printer.line(`${line}\n${"-".repeat(line.length)}\n`);
          } else if (options.show_jid === true || opts.show_jid) printer.line(`jid: ${jid}`);
        }
        yield outcome;
      }
    })();

    const collected: Record<string, unknown> = {};
    let collectedOut: string | undefined;
    let missed = false;
    const tally = await follow(stream, options.verbose === true, async (outcome, document, out, retcode) => {
      if (!hasReturn(outcome) && outcome.kind !== "queued") missed = true;
      live?.end(outcome.id);
      if (live?.heard.has(outcome.id) && hasReturn(outcome) && typeof outcome.return === "string") {
        // It has been shown.
        if (!printer.chosen) {
          return printer.line(`${printable(outcome.id)}: [ended with code ${highestRetcode(outcome.retcode)}]`);
        }
      }
      if (options.static === true) {
        if (hasReturn(outcome)) Object.assign(collected, document);
        collectedOut ??= out === "highstate" ? out : undefined;
      } else await printer.document(document, out, retcode).catch(passOverMissingKey);
    });
    if (!matched) {
      await tellNobody(context, opts, printer, target);
      await printer.document({});
      complain("ERROR: No return received");
      return 2;
    }
    if (options.static === true) {
      await printer.document(collected, collectedOut);
      if (Object.keys(collected).length > 0) return 0;
      complain("ERROR: No return received");
      return 2;
    }
    if ((options.cli_summary === true || opts.cli_summary) && !printer.chosen) {
      printer.line(summary(tally, options.verbose === true));
    }
    if (missed || tally.retcodes.some((code) => code !== 0)) {
      complain("ERROR: Minions returned with non-zero exit code");
      return 1;
    }
    return 0;
  } catch (error) {
    const code = codeOf(error);
    if (code === "NO_KEY") throw new Exit(2, messageOf(error));
    if (code === "NOT_BRINE") throw new Exit(2, messageOf(error));
    if (code === "REFUSED" || code === "TIMEOUT" || code === "BUS_LOST") {
      log.error(messageOf(error));
      await printer.document(messageOf(error));
      return code === "REFUSED" ? 0 : 1;
    }
    throw error;
  } finally {
    off();
  }
}

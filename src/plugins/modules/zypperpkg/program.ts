/** The program zypper: its words, its codes, its lock. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { type CommandOutcome, runAll, scopeWords } from "../../commands.ts";
import { rootWords } from "../../packages/rpm/installed.ts";
import { elementsOf, parseXml, type XmlElement } from "../../xml.ts";

export interface ZypperCall {
  /** Another system's directory. */
  root?: unknown;
  /** It only reads, and need not wait for others. @default false */
  reading?: boolean;
  /** It may fetch the lists of packages. @default false */
  fetching?: boolean;
  /** A code that tells of an error is the caller's to judge. @default false */
  lenient?: boolean;
  /** To find nothing is no failure of the job. @default false */
  mayBeMissing?: boolean;
  /** In a scope of its own under systemd, which would end it with the minion otherwise. @default false */
  scoped?: boolean;
}

const LOCK = "/var/run/zypp.pid";
const LOCKED = 7;
const NOT_FOUND = 104;
/** How long to wait for another zypper before the next try. */
const LOCK_WAIT_MS = 5000;

/** Codes of runs that brought what was asked for. */
const SUCCESS = [0, 100, 101, 102, 103];
/** Codes that warn: no repositories, locked, a repository that does not answer, a script of a package that failed. */
const WARNINGS = [6, LOCKED, 106, 107];

export const zypperSucceeded = (code: number): boolean => SUCCESS.includes(code);

const xmlErrors = (text: string): string[] | undefined => {
  try {
    return elementsOf(parseXml(text), "message").filter((one) => one.attributes.type === "error")
      .map((one) => one.text ?? "");
  } catch {
    return undefined;
  }
};

/** What zypper says went wrong; undefined if nothing did. */
function errorOf({ retcode, stdout, stderr }: CommandOutcome, xml: boolean): string | undefined {
  if (zypperSucceeded(retcode) || WARNINGS.includes(retcode)) return undefined;
  const said = (xml ? xmlErrors(stdout) : [stderr.trim() + stdout.trim()]) ?? [stderr.trim()];
  return said.filter((one) => one !== "").join("\n") || "Check Zypper's logs.";
}

/** What is known of the process that holds the lock. */
async function blocker(context: JobContext): Promise<Args> {
  const { fs } = context.runtime;
  if (fs.stat(LOCK) === undefined) {
    return { info: "Zypper is locked, but no Zypper lock has been found.", success: false };
  }
  try {
    const pid = Number(splitLines(fs.readText(LOCK))[0]);
    const attrs = ["pid", "name", "cmdline", "create_time"];
    const found = await context.call("ps.proc_info", [pid], { attrs }) as Args;
    const created = new Date(Number(found.create_time) * 1000).toISOString().replace(/\.?0*Z$/, "");
    const cmdline = (found.cmdline as unknown[]).map(str).join(" ");
    return { ...found, cmdline, info: `Blocking process created at ${created}.`, success: true };
  } catch (error) {
    return { info: `Unable to retrieve information about blocking process: ${String(error)}`, success: false };
  }
}

async function started(context: JobContext, words: string[], call: ZypperCall, xml: boolean): Promise<CommandOutcome> {
  const quick = truthy(call.reading) && !truthy(call.fetching);
  const argv = [
    ...(truthy(call.scoped) ? scopeWords(context) : []),
    ...["zypper", "--non-interactive"],
    ...(xml ? ["--xmlout"] : []),
    ...(truthy(call.fetching) || words.includes("--no-refresh") ? [] : ["--no-refresh"]),
    ...rootWords(call.root),
    ...words,
  ];
  return await runAll(context, argv, {
    output_loglevel: "trace",
    // Without this variable it would wait for the lock to read, too.
    env: quick ? { ZYPP_READONLY_HACK: "1" } : {},
    ...(truthy(call.mayBeMissing) ? { success_retcodes: [NOT_FOUND] } : {}),
  });
}

/** Runs zypper, after another one that holds the lock; the master hears of the wait. */
async function run(context: JobContext, words: string[], call: ZypperCall, xml: boolean): Promise<CommandOutcome> {
  let result = await started(context, words, call, xml);
  const waited = result.retcode === LOCKED;
  while (result.retcode === LOCKED) {
    await context.call("event.fire_master", [await blocker(context), "zypper/blocked"]);
    await context.runtime.clock.sleep(LOCK_WAIT_MS, context.signal);
    result = await started(context, words, call, xml);
  }
  const error = errorOf(result, xml);
  if (waited) {
    const news = { success: error === undefined, info: error ?? "Zypper has been released" };
    await context.call("event.fire_master", [news, "zypper/released"]);
  }
  if (error !== undefined && !truthy(call.lenient)) {
    throw new CommandExecutionError(`Zypper command failure: ${error}`);
  }
  return result;
}

/** Runs zypper. @throws {CommandExecutionError} with what it says, unless the call is lenient */
export const callZypper = (context: JobContext, words: string[], call: ZypperCall = {}): Promise<CommandOutcome> =>
  run(context, words, call, false);

/** The same; its answer as a document. */
export async function askZypper(context: JobContext, words: string[], call: ZypperCall = {}): Promise<XmlElement> {
  const { stdout } = await run(context, words, call, true);
  try {
    return parseXml(stdout);
  } catch (error) {
    throw new CommandExecutionError(`Cannot read what zypper ${words[0]} printed: ${String(error)}`);
  }
}

/** `[a, b, c]` in pieces: a command line has bounds. */
export function batches<T>(list: readonly T[], size: number): T[][] {
  const found: T[][] = [];
  for (let at = 0; at < list.length; at += size) found.push(list.slice(at, at + size));
  return found;
}

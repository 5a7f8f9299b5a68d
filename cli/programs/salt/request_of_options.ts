/** Makes the request of `salt` to the master, from the functions, arguments and options of the command line. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { PublishRequest } from "../../../src/client/publish_request.ts";
import { parseInput, yamlifyArg } from "../../../src/model/job/args.ts";
import type { ProgramContext } from "../../program/context.ts";
import { Exit } from "../../program/exit.ts";
import type { JobTarget } from "./target.ts";

/** Exit code if several functions do not have as many argument lists. */
const INCOMPLETE = 42;

/** Options with YAML in their value that are passed on with the publication. */
const YAML_OPTIONS = ["metadata", "ret_kwargs", "module_executors", "executor_opts"];

/** Converts `90`, `90s`, `15m`, `12h`, `7d` to seconds; undefined for other text and for 0. */
function seconds(text: string): number | undefined {
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

/**
 * Splits the arguments of several functions. If there are exactly enough separators as separate words, only those count;
 * otherwise words are split at separators, too.
 */
function argumentGroups(args: readonly string[], separator: string, functions: number): string[][] {
  const ownWords = args.filter((word) => word === separator).length === functions - 1;
  const words = ownWords ? args : args.flatMap((word) =>
    word.split(separator).flatMap((piece, index) => [
      ...(index > 0 ? [separator] : []),
      ...(piece === "" ? [] : [piece]),
    ])
  );
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === separator) groups.push([]);
    else groups[groups.length - 1]!.push(word);
  }
  return groups;
}

/**
 * The functions and their arguments on the command line.
 *
 * @throws {Exit} 42 if there are too few or too many argument lists for several functions
 */
export function functionsOf({ options, positionals }: ProgramContext): Pick<PublishRequest, "fun" | "arg"> {
  const [fun = "", ...args] = positionals.slice(1);
  const noParse: string[] = Array.isArray(options.no_parse) ? options.no_parse : [];
  if (!fun.includes(",")) return { fun, arg: parseInput(args, { noParse }) };
  const names = fun.split(",").map((name) => name.trim());
  const groups = argumentGroups(args, String(options.args_separator ?? ","), names.length);
  if (groups.length < names.length) {
    throw new Exit(INCOMPLETE, "Cannot execute compound command without defining all arguments.");
  }
  if (groups.length > names.length) {
    throw new Exit(INCOMPLETE, "Cannot execute compound command with more arguments than commands.");
  }
  return { fun: names, arg: groups.map((group) => parseInput(group, { noParse })) };
}

/** False if minions that do not answer are hidden, by `--hide-timeout` or the option `show_timeout`. */
export function showsTimeouts({ options }: ProgramContext, opts: MasterOpts): boolean {
  return options.show_timeout !== false && opts.show_timeout;
}

/** The request for these functions, with the options of the command line. @throws {Exit} 64 for an invalid time */
export function publishRequest(
  context: ProgramContext,
  opts: MasterOpts,
  target: JobTarget,
  functions: Pick<PublishRequest, "fun" | "arg">,
): PublishRequest {
  const { options, explicit } = context;
  const kwargs: Record<string, unknown> = {
    delimiter: options.delimiter ?? ":",
    show_timeout: showsTimeouts(context, opts),
    show_jid: options.show_jid === true,
  };
  for (const name of YAML_OPTIONS) {
    const text = options[name];
    if (typeof text === "string" && text !== "" && text !== "{}") kwargs[name] = yamlifyArg(text);
  }
  if (typeof options.ret_config === "string" && options.ret_config !== "") kwargs.ret_config = options.ret_config;
  const request: PublishRequest = { ...target, ...functions, ret: String(options.return ?? ""), kwargs };
  if (explicit.has("queue")) {
    request.queue = options.queue === true ? opts.job_queue_ttl : timeOption("--queue", options.queue);
  }
  if (explicit.has("job_timeout")) request.jobTimeout = timeOption("--job-timeout", options.job_timeout);
  if (options.stream === true) request.stream = true;
  return request;
}

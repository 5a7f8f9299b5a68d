/** What `salt` asks the master to publish: functions, arguments and options of the command line as a request. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { PublishRequest } from "../../../src/client/publish_request.ts";
import { parseInput, yamlifyArg } from "../../../src/model/job/args.ts";
import type { ProgramContext } from "../../program/context.ts";
import { Exit } from "../../program/exit.ts";
import type { JobTarget } from "./target.ts";

/** Exit code of several functions whose arguments are not as many. */
const INCOMPLETE = 42;

/** Options whose text is YAML, passed on with the publication. */
const YAML_OPTIONS = ["metadata", "ret_kwargs", "module_executors", "executor_opts"];

/** `90`, `90s`, `15m`, `12h`, `7d` in seconds; undefined for other text and for 0. */
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
 * The arguments of each of several functions. A separator is a word of its own if there are as many of those as it takes;
 * otherwise it is looked for within each word as well.
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
 * Functions and their arguments, as the words of the command line give them.
 *
 * @throws {Exit} 42 for arguments of several functions that are too few or too many
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

/** False if minions that do not answer are not reported: `--hide-timeout`, or the option `show_timeout`. */
export function showsTimeouts({ options }: ProgramContext, opts: MasterOpts): boolean {
  return options.show_timeout !== false && opts.show_timeout;
}

/**
 * The request for these functions with the options of the command line.
 *
 * @throws {Exit} 64 for a time that cannot be read
 */
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

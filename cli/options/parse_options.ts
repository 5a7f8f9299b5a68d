import { OptionParser, StopParsing } from "./option_parser.ts";
import { optparseBoolean } from "./option.ts";
import { PROGRAMS } from "./programs.ts";
import type { ExitRequest, OptionsContext, Program, RunRequest } from "./request.ts";

/**
 * Parses the words of a command line. Options and positional words may be mixed, long options abbreviated and short ones
 * bundled. If an option is repeated, the last one counts.
 *
 * @param argv the words after the program's name
 */
export function parseOptions(
  program: Program,
  argv: readonly string[],
  context: OptionsContext,
): RunRequest | ExitRequest {
  const table = PROGRAMS[program](context.env ?? {});
  const parser = new OptionParser(program, table, context.version);
  try {
    let run = parser.parse(argv);
    if (run.options.args_stdin === true) {
      if (context.stdin === undefined) return { ...run, needsStdin: true };
      const more = parser.parse(context.stdin.split("\n").map((line) => line.replace(/\r+$/, "")).filter(notLast));
      // As in Salt, only positional words of the command line are kept: the second parse sets every option.
      run = { ...more, positionals: [...run.positionals, ...more.positionals] };
    }
    if (context.saltfile !== undefined) parser.takeDefaults(run, context.saltfile);
    for (const dest of ["state_verbose"]) {
      if (dest in run.options) run.options[dest] = optparseBoolean(run.options[dest] ?? null, false);
    }
    if (typeof run.options.no_parse === "string") {
      run.options.no_parse = run.options.no_parse.split(",").map((name) => name.trim()).filter((name) => name !== "");
    }
    if (run.options.versions_report !== true) table.check(run, (stop) => parser.stop(stop));
    return run;
  } catch (stop) {
    if (stop instanceof StopParsing) return stop.request;
    throw stop;
  }
}

/** False for the empty last piece, after the final line feed. */
function notLast(line: string, index: number, lines: string[]): boolean {
  return line !== "" || index < lines.length - 1;
}

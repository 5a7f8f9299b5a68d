/**
 * The command line of every program: a table of options with Salt's spellings for each, and a parser with the grammar of
 * Python's optparse, from which scripts know it. {@linkcode parseOptions} is the one seam for option parsing: another parser
 * would stand behind it. It touches no runtime.
 */
export { helpText } from "./help.ts";
export { parseOptions } from "./parse_options.ts";
export type { ExitRequest, OptionsContext, OptionValue, OptionValues, Program, RunRequest } from "./request.ts";

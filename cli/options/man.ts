/** Makes manual pages in roff, from the tables of options. */
import { CODENAME, VERSION } from "../../src/base/version.ts";
import { EXAMPLES } from "./examples.ts";
import { type Option, type OptionGroup, takesValue } from "./option.ts";
import { PROGRAMS } from "./programs.ts";
import type { Program } from "./request.ts";

/** Programs with a manual page: all of them. */
export const MANUALS = Object.keys(PROGRAMS) as Program[];

/** Files that a program reads or writes by default, with their meaning. */
const FILES: readonly (readonly [path: string, what: string, programs: RegExp])[] = [
  ["/etc/salt/master", "configuration of the master", /^salt(?:-master|-key|-run|-cp|-api|-syndic|-doctor)?$/],
  ["/etc/salt/minion", "configuration of the minion", /^salt-(?:minion|call|syndic|doctor)$/],
  ["/etc/salt/pki", "keys of the master and the minion", /^salt-(?:master|minion|key)$/],
  ["/var/log/salt", "logs", /^salt-(?:master|minion|api|syndic)$/],
  ["~/.saltrc, Saltfile", "options of one user", /^salt(?:-key|-run|-call|-cp)?$/],
];

/** Exit codes that a script may rely on. */
const EXITS: readonly (readonly [code: string, what: string, programs: RegExp])[] = [
  ["0", "all went well", /./],
  ["1", "a minion returned a failure or did not return, or the program failed", /^salt(?:-call|-run|-cp|-key)?$/],
  ["1", "a check found an error", /^salt-doctor$/],
  ["1", "another instance is running, or a setting cannot be applied", /^salt-(?:master|minion|api|syndic)$/],
  ["2", "no minion matched or returned", /^salt(?:-cp)?$/],
  ["4", "a port is in use", /^salt-(?:master|api)$/],
  ["64", "a mistake in the options", /./],
  ["69", "always: Brine does not have this program", /^salt-ssh$/],
];

/** Escapes a text for roff: no line becomes a command, and backslashes and hyphens stay as they are. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^([.'])/gm, "\\&$1");
}

function optionLines(option: Option): string[] {
  const value = option.kind === "optional"
    ? `[=\\fI${option.metavar}\\fR]`
    : takesValue(option)
    ? ` \\fI${roff(option.metavar)}\\fR`
    : "";
  const spellings = option.names.map((name) => `\\fB${roff(name)}\\fR`).join(", ");
  return [".TP", `${spellings}${value}`, roff(option.help)];
}

function groupLines({ title, options }: OptionGroup): string[] {
  return [`.SS ${roff(title)}`, ...options.flatMap(optionLines)];
}

const rows = (list: readonly (readonly [string, string, RegExp])[], program: string) =>
  list.filter(([, , programs]) => programs.test(program)).flatMap(([name, what]) => [".TP", roff(name), roff(what)]);

/** The manual page of a program. @see groff_man(7) */
export function manPage(program: Program): string {
  const { usage, description, groups } = PROGRAMS[program]({});
  const [first = ""] = description.split(/(?<=\.) /);
  const files = rows(FILES, program);
  const others = MANUALS.filter((name) => name !== program).map((name) => `\\fB${roff(name)}\\fR(1)`).join(", ");
  return [
    `.TH "${program.toUpperCase()}" "1" "" "Brine ${VERSION} (${CODENAME})" "Brine"`,
    ".SH NAME",
    `${roff(program)} \\- ${roff(first.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    `\\fB${roff(program)}\\fR ${roff(usage)}`,
    ".SH DESCRIPTION",
    roff(description),
    ".SH OPTIONS",
    ...groups.flatMap(groupLines),
    ".SH EXAMPLES",
    ...EXAMPLES[program].flatMap(([command, meaning]) => [".TP", `\\fB${roff(command)}\\fR`, roff(meaning)]),
    ".SH EXIT STATUS",
    ...rows(EXITS, program),
    ...(files.length === 0 ? [] : [".SH FILES", ...files]),
    ".SH SEE ALSO",
    others,
    "",
  ].join("\n");
}

/** Usage lines and help texts, laid out as Python's optparse does. */
import { EXAMPLES } from "./examples.ts";
import { type Option, type ProgramTable, takesValue } from "./option.ts";
import { PROGRAMS } from "./programs.ts";
import type { Env, Program } from "./request.ts";

export function helpText(program: Program, env: Env = {}): string {
  return formatHelp(program, PROGRAMS[program](env));
}

export function usageLine(program: Program, { usage }: ProgramTable): string {
  return `Usage: ${program} ${usage}\n`;
}

/** Column of the explanations, and the end of lines: as optparse prints on a terminal of 80 columns. */
const HELP_COLUMN = 24;
const HELP_WIDTH = 78;

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function formatOption(option: Option, indent: number): string[] {
  const spelled = option.names.map((name) =>
    option.kind === "optional"
      ? `${name}[=${option.metavar}]`
      : !takesValue(option)
      ? name
      : name.startsWith("--")
      ? `${name}=${option.metavar}`
      : `${name} ${option.metavar}`
  );
  const head = " ".repeat(indent) + spelled.join(", ");
  const lines = wrap(option.help, HELP_WIDTH - HELP_COLUMN).map((line) => " ".repeat(HELP_COLUMN) + line);
  const first = lines[0];
  if (head.length + 2 > HELP_COLUMN || first === undefined) return [head, ...lines];
  return [head.padEnd(HELP_COLUMN) + first.trimStart(), ...lines.slice(1)];
}

export function formatHelp(program: Program, table: ProgramTable): string {
  const lines = [...usageLine(program, table).split("\n"), ...wrap(table.description, HELP_WIDTH)];
  for (const [index, { title, options }] of table.groups.entries()) {
    const indent = index === 0 ? 0 : 2;
    lines.push("", `${" ".repeat(indent)}${title}:`, ...options.flatMap((option) => formatOption(option, indent + 2)));
  }
  lines.push("", "Examples:");
  for (const [command, meaning] of EXAMPLES[program]) {
    lines.push(
      `  ${command}`,
      ...wrap(meaning, HELP_WIDTH - HELP_COLUMN).map((line) => " ".repeat(HELP_COLUMN) + line),
    );
  }
  lines.push("", `Manual page: man ${program}. Documents: docs/command-line.md`);
  return `${lines.join("\n")}\n`;
}

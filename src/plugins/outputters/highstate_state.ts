import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { fill } from "../../language/python/textwrap.ts";
import { format } from "../../language/python/format.ts";
import { strip } from "../../language/python/text.ts";
import type { Colors } from "./colors.ts";
import type { ShownResult } from "./highstate_data.ts";
import type { OutputOptions } from "./outputter.ts";

const INDENT = " ".repeat(14);

function startTime({ raw }: ShownResult, options: OutputOptions): unknown {
  return truthy(options.state_output_profile) ? lookup(raw, "start_time") : undefined;
}

/** The comment as one text, its further lines indented below the first. */
function commentOf({ comment, raw }: ShownResult): string {
  if (comment === undefined) throw new TypeError("Cannot show a state: it has no comment");
  const text = strip(str(comment)).replaceAll("\n", `\n${INDENT}`);
  const data = lookup(raw, "data");
  if (data === undefined) return text;
  if (Array.isArray(data)) return [text, ...data.map(str)].join(" ");
  if (isMap(data)) return text + entriesOf(data).map(([key, value]) => `\n\t\t${str(key)}: ${str(value)}`).join("");
  return `${text} ${str(data)}`;
}

/** Shows a state in full, as a block of lines. */
export function fullState(
  state: ShownResult,
  color: string,
  changes: string,
  colors: Colors,
  options: OutputOptions,
): string[] {
  const [module = "", id = "", name = ""] = state.parts;
  const fun = state.parts[3] ?? "";
  const line = (text: string) => `    ${color}${text}${colors.ENDC}`;
  const lines = [`${color}----------${colors.ENDC}`, line(`      ID: ${id}`), line(`Function: ${module}.${fun}`)];
  if (id !== name) lines.push(line(`    Name: ${name}`));
  lines.push(line(`  Result: ${str(state.result)}`), line(` Comment: ${commentOf(state)}`));
  const started = startTime(state, options);
  if (started !== undefined) {
    const duration = lookup(state.raw, "duration") ?? "";
    lines.push(line(` Started: ${str(started)}`), line(`Duration: ${duration === "" ? "" : `${str(duration)} ms`}`));
  }
  lines.push(`${color}     Changes:   ${changes}${colors.ENDC}`);
  if (state.warnings !== undefined) {
    const text = fill(state.warnings.join("\n"), 80, INDENT).slice(INDENT.length);
    lines.push(`   ${colors.LIGHT_RED} Warnings: ${text}${colors.ENDC}`);
  }
  return lines;
}

function verdict({ changes, result }: ShownResult): string {
  if (result === false) return "Failed";
  if (result === null) return "Differs";
  return truthy(changes) ? "Changed" : "Clean";
}

/** Shows a state on one line: in terse mode, or in columns with `state_tabular`. */
export function terseState(state: ShownResult, color: string, colors: Colors, options: OutputOptions): string {
  const { state_tabular: tabular } = options;
  const [module = "", , name = ""] = state.parts;
  const fun = state.parts[state.parts.length - 1] ?? "";
  const values = [color, name, module, fun, verdict(state), colors.ENDC, state.raw];
  if (typeof tabular === "string") return format(tabular, values);
  const profile = startTime(state, options) !== undefined;
  const warnings = state.warnings === undefined
    ? ""
    : `${colors.LIGHT_RED}Warnings:\n${state.warnings.join("\n")}${colors.ENDC}`;
  if (tabular === true) {
    const times = profile ? "{6[start_time]!s} [{6[duration]!s:>7} ms] " : "";
    const line = format(`{0}${times}{2:>10}.{3:<10} {4:7}   Name: {1}{5}`, values);
    return warnings === "" ? line : `${warnings}\n${line}`;
  }
  const times = profile ? " - Started: {6[start_time]!s} - Duration: {6[duration]!s} ms" : "";
  return warnings + format(` {0} Name: {1} - Function: {2}.{3} - Result: {4}${times}{5}`, values);
}

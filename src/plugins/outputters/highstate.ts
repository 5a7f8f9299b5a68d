import { type AnyMap, entriesOf, isInteger, isMap, lookup, sizeOf, str, truthy } from "../../language/python/values.ts";
import { prettyFormat } from "../../language/python/pprint.ts";
import { splitLines, stripEnd } from "../../language/python/text.ts";
import { type Colors, colorsOf, shownId, stripEscapes } from "./colors.ts";
import { compressedChanges, compressIds, type ShownResult, shownResult, unwrap } from "./highstate_data.ts";
import { fullState, terseState } from "./highstate_state.ts";
import { Summary } from "./highstate_summary.ts";
import { nestedLines } from "./nested.ts";
import type { OutputOptions } from "./outputter.ts";

const CHANGES_INDENT = 14;
const ORCHESTRATIONS = ["state.orch", "state.orchestrate", "state.sls"];
/** Orchestrations within one another that are shown as such: each is indented by more than the last, and a return may have hundreds. */
const DEEPEST = 12;
const NO_ORDER = "The State execution failed to record the order in which all states were executed. " +
  "The state return missing data is:";

/** Shows the return of a state run: a block or a line per state, and a summary per host. @see salt/output/highstate.py */
export function highstateOutput(data: unknown, options: OutputOptions): string {
  return show(data, options, 1);
}

function show(data: unknown, options: OutputOptions, level: number): string {
  const hosts = unwrap(data);
  if (typeof hosts === "string") return hosts;
  return hosts.map(([host, value]) => showHost(host, value, options, level).text).join("\n");
}

interface ShownHost {
  text: string;
  changed: boolean;
}

function showHost(host: string, data: unknown, options: OutputOptions, level: number): ShownHost {
  const colors = colorsOf(options);
  const head = (color: string) => `${color}${shownId(host, options)}:${colors.ENDC}`;
  const paint = (text: string) => `${colors.GREEN}    ${text}${colors.ENDC}`;
  if (typeof data === "string") {
    return { text: [head(colors.CYAN), ...splitLines(data).map(paint)].join("\n"), changed: true };
  }
  if (typeof data === "boolean" || isInteger(data)) {
    return { text: `${head(colors.CYAN)}\n${paint(str(data))}`, changed: true };
  }
  if (Array.isArray(data)) {
    const color = colors.LIGHT_RED;
    const errors = data.map((error) => `${color}----------\n    ${stripEscapes(str(error), options)}${colors.ENDC}`);
    const title = `    ${color}Data failed to compile:${colors.ENDC}`;
    return { text: [head(color), title, ...errors].join("\n"), changed: false };
  }
  if (!isMap(data)) return { text: head(colors.GREEN), changed: false };
  const states = new HostStates(options, colors, level);
  states.add(truthy(options.state_compress_ids) ? compressIds(data) : data);
  const summary = states.summary.lines(host, colors, options);
  return { text: [head(states.color), ...states.lines, ...summary].join("\n"), changed: states.summary.changes > 0 };
}

/** Shows the states of one host, one after the other. */
class HostStates {
  readonly lines: string[] = [];
  readonly summary = new Summary();
  /** Colour of the host's name: that of the last state that failed or would change. */
  color: string;
  readonly #options: OutputOptions;
  readonly #colors: Colors;
  readonly #level: number;
  readonly #mode: string;

  constructor(options: OutputOptions, colors: Colors, level: number) {
    this.#options = options;
    this.#colors = colors;
    this.#level = level;
    this.color = colors.GREEN;
    this.#mode = str(options.state_output ?? "full").toLowerCase();
  }

  add(data: AnyMap): void {
    const states: ShownResult[] = [];
    const unordered: string[] = [];
    for (const [key, info] of entriesOf(data)) {
      if (isMap(info) && key !== "changes" && sizeOf(info) > 0 && lookup(info, "__run_num__") === undefined) {
        unordered.push(prettyFormat(info), NO_ORDER);
      }
      const state = shownResult(str(key), info);
      if (state !== undefined) states.push(state);
    }
    for (const line of unordered.reverse()) this.lines.push(line);
    states.sort((a, b) => a.runNumber - b.runNumber);
    for (const state of states) this.#state(state);
  }

  #state(state: ShownResult): void {
    this.summary.add(state);
    const { changed, text } = this.#changes(state);
    if (changed) this.summary.changes += compressedChanges(state);
    const quiet = truthy(this.#options.state_output_diff) || !truthy(this.#options.state_verbose);
    if (quiet && truthy(state.result) && !changed) return;
    const color = this.#stateColor(state, changed);
    const [module = "", id = "", name = "", ...rest] = state.parts;
    const shown = { ...state, parts: [module, id, this.#mode.endsWith("_id") ? id : name, ...rest] };
    const form = this.#form(state, changed);
    if (form === "terse") this.lines.push(terseState(shown, color, this.#colors, this.#options));
    if (form !== "full") return;
    this.lines.push(...fullState(shown, color, text, this.#colors, this.#options));
    if (state.warnings !== undefined) this.summary.warn();
  }

  #stateColor({ result }: ShownResult, changed: boolean): string {
    if (result === false) return this.color = this.#colors.RED;
    if (result === null) return this.color = this.#colors.LIGHT_YELLOW;
    return changed ? this.#colors.CYAN : this.#colors.GREEN;
  }

  #form({ result }: ShownResult, changed: boolean): "full" | "terse" | "none" {
    if (this.#mode.startsWith("filter")) {
      if (this.#chosen("terse").includes(str(result))) return "terse";
      return this.#chosen("exclude").includes(str(result)) ? "none" : "full";
    }
    const terse = this.#mode.startsWith("terse") ||
      (this.#mode.startsWith("mixed") && result !== false) ||
      (this.#mode.startsWith("changes") && truthy(result) && !changed);
    return terse ? "terse" : "full";
  }

  /** The results to show tersely, or not at all, in mode `filter`: from a keyword argument of the call, else an option. */
  #chosen(name: "terse" | "exclude"): string[] {
    const { arg } = this.#options;
    const keywords = Array.isArray(arg)
      ? arg.findLast((value) => isMap(value) && lookup(value, "__kwarg__") !== undefined)
      : undefined;
    const value = (isMap(keywords) ? lookup(keywords, name) : undefined) ?? this.#options[`state_output_${name}`];
    if (typeof value === "string") return value.split(",");
    return Array.isArray(value) ? value.map(str) : [];
  }

  /** The text after "Changes:", and whether there are any changes. */
  #changes({ changes, raw }: ShownResult): { changed: boolean; text: string } {
    if (this.#level < DEEPEST && ORCHESTRATIONS.includes(str(lookup(raw, "name")))) {
      const blanks = " ".repeat(CHANGES_INDENT * this.#level);
      const text = `\n${show(changes, this.#options, this.#level + 1)}`;
      return { changed: true, text: text.replace(/^/gm, blanks) };
    }
    if (!truthy(changes)) return { changed: false, text: "" };
    if (!isMap(changes)) return { changed: true, text: `Invalid Changes data: ${str(changes)}` };
    const hosts = lookup(changes, "ret");
    if (lookup(changes, "out") === "highstate" && isMap(hosts)) {
      const shown = entriesOf(hosts).map(([host, data]) => showHost(str(host), data, this.#options, 1));
      const text = shown.map(({ text }) =>
        `\n${splitLines(text).map((line) => " ".repeat(CHANGES_INDENT) + line).join("\n")}`
      );
      return { changed: shown.some(({ changed }) => changed), text: text.join("") };
    }
    return { changed: true, text: `\n${stripEnd(nestedLines(changes, this.#options, CHANGES_INDENT).join("\n"))}` };
  }
}

/** Prints results, one document at a time, with the requested outputter or the one that the result names. */
import { customFiles } from "../../src/model/loader/custom_files.ts";
import { StreamedMap } from "../../src/model/loader/streamed_map.ts";
import { nestedEntries } from "../../src/plugins/outputters/nested.ts";
import { preloadOutputter, render } from "../../src/plugins/outputters/mod.ts";
import { stripEnd } from "../../src/language/python/text.ts";
import { inColor } from "./color.ts";
import type { ProgramContext } from "../program/context.ts";

export interface Printer {
  /** True if the user has requested an outputter. */
  readonly chosen: boolean;
  /**
   * Prints a result. The outputter `nested` prints a streamed result entry by entry; for other outputters it is collected
   * first.
   *
   * @param own the outputter that the result names
   */
  document(data: unknown, own?: string, retcode?: number): Promise<void>;
  /** Prints a line of the program itself, without an outputter. */
  line(text: string): void;
}

/** Characters of a long document that are written at once. */
const CHUNK = 65536;

/** Characters at the end of such a piece to search for white space, which may be the end of the document. */
const TAIL = 256;

/** Makes a printer from the program's options and the configuration. */
export async function makePrinter(context: ProgramContext, opts: Record<string, unknown>): Promise<Printer> {
  const { options, log } = context;
  const print = opts.strip_colors === false ? context.printAsIs ?? context.print : context.print;
  const wanted = String(options.output ?? opts.output ?? "");
  const settings = await outputSettings(context, opts);
  const write = outputWriter(context, opts, print);
  preloadOutputter(wanted || "nested");
  const custom = await customOutputters(context, opts);
  const isStreamed = (data: unknown, name: string): data is StreamedMap =>
    data instanceof StreamedMap && name === "nested" && !Object.hasOwn(custom, name) &&
    (settings.nested_indent ?? 0) === 0;
  let complained = false;
  return {
    chosen: wanted !== "",
    async document(data, own, retcode = 0) {
      // States name their own outputter, so `highstate` means the outputter that the return names.
      const name = wanted === "" || wanted === "highstate" ? own ?? "nested" : wanted;
      if (isStreamed(data, name)) return await printEntries(data, nestedEntries(settings, { retcode }), write, context);
      const whole = data instanceof StreamedMap ? await data.collect() : data;
      const { text, unknownOutputter, failure } = await render(name, whole, settings, { retcode }, custom);
      if (failure !== undefined) log.error("the custom outputter failed", { outputter: name, error: failure });
      // Log the unknown outputter only once, not for each minion.
      if (unknownOutputter !== undefined && !complained) {
        complained = true;
        log.error(`Invalid outputter ${unknownOutputter} specified, fall back to nested`);
      }
      if (text !== "") write(`${text}\n`);
    },
    line: (text) => print(`${text}\n`),
  };
}

/** The settings for outputters: the configuration, overridden by the options of the command line. */
async function outputSettings(
  context: ProgramContext,
  opts: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { options, runtime, explicit } = context;
  const color = inColor(context) && (options.force_color === true || opts.color !== false);
  let theme: Record<string, string> | undefined;
  if (color && typeof opts.color_theme === "string" && opts.color_theme !== "") {
    const { parseYaml } = await import("../../src/language/yaml/document.ts");
    theme = parseYaml(runtime.fs.readText(opts.color_theme)).value as Record<string, string>;
  }
  const settings: Record<string, unknown> = { ...opts, color, color_theme: theme };
  for (const [key, value] of Object.entries(options)) {
    if (explicit.has(key) || settings[key] === undefined) settings[key] = value;
  }
  // For outputters null means "no indentation", but here the option is only not set.
  if (settings.output_indent === null) delete settings.output_indent;
  return settings;
}

/** Writes to the file of `--out-file`, emptied first unless text is to be appended; without the option to stdout. */
function outputWriter(
  { options, runtime }: ProgramContext,
  opts: Record<string, unknown>,
  print: (text: string) => void,
): (text: string) => void {
  const file = String(options.output_file ?? opts.output_file ?? "");
  if (file === "") return print;
  if (options.output_file_append !== true) runtime.fs.write(file, "", { mode: 0o644 });
  return (text) => runtime.fs.append(file, text, 0o644);
}

/** The operator's own outputters. Most hosts have none, and a search is faster than loading the code for them. */
async function customOutputters({ runtime, log }: ProgramContext, opts: Record<string, unknown>) {
  if (customFiles(runtime, opts, "output").size === 0) return {};
  const { customOutputters } = await import("../../src/model/loader/custom_outputters.ts");
  return customOutputters({ runtime, log: log.child("output"), opts });
}

/** Prints entry by entry what the whole result would print: white space is written only when text follows it. */
async function printEntries(
  map: StreamedMap,
  format: (key: string, value: unknown) => string,
  write: (text: string) => void,
  { drained }: ProgramContext,
): Promise<void> {
  let [any, held] = [false, ""];
  for await (const [key, value] of map) {
    held += `${any || held !== "" ? "\n" : ""}${format(key, value)}`;
    if (held.length < CHUNK) continue;
    const tail = stripEnd(held.slice(-TAIL));
    if (tail === "") continue;
    const end = held.length - TAIL + tail.length;
    write(held.slice(0, end));
    held = held.slice(end);
    any = true;
    await drained?.();
  }
  const rest = stripEnd(held);
  if (any || rest !== "") write(`${rest}\n`);
}

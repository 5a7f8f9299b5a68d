/** Prints results: one document at a time, through the outputter that was asked for or that the result names. */
import { customFiles } from "../../src/loader/custom_files.ts";
import { StreamedMap } from "../../src/loader/streamed_map.ts";
import { nestedEntries } from "../../src/plugins/outputters/nested.ts";
import { preload, render } from "../../src/plugins/outputters/mod.ts";
import { stripEnd } from "../../src/python/whitespace.ts";
import { inColor } from "./color.ts";
import type { ProgramContext } from "../program/context.ts";

export interface Printer {
  /** True if an outputter was asked for. */
  readonly chosen: boolean;
  /**
   * Prints a result; one that comes entry by entry is printed so by the outputter `nested`, and collected for all others.
   *
   * @param own the outputter that the result names itself
   */
  document(data: unknown, own?: string, retcode?: number): Promise<void>;
  /** A line of the program's own, never rendered. */
  line(text: string): void;
}

/** Characters of a long document that are written at once. */
const CHUNK = 65536;

/** Characters at the end of such a piece that are looked at for white space, which may be the end of the document. */
const TAIL = 256;

/** A printer for the program's options over the configuration. */
export async function makePrinter(context: ProgramContext, opts: Record<string, unknown>): Promise<Printer> {
  const { options, runtime, log } = context;
  const print = opts.strip_colors === false ? context.printAsIs ?? context.print : context.print;
  const wanted = String(options.output ?? opts.output ?? "");
  const color = inColor(context) && (options.force_color === true || opts.color !== false);
  let theme: Record<string, string> | undefined;
  if (color && typeof opts.color_theme === "string" && opts.color_theme !== "") {
    const { parseYaml } = await import("../../src/yaml/document.ts");
    theme = parseYaml(runtime.fs.readText(opts.color_theme)).value as Record<string, string>;
  }
  const settings: Record<string, unknown> = { ...opts, color, color_theme: theme };
  for (const [key, value] of Object.entries(options)) {
    if (context.explicit.has(key) || settings[key] === undefined) settings[key] = value;
  }
  // To the outputters null is a word of its own; here it only means that nobody has asked for anything.
  if (settings.output_indent === null) delete settings.output_indent;
  const file = String(options.output_file ?? opts.output_file ?? "");
  if (file !== "" && options.output_file_append !== true) runtime.fs.write(file, "", { mode: 0o644 });
  const write = (text: string) => {
    if (file === "") print(text);
    else runtime.fs.append(file, text, 0o644);
  };
  const emit = (text: string) => {
    if (text !== "") write(`${text}\n`);
  };
  /** As the whole would be printed: white space counts only if something comes after it. */
  const stream = async (map: StreamedMap, retcode: number) => {
    const entry = nestedEntries(settings, { retcode });
    let [any, held] = [false, ""];
    for await (const [key, value] of map) {
      held += `${any || held !== "" ? "\n" : ""}${entry(key, value)}`;
      if (held.length < CHUNK) continue;
      const tail = stripEnd(held.slice(-TAIL));
      if (tail === "") continue;
      const end = held.length - TAIL + tail.length;
      write(held.slice(0, end));
      held = held.slice(end);
      any = true;
      await context.drained?.();
    }
    const rest = stripEnd(held);
    if (any || rest !== "") write(`${rest}\n`);
  };
  preload(wanted || "nested");
  // Few have any, and to know what to do with them takes longer to load than to look.
  const any = customFiles(runtime.fs, opts, "output").size > 0;
  const custom = any
    ? (await import("../../src/loader/custom.ts")).customOutputters({ runtime, log: log.child("output"), opts })
    : {};
  return {
    chosen: wanted !== "",
    async document(data, own, retcode = 0) {
      // States know better than the operator how they are printed.
      const name = wanted === "" || wanted === "highstate" ? own ?? "nested" : wanted;
      if (
        data instanceof StreamedMap && name === "nested" && !Object.hasOwn(custom, name) &&
        (settings.nested_indent ?? 0) === 0
      ) {
        return await stream(data, retcode);
      }
      const whole = data instanceof StreamedMap ? await data.collect() : data;
      const { text, unknownOutputter, failure } = await render(name, whole, settings, { retcode }, custom);
      if (failure !== undefined) log.error("the custom outputter failed", { outputter: name, error: failure });
      if (unknownOutputter !== undefined) {
        log.error(`Invalid outputter ${unknownOutputter} specified, fall back to nested`);
      }
      emit(text);
    },
    line: (text) => print(`${text}\n`),
  };
}

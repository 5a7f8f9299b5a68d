/**
 * How results are printed. Each outputter is a pure function of its data; programs look it up in this table by the name
 * given to `--out`, and load only that one.
 */
import { messageOf, SaltError } from "../../base/errors.ts";
import type { CustomOutputter } from "../../model/loader/custom_outputters.ts";
import { stripEnd } from "../../language/python/text.ts";
import { MissingKeyError, type OutputContext, type OutputOptions, type Outputter } from "./outputter.ts";

export type { OutputContext, OutputOptions, Outputter } from "./outputter.ts";

export const OUTPUTTERS: Readonly<Record<string, () => Promise<Outputter>>> = {
  nested: async () => (await import("./nested.ts")).nested,
  json: async () => (await import("./json.ts")).jsonOutput,
  yaml: async () => (await import("./yaml.ts")).yamlOutput,
  raw: async () => (await import("./plain.ts")).raw,
  pprint: async () => (await import("./plain.ts")).pprint,
  txt: async () => (await import("./plain.ts")).txt,
  text: async () => (await import("./plain.ts")).txt,
  newline_values_only: async () => (await import("./plain.ts")).newlineValuesOnly,
  quiet: async () => (await import("./plain.ts")).quiet,
  no_return: async () => (await import("./no_return.ts")).noReturnOutput,
  key: async () => (await import("./key.ts")).keyOutput,
  highstate: async () => (await import("./highstate.ts")).highstateOutput,
  table: async () => (await import("./table.ts")).table,
  overstatestage: async () => (await import("./nested.ts")).overstatestage,
  profile: async () => (await import("./profile.ts")).profile,
  virt_query: async () => (await import("./plain.ts")).virtQuery,
};

/** Starts loading an outputter before it is needed. */
export function preloadOutputter(name: string): void {
  // If it does not load, render() gets the same error and reports it.
  if (Object.hasOwn(OUTPUTTERS, name)) OUTPUTTERS[name]!().catch(() => {});
}

/** The requested outputter cannot show the data. */
export class OutputError extends SaltError {
  /** True if a name that it looked up is missing, which Salt's `salt` ignores silently. */
  readonly missingKey: boolean;

  constructor(outputter: string, cause: TypeError) {
    super(
      "OUTPUT",
      `The outputter "${outputter}" cannot show this: ${cause.message}. Leave out --out, or take another`,
      {
        cause,
      },
    );
    this.missingKey = cause instanceof MissingKeyError;
  }
}

/** The text to print, and facts to log about it. */
export interface Rendered {
  /** The text without white space at its end; empty means that nothing is printed. */
  text: string;
  /** The requested name, if there is no such outputter and `nested` was used instead. */
  unknownOutputter?: string;
  /** The error of a custom outputter that failed; `nested` was used instead. */
  failure?: string;
}

/**
 * Renders data with the outputter of the given name. An unknown name means `nested`; if an outputter cannot handle the data,
 * `nested` is tried, then `raw`, unless the option `output` names this outputter.
 *
 * @param custom the operator's own outputters, which take precedence over ours
 * @throws {OutputError} if the outputter that the option `output` names cannot handle the data
 * @see salt/output/__init__.py try_printout
 */
export async function render(
  name: string | null | undefined,
  data: unknown,
  options: OutputOptions = {},
  context: OutputContext = {},
  custom: Readonly<Record<string, () => Promise<CustomOutputter>>> = {},
): Promise<Rendered> {
  const wanted = name || "nested";
  if (Object.hasOwn(custom, wanted)) {
    try {
      return { text: stripEnd(await (await custom[wanted]!())(data, options)) };
    } catch (error) {
      return { ...await render("nested", data, options, context), failure: messageOf(error) };
    }
  }
  const known = Object.hasOwn(OUTPUTTERS, wanted);
  const rendered: Rendered = { text: "" };
  // Salt does not report `grains` as unknown: an old return may name it.
  if (!known && wanted !== "grains") rendered.unknownOutputter = wanted;
  // Salt looks the fallbacks up with the same option `output`, which names the outputter that failed: there are none then.
  const asked = known && options.output === wanted && wanted !== "highstate";
  for (const candidate of asked ? [wanted] : [known ? wanted : "nested", "nested", "raw"]) {
    const outputter = await OUTPUTTERS[candidate]?.();
    if (outputter === undefined) continue;
    try {
      rendered.text = stripEnd(outputter(data, options, context));
      return rendered;
    } catch (error) {
      // The data has another shape than this outputter expects: the next one accepts more.
      if (!(error instanceof TypeError)) throw error;
      if (asked) throw new OutputError(wanted, error);
    }
  }
  return rendered;
}

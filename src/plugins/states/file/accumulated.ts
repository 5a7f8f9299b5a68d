import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, entriesOf, equal, isMap, str } from "../../../language/python/values.ts";
import { iterate } from "../../../language/python/iterate.ts";
import { failed, newRet } from "./ret.ts";

/** Texts that states of one run collect for a file. */
interface Accumulator {
  texts: unknown[];
  wantedBy: unknown[];
}

const KEY = "file.accumulators";

/** File → accumulator by its name. */
function accumulators(context: StateContext): Map<string, Map<string, Accumulator>> {
  let all = context.shared.get(KEY) as Map<string, Map<string, Accumulator>> | undefined;
  if (all === undefined) context.shared.set(KEY, all = new Map());
  return all;
}

/** `file.accumulated`: adds texts to what a later `file.managed` or `file.blockreplace` gets. */
export function accumulated(context: StateContext, args: Args): StateReturn {
  const { name, filename, text } = args;
  const ret = newRet(name);
  if (name === "" || name === null) return failed(ret, "Must provide name to file.accumulated");
  if (text === null) return failed(ret, "No text supplied for accumulator");
  const listed = (key: string) => Array.isArray(context.low[key]) ? context.low[key] : [];
  const wanting = [...listed("require_in"), ...listed("watch_in")];
  if (!wanting.some((one) => isMap(one) ? entriesOf(one).some(([key]) => key === "file") : str(one).includes("file"))) {
    return failed(ret, `Orphaned accumulator ${str(name)} in ${str(context.low.__sls__)}:${str(context.low.__id__)}`);
  }
  const ofFile = accumulators(context).get(str(filename)) ?? new Map<string, Accumulator>();
  accumulators(context).set(str(filename), ofFile);
  const accumulator = ofFile.get(str(name)) ?? { texts: [], wantedBy: [] };
  ofFile.set(str(name), accumulator);
  for (const one of wanting) {
    accumulator.wantedBy.push(...(isMap(one) ? entriesOf(one).map(([, value]) => value) : [one]));
  }
  for (const chunk of typeof text === "string" || isMap(text) ? [text] : iterate(text)) {
    if (accumulator.texts.some((known) => equal(known, chunk))) continue;
    accumulator.texts.push(chunk);
    ret.comment = `Accumulator ${str(name)} for file ${str(filename)} was charged by text`;
  }
  return ret;
}

/** What templates of a file get as `accumulator`: texts by the name of their accumulator; undefined if there are none. */
export function accumulatorOf(context: StateContext, file: string): Record<string, unknown[]> | undefined {
  const ofFile = accumulators(context).get(file);
  if (ofFile === undefined) return undefined;
  return Object.fromEntries([...ofFile].map(([name, { texts }]) => [name, [...texts]]));
}

/** The texts for a block: of those accumulators that are for this very state, or of all of the file's if none is. */
export function accumulatedTexts(context: StateContext, file: string): unknown[] {
  const all = [...accumulators(context).get(file)?.values() ?? []];
  const own = all.filter(({ wantedBy }) => wantedBy.includes(context.low.__id__));
  return (own.length > 0 ? own : all).flatMap(({ texts }) => texts);
}

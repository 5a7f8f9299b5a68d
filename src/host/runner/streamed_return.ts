/** Returns of runners: with an outputter of their own, or entry by entry. */
import { StreamedMap } from "../../model/loader/streamed_map.ts";
import { isRecord } from "../../base/record.ts";
import { checkResult } from "../../content/state/check_result.ts";
import { encode } from "../../protocol/wire/msgpack.ts";

/** The fewest bytes that an entry of a long return has in an event. */
const LEAST_ENTRY = 100;

/** Bytes of a list of jobs that its own record keeps: it is on record already, and lists are asked for again and again. */
export const LISTED_BYTES = 65_536;

/** Keeps the entries of a map as they pass to another reader, as far as they fit into an event. */
export function keepingEntries(
  map: StreamedMap,
  maxBytes: number,
): { map: StreamedMap; value(most?: number): unknown } {
  let kept: Record<string, unknown> | undefined = {};
  const most = maxBytes / LEAST_ENTRY;
  const entries = async function* (): AsyncIterable<readonly [string, unknown]> {
    let count = 0;
    for await (const entry of map) {
      if (++count > most) kept = undefined;
      else if (kept !== undefined) kept[entry[0]] = entry[1];
      yield entry;
    }
  };
  // An event's own trimming looks at single values, and here it is their number that makes it large.
  const value = (fits = maxBytes) => kept === undefined || encode(kept, "bin").length > fits ? "VALUE_TRIMMED" : kept;
  return { map: new StreamedMap(entries()), value };
}

/**
 * A return `{data, outputter}` in its parts; any other return is data. One that has more beside these two is shown as a whole, by the
 * outputter that it names.
 */
export function returnParts(result: unknown): { data: unknown; outputter?: string } {
  const { data, outputter } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
  if (data === undefined || typeof outputter !== "string") return { data: result };
  return { data: Object.keys(result as object).length === 2 ? data : result, outputter };
}

/** True for a return that the outputter `highstate` shows, and that says how the states in it ended. */
function isHighstate(result: unknown): result is Record<string, unknown> {
  return isRecord(result) && result.outputter === "highstate" && result.data !== undefined;
}

/** True unless states in the return of a runner have failed, or the runner says that it has. */
export function succeededIn(result: unknown, retcode = 0): boolean {
  return isHighstate(result) ? checkResult(result.data) : retcode === 0;
}

/** The exit code that a runner's return asks for: `retcode`, in it or in its data; 0 without one. */
export function returnCode(result: unknown): number {
  if (!isRecord(result)) return 0;
  const { retcode = isRecord(result.data) ? result.data.retcode : undefined } = result;
  return typeof retcode === "number" ? retcode : 0;
}

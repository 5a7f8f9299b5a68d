import { entriesOf, isMap, lookup, sorted, str } from "../../language/python/values.ts";
import { type ColorName, colorsOf, shownId } from "./colors.ts";
import { MissingKeyError, type OutputOptions } from "./outputter.ts";

const STATUSES: Record<string, { title: string; color: ColorName }> = {
  minions: { title: "Accepted Keys:", color: "GREEN" },
  minions_pre: { title: "Unaccepted Keys:", color: "RED" },
  minions_denied: { title: "Denied Keys:", color: "MAGENTA" },
  minions_rejected: { title: "Rejected Keys:", color: "BLUE" },
  local: { title: "Local Keys:", color: "MAGENTA" },
};

/** The listing of salt-key: ids, fingerprints or keys by status. */
export function keyOutput(data: unknown, options: OutputOptions): string {
  if (!isMap(data)) throw new TypeError("Cannot list keys: expected a map");
  const colors = colorsOf(options);
  const blanks = " ".repeat(options.__multi_key ? 4 : 0);
  return (sorted(entriesOf(data), ([name]) => name) ?? []).map(([name, keys]) => {
    const status = lookup(STATUSES, name) as (typeof STATUSES)[string] | undefined;
    if (status === undefined) throw new MissingKeyError(`Cannot list keys: unknown status ${str(name)}`);
    const heading = `${blanks}${colors[`LIGHT_${status.color}` as ColorName]}${status.title}${colors.ENDC}\n`;
    const ids = isMap(keys) ? entriesOf(keys).map(([id]) => id) : keys as unknown[];
    const lines = (sorted(ids) ?? ids).map((id) => {
      const value = isMap(keys) ? `:  ${str(lookup(keys, id))}` : "";
      return `${blanks}${colors[status.color]}${shownId(str(id), options)}${value}${colors.ENDC}\n`;
    });
    return heading + lines.join("");
  }).join("");
}

import { entriesOf, isMap } from "../../python/values.ts";
import { strftime } from "../../python/strftime.ts";
import { stringFormat } from "../../python/string_format.ts";
import type { DateTime } from "../../../protocol/wire/msgpack_values.ts";
import type { Keywords } from "../callable.ts";
import { Undefined } from "../undefined.ts";
import { type MethodTable, positional } from "./method.ts";

/** Looks up attributes and items for the fields of a format, by the rules of the sandbox. */
interface Lookup {
  attribute(value: unknown, name: string): unknown;
  item(value: unknown, key: unknown): unknown;
}

export function formatDateTime({ epochMs }: DateTime, format: string): string {
  const utc = new Date(epochMs);
  const local = new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
    utc.getUTCMilliseconds(),
  );
  return strftime(local, format);
}

/** `str.format` and `str.format_map`. */
export function textFormats(lookup: Lookup): MethodTable {
  const known = (found: unknown) => found instanceof Undefined ? found.fail() : found;
  const format = (template: string, args: readonly unknown[], named: Keywords) =>
    stringFormat(template, {
      positional: args,
      named,
      attribute: (value, name) => known(lookup.attribute(value, name)),
      item: (value, key) => known(lookup.item(value, key)),
      dateTime: formatDateTime,
    });
  return {
    format: { call: (self: never, args, keywords) => format(self, args, keywords) },
    format_map: positional<string>(
      "str.format_map",
      1,
      1,
      (self, [map]) =>
        format(self, [], new Map((isMap(map) ? entriesOf(map) : []).map(([key, value]) => [String(key), value]))),
    ),
  };
}

import { prettyFormat } from "../../language/python/pprint.ts";
import type { OutputOptions } from "./outputter.ts";

/** Python's pretty-printer: literals split into lines to fit 80 columns. */
export function pprint(data: unknown, { output_indent: indent }: OutputOptions): string {
  return prettyFormat(data, typeof indent === "number" && indent >= 0 ? indent : 1);
}

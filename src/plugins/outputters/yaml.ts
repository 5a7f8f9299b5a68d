import { dump } from "../../language/yaml/dump.ts";
import type { OutputOptions } from "./outputter.ts";

/** Shows YAML in block style, keys sorted; a negative indentation means flow style. */
export function yamlOutput(data: unknown, { output_indent: indent }: OutputOptions): string {
  if (indent === undefined) return dump(data);
  if (typeof indent !== "number") throw new TypeError("Cannot indent YAML: expected a number");
  return indent >= 0 ? dump(data, { indent }) : dump(data, { flow: true });
}

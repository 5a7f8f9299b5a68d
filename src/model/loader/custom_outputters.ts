import { customFilesOf, type CustomPlace, loadCustomFile, logForeign } from "./custom_file.ts";
import { bindArguments, parseSignature } from "./signature.ts";

/** A custom outputter; the host reports what it throws. */
export type CustomOutputter = (data: unknown, options: Record<string, unknown>) => Promise<string>;

/** Custom outputters by name. */
export function customOutputters(place: CustomPlace): Record<string, () => Promise<CustomOutputter>> {
  const { usable, foreign } = customFilesOf(place, "output");
  logForeign(place, "output", foreign);
  return Object.fromEntries(usable.map((file) => [file.name, async () => {
    const { exports, functions } = await loadCustomFile(place, "output", file);
    const { output } = exports;
    if (typeof output === "function") return async (data, options) => String(await output(data, options));
    const found = functions.get("output");
    if (found === undefined) throw new TypeError(`"${file.path}" has no function "output"`);
    return async (data, options) => {
      const bound = bindArguments("output", parseSignature(found.signature), [data], new Map());
      return String(await found.run({ ...place, opts: options }, bound));
    };
  }]));
}

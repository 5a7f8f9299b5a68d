import { type AnyMap, entriesOf, isMap } from "../../language/python/values.ts";
import { customFilesOf, type CustomPlace, loadOrLog, logForeign } from "./custom_file.ts";
import type { GrainsFunction } from "./family.ts";
import { messageOf } from "../../base/errors.ts";
import { bindArguments, parseSignature } from "./signature.ts";

/** What custom grains receive: options, and the grains gathered before. */
type GrainsContext = Parameters<GrainsFunction>[0] & { grains: Record<string, unknown> };

/** Gathers the grains of one file, given the grains before. */
type CustomGrains = (context: GrainsContext) => Promise<Record<string, unknown>>;

/** Custom grains by file name. Each function of a file returns a map; later functions override grains of earlier ones. */
export function customGrains(place: CustomPlace): Map<string, CustomGrains> {
  const { usable, foreign } = customFilesOf(place, "grains");
  logForeign(place, "grains", foreign);
  return new Map(usable.map((file) => [file.name, async (context) => {
    const loaded = await loadOrLog(place, "grains", file);
    const gathered: Record<string, unknown> = {};
    for (const [name, { signature, run }] of loaded?.functions ?? []) {
      const read = parseSignature(signature);
      // As in Salt, a function receives the grains only if it has a parameter of that name.
      const given = read.params.some((param) => param.name === "grains") ? [["grains", context.grains] as const] : [];
      let got: unknown;
      try {
        got = await run(context, bindArguments(name, read, [], new Map(given)));
      } catch (error) {
        if (file.form !== "python") throw error;
        // As in Salt, a failed function does not stop the other functions of the file.
        place.log.error("grains function failed", { file: file.path, function: name, error: messageOf(error) });
        continue;
      }
      if (got === undefined || got === null) continue;
      if (!isMap(got)) throw new TypeError(`The function ${name} of "${file.path}" must return a map of grains`);
      Object.assign(gathered, Object.fromEntries(entriesOf(got as AnyMap)));
    }
    return gathered;
  }]));
}

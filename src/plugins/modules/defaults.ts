import type { JobContext } from "../../loader/context.ts";
import { type ExecutionModule, InvalidArgumentsError } from "../../loader/family.ts";
import { entriesOf, isMap, mapOf } from "../../python/containers.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { deepCopy, updateMap } from "../merge.ts";
import { withOsErrors } from "../python_errors.ts";
import { cachedSource } from "../sources.ts";
import { traverse } from "../../python/traverse.ts";

/** The defaults of a formula: `defaults.yaml` or `defaults.json` in its directory on the file server; null if none. */
async function load(context: JobContext, formula: string): Promise<unknown> {
  for (const extension of ["yaml", "json"]) {
    const file = await cachedSource(context, `salt://${formula}/defaults.${extension}`);
    if (file === undefined) continue;
    const text = withOsErrors(file, () => context.runtime.fs.readText(file));
    // JSON is YAML, except for corners that do not occur in such files.
    const { parseYaml } = await import("../../yaml/document.ts");
    return parseYaml(text).value ?? {};
  }
  return null;
}

const emptyIfNone = (value: unknown, convert: unknown) => value === null && truthy(convert) ? {} : value;

function checkPlace(dest: unknown, inPlace: unknown, what: string): void {
  if (dest === null && truthy(inPlace)) {
    throw new InvalidArgumentsError(`Can't perform in-place ${what} into NoneType`);
  }
}

/** Defaults of formulas, and merging of maps. */
export const module: ExecutionModule = {
  functions: {
    get: {
      signature: "key, default=''",
      doc: "A default of a formula, from the file beside it on the file server.\n\n" +
        "    salt '*' defaults.get core:users:root",
      async run(context, { key, default: fallback }) {
        const text = str(key);
        const at = text.indexOf(":");
        const values = await load(context, at < 0 ? text : text.slice(0, at));
        return at < 0 ? values : traverse(values, text.slice(at + 1)) ?? fallback;
      },
    },
    merge: {
      inline: true,
      signature: "dest, src, merge_lists=False, in_place=True, convert_none=True",
      doc: "Merges a map into another; `merge_lists` joins lists instead of replacing them.\n\n" +
        "    salt '*' defaults.merge '{a: b}' '{d: e}'",
      run(_context, { dest, src, merge_lists: mergeLists, in_place: inPlace, convert_none: convert }) {
        if (truthy(convert)) checkPlace(dest, inPlace, "merge");
        return updateMap(emptyIfNone(dest, convert), emptyIfNone(src, convert), { mergeLists: truthy(mergeLists) });
      },
    },
    deepcopy: {
      inline: true,
      signature: "source",
      doc: "A deep copy of a value, which a template can change without changing the value.\n\n" +
        "    salt '*' defaults.deepcopy '{a: [b]}'",
      run: (_context, { source }) => deepCopy(source),
    },
    update: {
      inline: true,
      signature: "dest, defaults, merge_lists=True, in_place=True, convert_none=True",
      doc: "Merges each map of a map into the same defaults.\n\n" +
        "    salt '*' defaults.update '{web: {port: 80}}' '{port: 8080, tls: true}'",
      run(_context, { dest, defaults, merge_lists: mergeLists, in_place: inPlace, convert_none: convert }) {
        checkPlace(dest, inPlace, "update");
        const nodes = emptyIfNone(dest, convert);
        const under = emptyIfNone(defaults, convert);
        if (!isMap(nodes)) throw new InvalidArgumentsError("The nodes to be updated must be a map");
        return mapOf(
          entriesOf(nodes).map(([name, values]) => [
            name,
            updateMap(deepCopy(under), emptyIfNone(values, convert), { mergeLists: truthy(mergeLists) }),
          ]),
        );
      },
    },
  },
};

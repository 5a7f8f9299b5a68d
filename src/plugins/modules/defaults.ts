import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, InvalidArgumentsError } from "../../model/loader/family.ts";
import { type AnyMap, entriesOf, isMap, truthy } from "../../language/python/values.ts";
import { deepCopy } from "../../language/python/copy.ts";
import { dictSet } from "../../language/python/dict.ts";
import { withOsErrors } from "../python_errors.ts";
import { cachedSource } from "../sources.ts";
import { traverseOr } from "../../language/python/traverse.ts";
import { copyOf, update } from "../../language/python/update.ts";

/** The defaults of a formula: `defaults.yaml` or `defaults.json` in its directory on the file server; null if none. */
async function load(context: JobContext, formula: string): Promise<unknown> {
  for (const extension of ["yaml", "json"]) {
    const file = await cachedSource(context, `salt://${formula}/defaults.${extension}`);
    if (file === undefined) continue;
    const text = withOsErrors(file, () => context.runtime.fs.readText(file));
    // JSON is YAML, except for corners that do not occur in such files.
    const { parseYaml } = await import("../../language/yaml/document.ts");
    return parseYaml(text).value ?? {};
  }
  return null;
}

const NO_MAPS = "Cannot update using non-dict types in dictupdate.update()";

const emptyIfNone = (value: unknown, convert: unknown) => value === null && truthy(convert) ? new Map() : value;

/** Merges a map into another, which is changed. */
function mergeInto(dest: unknown, src: unknown, mergeLists: unknown, convert: unknown): AnyMap {
  const over = emptyIfNone(src, convert);
  if (!isMap(dest) || !isMap(over)) throw new InvalidArgumentsError(NO_MAPS);
  return update(dest, over, { mergeLists: truthy(mergeLists) });
}

/** The map to write into: the argument itself, which is how templates use it, or a copy. */
function destination(dest: unknown, args: Record<string, unknown>, what: string): unknown {
  const { in_place: inPlace, convert_none: convert } = args;
  if (!truthy(inPlace)) return deepCopy(emptyIfNone(dest, convert));
  if (dest === null && (what === "update" || truthy(convert))) {
    throw new InvalidArgumentsError(`Can't perform in-place ${what} into NoneType`);
  }
  return dest;
}

/** Defaults of formulas, and merging of maps. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "get(key: str, default='')": {
      doc: "A default of a formula, from the file beside it on the file server.\n\n" +
        "    salt '*' defaults.get core:users:root",
      async run(context, { key, default: fallback }) {
        const text = key;
        const at = text.indexOf(":");
        const values = await load(context, at < 0 ? text : text.slice(0, at));
        return at < 0 ? values : traverseOr(values, text.slice(at + 1), fallback);
      },
    },
    "merge(dest, src, merge_lists=False, in_place=True, convert_none=True)": {
      inline: true,
      doc:
        "Merges a map into another; `merge_lists` joins lists instead of replacing them. The first map is changed, unless " +
        "`in_place` is False.\n\n" +
        "    salt '*' defaults.merge '{a: b}' '{d: e}'",
      run: (_context, args) =>
        mergeInto(destination(args.dest, args, "merge"), args.src, args.merge_lists, args.convert_none),
    },
    "deepcopy(source)": {
      inline: true,
      doc: "A deep copy of a value, which a template can change without changing the value.\n\n" +
        "    salt '*' defaults.deepcopy '{a: [b]}'",
      run: (_context, { source }) => deepCopy(source),
    },
    "update(dest, defaults, merge_lists=True, in_place=True, convert_none=True)": {
      inline: true,
      doc: "Merges each map of a map into the same defaults. The map is changed, unless `in_place` is False.\n\n" +
        "    salt '*' defaults.update '{web: {port: 80}}' '{port: 8080, tls: true}'",
      run(_context, args) {
        const { defaults, merge_lists: mergeLists, convert_none: convert } = args;
        const nodes = destination(args.dest, args, "update");
        if (!isMap(nodes)) throw new InvalidArgumentsError("The nodes to be updated must be a map");
        const target = nodes instanceof Map ? nodes : copyOf(nodes);
        for (const [name, values] of entriesOf(nodes)) {
          dictSet(target, name, mergeInto(deepCopy(emptyIfNone(defaults, convert)), values, mergeLists, convert));
        }
        return target;
      },
    },
  }),
};

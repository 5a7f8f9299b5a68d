import { baseName } from "../../base/paths.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  type ExecutionModule,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { Rendering, templateText } from "../../model/loader/rendering.ts";
import { type AnyMap, type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { deepCopy } from "../../language/python/copy.ts";
import { dictGet, dictSet, MISSING } from "../../language/python/dict.ts";
import { merge, type MergeRules } from "../../language/python/merge_strategy.ts";
import { update } from "../../language/python/update.ts";
import type { CustomPlace } from "../../model/loader/loaded_file.ts";
import type { NamedSerializer } from "../serializers/named.ts";
import { banner } from "./slsutil/banner.ts";
import { directoryExists, fileExists, findUp, pathExists } from "./slsutil/paths.ts";
import { ownKeywords } from "../keywords.ts";

function maps(...values: unknown[]): AnyMap[] {
  if (!values.every(isMap)) {
    throw new InvalidArgumentsError("Cannot update using non-dict types in dictupdate.update()");
  }
  return values as AnyMap[];
}

const rulesOf = ({ strategy, renderer, merge_lists }: Args) => ({
  strategy: str(strategy),
  renderer: str(renderer),
  mergeLists: truthy(merge_lists),
});

/** Merges a map over a copy of another. Salt's `overwrite` writes into that one as well. */
function mergeCopy(under: AnyMap, over: AnyMap, rules: MergeRules): AnyMap {
  if (rules.strategy === "overwrite") {
    for (const [key, value] of entriesOf(over)) if (dictGet(under, key) !== MISSING) dictSet(under, key, value);
  }
  return merge(deepCopy(under), over, rules);
}

/**
 * The serializer of that name. All of them are loaded for the first one: few jobs need any.
 *
 * @throws {CommandExecutionError} if there is none
 */
async function serializerOf(context: CustomPlace, name: string): Promise<NamedSerializer> {
  const { serializerNamed } = await import("../serializers/named.ts");
  const found = await serializerNamed(context, name);
  if (!Array.isArray(found)) return found;
  throw new CommandExecutionError(`Serializer '${name}' not found. Here are ${found.join(", ")}`);
}

const bytesOf = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : new TextEncoder().encode(str(value));

const MERGE = "strategy='smart', renderer='yaml', merge_lists=False";
const STRATEGIES = "\n\nstrategy: recurse, aggregate, overwrite, list, or smart for what renderer asks for\n" +
  "merge_lists: join lists under the same key";

/** Helps for templates and SLS files. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "update(dest, upd, recursive_update: bool=True, merge_lists: bool=False)": {
      inline: true,
      doc: "Lays a map over another, in place.\n\n    salt '*' slsutil.update '{foo: Foo}' '{bar: Bar}'",
      run(_context, { dest, upd, recursive_update, merge_lists }) {
        const [under, over] = maps(dest, upd);
        return update(under!, over!, { recursive: recursive_update, mergeLists: merge_lists });
      },
    },
    [`merge(obj_a, obj_b, ${MERGE})` as const]: {
      inline: true,
      doc: `Merges two maps.\n\n    salt '*' slsutil.merge '{foo: Foo}' '{bar: Bar}'${STRATEGIES}`,
      run(_context, args) {
        const [under, over] = maps(args.obj_a, args.obj_b);
        return mergeCopy(under!, over!, rulesOf(args));
      },
    },
    [`merge_all(lst, ${MERGE})` as const]: {
      inline: true,
      doc: `Merges maps in their order.\n\n    salt-call slsutil.merge_all '[{foo: Foo}, {foo: Bar}]'${STRATEGIES}`,
      run(_context, args) {
        const all = maps(...(Array.isArray(args.lst) ? args.lst : [null]));
        return all.reduce<AnyMap>((under, over) => mergeCopy(under, over, rulesOf(args)), new Map());
      },
    },
    "renderer(path=None, string=None, default_renderer: str='jinja|yaml', **kwargs)": {
      doc: "Renders a file or a text to data; further keywords are names in it.\n\n" +
        "    salt '*' slsutil.renderer salt://path/to/file\n" +
        "    salt '*' slsutil.renderer string='Hello, {{ name }}.' default_renderer=jinja name=world",
      async run(context, args): Promise<unknown> {
        const { path, string, default_renderer: renderer } = args;
        if (!truthy(path) && !truthy(string)) throw new SaltInvocationError("Must pass either path or string");
        if (truthy(path) && truthy(string)) throw new SaltInvocationError("Must not pass both path and string");
        const { saltenv = "base", sls = "", context: over, ...names } = ownKeywords(args.kwargs);
        const file = truthy(path) ? await context.files.fetchUrl(str(path), "", { saltenv: str(saltenv) }) : ":string:";
        if (file === undefined || truthy(path) && context.runtime.fs.stat(file)?.kind !== "file") {
          // A template may read a file that some hosts do not have.
          context.log.error("file to render not found", { path: str(path), saltenv: str(saltenv) });
          return {};
        }
        const source = truthy(path) ? templateText(context.runtime.fs.read(file), file) : str(string);
        return await new Rendering(context).renderSls({
          path: file,
          name: baseName(file),
          sls: str(sls),
          saltenv: str(saltenv),
          source,
          renderer,
          context: { ...names, ...isMap(over) ? Object.fromEntries(entriesOf(over)) : {} },
        });
      },
    },
    "serialize(serializer: str, obj, **kwargs)": {
      doc:
        "Data as text: json, yaml, msgpack, configparser, keyvalue, plist, python.\n\n    salt '*' --no-parse=obj slsutil.serialize json obj='{foo: Foo!}'",
      run: async (context, { serializer, obj, kwargs }) =>
        await (await serializerOf(context, serializer)).serialize(obj, ownKeywords(kwargs)),
    },
    "deserialize(serializer: str, stream_or_string, **kwargs)": {
      doc:
        "Data of a text: json, yaml, msgpack, configparser, keyvalue, plist, toml.\n\n    salt '*' slsutil.deserialize json '{\"foo\": \"Foo!\"}'",
      async run(context, { serializer, stream_or_string, kwargs }) {
        const { deserialize } = await serializerOf(context, serializer);
        if (deserialize === undefined) {
          throw new CommandExecutionError(`Serializer '${serializer}' does not implement deserialize.`);
        }
        return await deserialize(bytesOf(stream_or_string), ownKeywords(kwargs));
      },
    },
    banner: executionFunction({
      inline: true,
      signature:
        "width=72, commentchar='#', borderchar='#', blockstart=None, blockend=None, title=None, text=None, newline=False",
      doc: "A comment that warns of changing a managed file.\n\n    {{ salt['slsutil.banner']() }}",
      run: (_context, args) => banner(args),
    }),
    "boolstr(value: bool, true='true', false='false')": {
      inline: true,
      doc: "One of two texts.\n\n    use_tls: {{ salt['slsutil.boolstr'](encrypted, 'yes', 'no') }}",
      run: (_context, args) => args.value ? args.true : args.false,
    },
    "file_exists(path, saltenv='base')": {
      doc: "True if there is such a file below the file roots.\n\n    salt '*' slsutil.file_exists nginx/defaults.yaml",
      run: (context, { path, saltenv }) => fileExists(context, path, saltenv),
    },
    "dir_exists(path, saltenv='base')": {
      doc: "True if there is such a directory below the file roots.\n\n    salt '*' slsutil.dir_exists nginx/files",
      run: (context, { path, saltenv }) => directoryExists(context, path, saltenv),
    },
    "path_exists(path, saltenv='base')": {
      doc: "True if there is such a path below the file roots.\n\n    salt '*' slsutil.path_exists nginx",
      run: (context, { path, saltenv }) => pathExists(context, path, saltenv),
    },
    "findup(startpath, filenames, saltenv='base')": {
      doc: "The first of some names in a directory below the file roots, or in the nearest one above.\n\n" +
        "    salt '*' slsutil.findup formulas/shared/nginx map.jinja",
      run: (context, { startpath, filenames, saltenv }) => findUp(context, startpath, filenames, saltenv),
    },
  }),
};

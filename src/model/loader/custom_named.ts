/** Finds one custom module of a family by the name that it goes by. */
import { joinPath } from "../../base/paths.ts";
import { customFilesOf, type CustomPlace, loadCustomFile, type LoadedFile } from "./custom_file.ts";
import type { CustomFile, CustomKind } from "./custom_files.ts";
import { lentFiles } from "./lent_files.ts";
import type { PythonFamily } from "./python/python_file.ts";
import type { Args } from "../../language/python/values.ts";
import { bindArguments, parseSignature } from "./signature.ts";

export interface NamedFile extends LoadedFile {
  path: string;
}

/** True if a file may give itself a name: the name occurs in its text in quotes. Programs are asked instead. */
function mayBeNamed({ runtime: { fs } }: CustomPlace, { path, form }: CustomFile, name: string): boolean {
  if (form === "program") return true;
  const text = fs.readText(fs.stat(path)?.kind === "directory" ? joinPath(path, "__init__.py") : path);
  return text.includes(`"${name}"`) || text.includes(`'${name}'`);
}

/**
 * The custom module with a name: the file of that name, or another file that gives itself the name.
 *
 * @param isLent true if Salt's package may lend the module: Brine has none of that name
 * @throws {TypeError} if the file of that name cannot be used on this host
 */
export async function customNamed(
  place: CustomPlace,
  kind: CustomKind,
  name: string,
  isLent: boolean,
  family?: PythonFamily,
): Promise<NamedFile | undefined> {
  const { usable } = customFilesOf(place, kind);
  for (const files of [usable, isLent ? lentFiles(place, kind) : []]) {
    const first = files.filter((file) => file.name === name);
    for (const file of [...first, ...files.filter((one) => one.name !== name && mayBeNamed(place, one, name))]) {
      const loaded = await loadCustomFile(place, kind, file, undefined, family);
      const virtual = loaded.virtual(place);
      if (typeof virtual === "string" ? virtual === name : virtual === true && file.name === name) {
        return { ...loaded, path: file.path };
      }
      if (typeof virtual === "object" && file.name === name) {
        throw new TypeError(`"${file.path}" is not available: ${virtual.unavailable}`);
      }
    }
  }
  return undefined;
}

/** Calls a function of a custom module; undefined if the module has no such function. @param named arguments that the function may take */
export function namedCall(
  { functions }: LoadedFile,
  name: string,
): ((context: object, positional: unknown[], named: Args) => Promise<unknown>) | undefined {
  const found = functions.get(name);
  if (found === undefined) return undefined;
  const signature = parseSignature(found.signature);
  const takes = new Set(signature.params.map((param) => param.name));
  return async (context, positional, named) => {
    const taken = Object.entries(named).filter(([key]) => signature.keywords !== undefined || takes.has(key));
    return await found.run(context, bindArguments(name, signature, positional, new Map(taken)));
  };
}

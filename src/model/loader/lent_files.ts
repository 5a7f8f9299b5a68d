/** Modules that Salt's own package on this host lends to Brine: those that Brine does not have. */
import { joinPath } from "../../base/paths.ts";
import type { CustomPlace } from "./loaded_file.ts";
import { type CustomFile, type CustomKind, strangersCode } from "./custom_files.ts";
import { findSalt } from "./python/interpreter.ts";

/** Prefix of lent modules in a registry: no function can have such a name. */
const PREFIX = "salt:";

/** True if an entry of a registry is a lent module. */
export const isLent = (entry: string): boolean => entry.startsWith(PREFIX);

/** The name of a module without the prefix of lent modules. */
export const plainName = (entry: string): string => isLent(entry) ? entry.slice(PREFIX.length) : entry;

/** By options: renderers are asked for before each file. */
const LENT = new WeakMap<object, Map<CustomKind, CustomFile[]>>();

/** The files of one kind in Salt's package; none without one, or where other users may write to it. */
export function lentFiles(place: CustomPlace, kind: CustomKind): CustomFile[] {
  let kinds = LENT.get(place.opts);
  if (kinds === undefined) LENT.set(place.opts, kinds = new Map());
  let files = kinds.get(kind);
  if (files === undefined) kinds.set(kind, files = findLent(place, kind));
  return files;
}

function findLent({ runtime, opts, log }: CustomPlace, kind: CustomKind): CustomFile[] {
  const salt = findSalt(runtime, opts);
  if (salt === undefined) return [];
  const directory = joinPath(salt, kind);
  const { fs } = runtime;
  if (fs.stat(directory)?.kind !== "directory") return [];
  const stranger = strangersCode(runtime, directory);
  if (stranger !== undefined) {
    log.warning("Salt's package is not used: other users may write to it", { directory, stranger });
    return [];
  }
  return fs.list(directory).flatMap((entry): CustomFile[] => {
    const [, name] = /^([A-Za-z0-9][A-Za-z0-9_]*)(?:\.py)?$/.exec(entry) ?? [];
    if (name === undefined) return [];
    const path = joinPath(directory, entry);
    if (!entry.endsWith(".py") && fs.stat(joinPath(path, "__init__.py"))?.kind !== "file") return [];
    return [{ name, path, version: "lent", form: "python", lent: true }];
  });
}

/** Adds the lent modules after the other modules of a registry. */
export function withLentFiles<Loaded>(
  known: Record<string, () => Promise<Loaded>>,
  place: CustomPlace,
  kind: CustomKind,
  load: (file: CustomFile) => Promise<Loaded>,
): Record<string, () => Promise<Loaded>> {
  const lent = lentFiles(place, kind);
  if (lent.length === 0) return known;
  return { ...known, ...Object.fromEntries(lent.map((file) => [`${PREFIX}${file.name}`, () => load(file)])) };
}

/** Returns a function that is true if a lent module may give itself a name, because the name occurs in its text. */
export function lentNames(place: CustomPlace, kind: CustomKind): (entry: string, name: string) => boolean {
  let files: Map<string, CustomFile> | undefined;
  const texts = new Map<string, string>();
  return (entry, name) => {
    files ??= new Map(lentFiles(place, kind).map((file) => [file.name, file]));
    const file = files.get(plainName(entry));
    if (file === undefined) return false;
    if (file.name === name) return true;
    let text = texts.get(file.name);
    if (text === undefined) {
      const source = file.path.endsWith(".py") ? file.path : joinPath(file.path, "__init__.py");
      texts.set(file.name, text = place.runtime.fs.readText(source));
    }
    return text.includes(`"${name}"`) || text.includes(`'${name}'`);
  };
}

/** Copies custom modules from `salt://_<kind>` to the directory that modules are loaded from. */
import { dirName, isWithin, joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";
import { sameBytes } from "../../runtime/bytes.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Files } from "./family.ts";
import { beginsAsProgram } from "./custom_files.ts";

/** The host to sync: a minion, or a master for its own runners and outputters. */
interface SyncPlace {
  readonly runtime: Pick<Runtime, "fs">;
  readonly log: Logger;
  /** `{extension_modules, clean_dynamic_modules, extmod_whitelist, extmod_blacklist}` */
  readonly opts: Record<string, unknown>;
  readonly files: Files;
}

interface SyncOptions {
  /** Environments as a list, or as a text with commas; later ones override earlier ones. @default base */
  saltenv?: unknown;
  /** Names by kind, or for this kind as a text with commas. @default the option `extmod_whitelist` or `extmod_blacklist` */
  whitelist?: unknown;
  blacklist?: unknown;
}

interface Synced {
  changed: string[];
  /** True if any file was written or removed; `changed` does not list removed files. */
  touched: boolean;
}

/** The target directory for modules of a kind; undefined for a host without a cache. */
function targetDirectory({ opts }: Pick<SyncPlace, "opts">, kind: string): string | undefined {
  const base = extensionModules(opts);
  return base === undefined ? undefined : joinPath(base, kind);
}

/** The target directory for modules of all kinds. */
function extensionModules({ extension_modules, cachedir }: Record<string, unknown>): string | undefined {
  if (typeof extension_modules === "string" && extension_modules !== "") return extension_modules;
  return typeof cachedir === "string" && cachedir !== "" ? joinPath(cachedir, "extmods") : undefined;
}

const commas = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(str) : str(value).split(",").map((one) => one.trim()).filter((one) => one !== "");

/** The names for a kind; undefined if the list has no entry for it. */
function listFor(kind: string, given: unknown, option: unknown): Set<string> | undefined {
  if (typeof given === "string") return given === "" ? undefined : new Set(commas(given));
  const map = isMap(given) ? given : isMap(option) ? option : undefined;
  const entry = map && entriesOf(map).find(([name]) => name === kind);
  return entry === undefined ? undefined : new Set(commas(entry[1]));
}

/** Files that are never modules: hidden files, backups of editors, and files compiled by Python. */
const IGNORED = /(?:^|\/)(?:\.|__pycache__\/)|~$|\.pyc$/;

/** Removes files that the server does not have any more; true if there were any. */
function clean(fs: FileSystem, directory: string, wanted: ReadonlySet<string>, below = ""): boolean {
  let touched = false;
  for (const name of fs.list(joinPath(directory, below))) {
    const relative = below === "" ? name : `${below}/${name}`;
    const path = joinPath(directory, relative);
    if (fs.stat(path, { follow: false })?.kind === "directory") {
      touched = clean(fs, directory, wanted, relative) || touched;
      if (fs.list(path).length > 0) continue;
    } else if (wanted.has(relative)) continue;
    fs.remove(path, { recursive: true });
    touched = true;
  }
  return touched;
}

/**
 * Syncs the custom modules of one kind. Errors are logged, and existing files stay.
 *
 * @param kind the folder without its underscore: `modules`, `grains`, …
 * @see salt/utils/extmods.py sync
 */
export async function syncModules(place: SyncPlace, kind: string, options: SyncOptions = {}): Promise<Synced> {
  const { runtime: { fs }, log, opts, files } = place;
  const directory = targetDirectory(place, kind);
  const synced: Synced = { changed: [], touched: false };
  if (directory === undefined) return synced;
  const allowed = listFor(kind, options.whitelist, opts.extmod_whitelist);
  const refused = listFor(kind, options.blacklist, opts.extmod_blacklist);
  const given = options.saltenv ?? "base";
  const environments = commas(given === "" ? "base" : given);
  const wanted = new Set<string>();
  try {
    for (const saltenv of environments) {
      const root = dirName(files.cachePath(`salt://_${kind}/_`, saltenv));
      for (const cached of await files.cacheDirectory(`salt://_${kind}`, { saltenv })) {
        const relative = cached.slice(root.length + 1);
        if (!isWithin(root, cached) || IGNORED.test(relative)) continue;
        const name = relative.replace(/(?<=[^/])\.[^./]*$/, "").replaceAll("/", ".");
        if (allowed?.has(name) === false || refused?.has(name)) continue;
        wanted.add(relative);
        const target = joinPath(directory, relative);
        const data = fs.read(cached);
        const there = fs.stat(target);
        if (there?.kind === "file" && sameBytes(fs.read(target), data)) continue;
        if (there?.kind === "directory") fs.remove(target, { recursive: true });
        fs.mkdir(dirName(target), 0o700);
        // The file server does not send modes: the first line shows whether a file is a program.
        fs.write(target, data, { mode: beginsAsProgram(fs, cached) ? 0o755 : 0o600 });
        // One module may have two files: one for real Salt, one for Brine.
        if (!synced.changed.includes(`${kind}.${name}`)) synced.changed.push(`${kind}.${name}`);
      }
    }
    synced.touched = synced.changed.length > 0;
    if (opts.clean_dynamic_modules !== false && fs.stat(directory)?.kind === "directory") {
      synced.touched = clean(fs, directory, wanted) || synced.touched;
    }
  } catch (error) {
    log.error("custom modules could not be synced", { kind, error: messageOf(error) });
  }
  return synced;
}

/** The synced custom modules, by kind. */
export function listExtensions(
  { runtime: { fs }, opts }: Pick<SyncPlace, "runtime" | "opts">,
): Record<string, string[]> {
  const base = extensionModules(opts);
  const isDirectory = (path: string) => fs.stat(path)?.kind === "directory";
  const below = (path: string): string[] =>
    fs.list(path).flatMap((name) => {
      const full = joinPath(path, name);
      return isDirectory(full) ? below(full) : [name.split(".")[0]!];
    });
  if (base === undefined || !isDirectory(base)) return {};
  return Object.fromEntries(
    fs.list(base).filter((kind) => isDirectory(joinPath(base, kind)))
      .map((kind) => [kind, [...new Set(below(joinPath(base, kind)))].sort()]),
  );
}

import { codeOf, ConfigError, messageOf } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { FileSystem } from "../runtime/fs.ts";
import { fits, type OptionTable, settle } from "./option.ts";
import { dirName, joinPath } from "./paths.ts";

/** A YAML document and where its top-level keys stand. */
export interface ParsedDocument {
  value: unknown;
  /** Line of a top-level key, counted from 1. */
  lineOf(key: string): number | undefined;
}

export interface LoadConfigOptions {
  fs: FileSystem;
  log: Logger;
  /** Parses YAML 1.1 as Salt does. @throws {SyntaxError} with line and column in its message */
  parse(text: string, file: string): ParsedDocument;
  /** Missing files are fine: the defaults stand. */
  file: string;
  table: OptionTable;
  /** A file of the user's own, whose keys go over those of the others; fine if it is missing. */
  userFile?: string;
  /** Set over what the files say: command-line options. */
  overrides?: Record<string, unknown>;
  /** `"error"` for daemons, which must not start on a configuration that was misread. @default "error" */
  onProblem?: "error" | "warning";
}

/** Names of files in a directory that match a glob in their last part. */
export function globFiles(fs: FileSystem, pattern: string): string[] {
  if (!/[*?[]/.test(pattern)) return fs.stat(pattern)?.kind === "file" ? [pattern] : [];
  const directory = dirName(pattern);
  if (/[*?[]/.test(directory)) return [];
  if (fs.stat(directory)?.kind !== "directory") return [];
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  const source = last.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".").replaceAll(
    "[!",
    "[^",
  );
  const regex = new RegExp(`^${source}$`, "s");
  return fs.list(directory).filter((name) => regex.test(name) && (!name.startsWith(".") || last.startsWith(".")))
    .map((name) => joinPath(directory, name));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map) &&
    !(value instanceof Number);
}

/** Merges included files among each other: maps recursively, lists appended. */
function mergeIncluded(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(from)) {
    const before = into[key];
    if (isMap(before) && isMap(value)) mergeIncluded(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) into[key] = [...before, ...value];
    else into[key] = value;
  }
}

/** Path options that `root_dir` is put before. */
const ROOTED = [
  "pki_dir",
  "cachedir",
  "sock_dir",
  "log_file",
  "pidfile",
  "extension_modules",
  "key_logfile",
  "ssh_log_file",
  "autosign_file",
  "autoreject_file",
  "autosign_grains_dir",
  "token_dir",
];

/**
 * Reads a configuration file with its includes, as Salt does: included files are merged among each other, and the result
 * replaces top-level keys of the main file; then the overrides, then the defaults.
 *
 * @throws {ConfigError} naming file, line and key, if a file cannot be read or parsed, or a value has the wrong type
 */
export function loadConfig(options: LoadConfigOptions): { opts: Record<string, unknown>; given: ReadonlySet<string> } {
  const { fs, log, file, table, overrides = {}, onProblem = "error" } = options;
  const where = new Map<string, string>();
  const problem = (message: string) => {
    if (onProblem === "error") throw new ConfigError(message);
    log.warning(message);
  };

  const readOne = (path: string): Record<string, unknown> => {
    let text: string;
    try {
      text = fs.readText(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT" && path === file) return {};
      throw new ConfigError(`Failed to load configuration: ${messageOf(error)}`, { file: path, cause: error });
    }
    let document: ParsedDocument;
    try {
      document = options.parse(text, path);
    } catch (error) {
      throw new ConfigError(`Error parsing configuration file: ${path} - ${messageOf(error)}`, {
        file: path,
        cause: error,
      });
    }
    if (document.value === null || document.value === undefined) return {};
    if (!isMap(document.value)) {
      const type = Array.isArray(document.value) ? "list" : typeof document.value;
      throw new ConfigError(`Error parsing configuration file: ${path} - conf should be a document, not ${type}.`, {
        file: path,
      });
    }
    for (const key of Object.keys(document.value)) where.set(key, `${path}, line ${document.lineOf(key) ?? "?"}`);
    return document.value;
  };

  const main = readOne(file);
  const included: Record<string, unknown> = {};
  const seen = new Set([file]);
  const include = (pattern: unknown, from: string, quiet: boolean) => {
    if (typeof pattern !== "string" || pattern === "") return;
    const full = joinPath(dirName(from), pattern);
    const found = globFiles(fs, full);
    if (found.length === 0 && !quiet) log.warning("included configuration not found", { include: full, from });
    for (const path of found) {
      if (seen.has(path)) continue;
      seen.add(path);
      const values = readOne(path);
      for (const inner of [values.include ?? []].flat()) include(inner, path, false);
      delete values.include;
      mergeIncluded(included, values);
    }
  };
  include(main.default_include ?? table.default_include?.default, file, true);
  for (const pattern of [main.include ?? []].flat()) include(pattern, file, false);

  const own = options.userFile !== undefined && fs.stat(options.userFile)?.kind === "file"
    ? readOne(options.userFile)
    : {};

  const values: Record<string, unknown> = { ...main, ...included, ...own, ...overrides };
  const opts = completeOptions(table, values, (key, message) => {
    problem(`${message} (${where.get(key) ?? "command line"})`);
  });
  opts.conf_file = file;
  putUnderRoot(opts);
  return { opts, given: new Set(Object.keys(values)) };
}

/**
 * All options of a table: those given in the types that they have, defaults for the rest, and whatever else was given.
 *
 * @param wrong told of values of another type, in whose place the default stands
 */
export function completeOptions(
  table: OptionTable,
  values: Record<string, unknown>,
  wrong: (key: string, message: string) => void,
): Record<string, unknown> {
  const opts: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(table)) {
    const value = values[key];
    if (value === undefined) {
      opts[key] = structuredClone(spec.default);
      continue;
    }
    if (!fits(spec, value)) {
      const need =
        { bool: "True or False", number: "a number", text: "text", list: "a list", map: "a map", any: "" }[spec.type];
      wrong(key, `Key '${key}' with value ${JSON.stringify(value)} is of the wrong type: ${need} is required`);
      opts[key] = structuredClone(spec.default);
      continue;
    }
    opts[key] = settle(spec, value);
  }
  for (const [key, value] of Object.entries(values)) if (!(key in opts)) opts[key] = value;
  return opts;
}

/** Puts `root_dir` before the paths that are not below it already. */
export function putUnderRoot(opts: Record<string, unknown>): void {
  const root = String(opts.root_dir ?? "/").replace(/\/+$/, "");
  if (opts.extension_modules === "") opts.extension_modules = joinPath(String(opts.cachedir), "extmods");
  if (root !== "") {
    for (const key of ROOTED) {
      const path = opts[key];
      if (typeof path !== "string" || path === "" || path.includes("://")) continue;
      if (path === root || path.startsWith(root + "/")) continue;
      opts[key] = root + (path.startsWith("/") ? path : "/" + path);
    }
  }
}

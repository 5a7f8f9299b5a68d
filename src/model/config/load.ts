import { codeOf, ConfigError, messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type AnyMap, entriesOf, isMap } from "../../language/python/values.ts";
import { isRecord } from "../../base/record.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { globPaths, hasMagic } from "./glob_paths.ts";
import { EXPECTED, fits, type OptionSpec, optionsThat, type OptionTable, type OptsOf, settle } from "./option.ts";
import { valueProblem } from "./option_values.ts";
import { dirName, joinPath } from "../../base/paths.ts";
import { HIDDEN } from "../../base/secret.ts";
import { shownValue } from "../../base/shown_value.ts";

/** A parsed YAML document with the lines of its top-level keys. */
interface ParsedDocument {
  value: unknown;
  /** Line of a top-level key, counted from 1. */
  lineOf(key: string): number | undefined;
}

export interface LoadConfigOptions<T extends OptionTable = OptionTable> {
  fs: FileSystem;
  log: Logger;
  /** Parses YAML 1.1 as Salt does. @throws {SyntaxError} with line and column in its message */
  parse(text: string, file: string): ParsedDocument;
  /** Path of the main file; if it is missing, all options have their defaults. */
  file: string;
  table: T;
  /** Path of the user's own file, which overrides the others; it may be missing. */
  userFile?: string;
  /** Command-line options, which override all files. */
  overrides?: Record<string, unknown>;
  /** What to do about a wrong value: `"error"` for daemons, which must not start with a misread configuration. @default "error" */
  onProblem?: "error" | "warning";
}

/** A configuration after reading. */
export interface LoadedConfig<T extends OptionTable = OptionTable> {
  opts: OptsOf<T>;
  /** Names of the options that files or the command line set. */
  given: ReadonlySet<string>;
  /** File and line of each option that a file sets. */
  places: ReadonlyMap<string, string>;
}

/** Resolves the `sdb://` addresses in values: returns the changed options by name. @throws {ConfigError} naming the option */
export type ResolveSdb = (values: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** True if there is an `sdb://` address somewhere in a value. */
export function hasSdb(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value === "string") return value.startsWith("sdb://");
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  return (value instanceof Map ? [...value.values()] : Object.values(value)).some((item) => hasSdb(item, seen));
}

function includedFiles(fs: FileSystem, pattern: string): string[] {
  return hasMagic(pattern) ? globPaths(fs, pattern) : fs.stat(pattern)?.kind === "file" ? [pattern] : [];
}

/** Merges included files into each other: maps recursively, lists appended. */
function mergeIncluded(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(from)) {
    const before = into[key];
    if (isRecord(before) && isRecord(value)) mergeIncluded(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) into[key] = [...before, ...value];
    else into[key] = value;
  }
}

/** The file that `schedule.save` writes. */
const SAVED_SCHEDULE = "_schedule.conf";

/** Kinds of files that can be opened without waiting; reading a directory fails with an error of its own. */
const READABLE: ReadonlySet<string> = new Set(["file", "directory"]);

/** Reads the files of one configuration, and remembers where each option stands. */
class ConfigFiles {
  readonly places = new Map<string, string>();
  readonly #options: LoadConfigOptions;
  /** Included files merged into each other. */
  readonly #included: Record<string, unknown> = {};
  /** Paths that were read, so that a file that includes itself is read once. */
  readonly #seen: Set<string>;

  constructor(options: LoadConfigOptions) {
    this.#options = options;
    this.#seen = new Set([options.file]);
  }

  /** @throws {ConfigError} naming the file and, if it does not parse, the line */
  read(path: string): Record<string, unknown> {
    const text = this.#text(path);
    if (text === undefined) return {};
    const cannotParse = (why: string, cause?: unknown) =>
      new ConfigError(`Error parsing configuration file: ${path} - ${why}`, { file: path, cause });
    let document: ParsedDocument;
    try {
      document = this.#options.parse(text, path);
    } catch (error) {
      throw cannotParse(messageOf(error), error);
    }
    const { value } = document;
    if (value === null || value === undefined) return {};
    if (value instanceof Map) {
      const name = [...value.keys()].find((key) => typeof key !== "string" || key === "__proto__");
      throw cannotParse(`An option cannot have the name ${String(name)}: expected text, such as ret_port`);
    }
    if (!isRecord(value)) {
      throw cannotParse(`conf should be a document, not ${Array.isArray(value) ? "list" : typeof value}.`);
    }
    for (const key of Object.keys(value)) this.places.set(key, `${path}, line ${document.lineOf(key) ?? "?"}`);
    return value;
  }

  /** The text of a file; undefined if the main file is missing. */
  #text(path: string): string | undefined {
    try {
      // Opening a pipe waits for a writer, which would block a daemon that reloads its configuration.
      const kind = this.#options.fs.stat(path)?.kind ?? "file";
      if (!READABLE.has(kind)) throw new Error(`${path} is a ${kind}: expected a regular file`);
      return this.#options.fs.readText(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT" && path === this.#options.file) return undefined;
      throw new ConfigError(`Failed to load configuration: ${messageOf(error)}`, { file: path, cause: error });
    }
  }

  /** Merges all files that the main file includes, by `default_include` and `include`. */
  includes(main: Record<string, unknown>): Record<string, unknown> {
    const { file, table } = this.#options;
    this.#include(main.default_include ?? table.default_include?.default, file, true);
    for (const pattern of [main.include ?? []].flat()) this.#include(pattern, file, false);
    return this.#included;
  }

  /**
   * Reads an included file. If the schedule that a minion has saved cannot be parsed, that file is skipped, and the others
   * still count.
   */
  #readIncluded(path: string): Record<string, unknown> {
    if (!path.endsWith(SAVED_SCHEDULE)) return this.read(path);
    try {
      return this.read(path);
    } catch (error) {
      const { fs, log } = this.#options;
      log.error("the saved schedule cannot be read, and is renamed", { path, error: messageOf(error) });
      try {
        fs.rename(path, `${path}YAMLError`);
      } catch (problem) {
        log.error("the saved schedule cannot be renamed", { path, error: messageOf(problem) });
      }
      return {};
    }
  }

  #include(pattern: unknown, from: string, mayBeMissing: boolean): void {
    if (typeof pattern !== "string" || pattern === "") return;
    const { fs, log } = this.#options;
    const full = joinPath(dirName(from), pattern);
    const found = includedFiles(fs, full);
    if (found.length === 0 && !mayBeMissing) log.warning("included configuration not found", { include: full, from });
    for (const path of found) {
      if (this.#seen.has(path)) continue;
      this.#seen.add(path);
      const values = this.#readIncluded(path);
      // A job in a later file replaces a job with the same name, because a mix of their fields makes no sense.
      if (isRecord(values.schedule) && isRecord(this.#included.schedule)) {
        Object.assign(this.#included.schedule, values.schedule);
        delete values.schedule;
      }
      for (const inner of [values.include ?? []].flat()) this.#include(inner, path, false);
      delete values.include;
      mergeIncluded(this.#included, values);
    }
  }
}

/**
 * Reads a configuration file with its includes, as Salt does: included files are merged into each other, and the result
 * replaces top-level keys of the main file; then come the user's file, the overrides, and defaults for the rest.
 *
 * @throws {ConfigError} naming file, line and option, if a file cannot be read or parsed, or values have the wrong type
 */
export function loadConfig<T extends OptionTable>(options: LoadConfigOptions<T>): LoadedConfig<T> {
  return completed(options, readFiles(options), {});
}

/**
 * Like {@link loadConfig}, with the `sdb://` addresses in the files resolved.
 *
 * @param resolve called if the files have an `sdb://` address
 */
export async function loadConfigWithSdb<T extends OptionTable>(
  options: LoadConfigOptions<T>,
  resolve: ResolveSdb,
): Promise<LoadedConfig<T>> {
  const read = readFiles(options);
  return completed(options, read, hasSdb(read.values) ? await resolve(read.values) : {});
}

interface ReadFiles {
  values: Record<string, unknown>;
  places: ReadonlyMap<string, string>;
}

function readFiles(options: LoadConfigOptions): ReadFiles {
  const { fs, file, userFile } = options;
  const files = new ConfigFiles(options);
  const main = files.read(file);
  const included = files.includes(main);
  const own = userFile !== undefined && fs.stat(userFile)?.kind === "file" ? files.read(userFile) : {};
  return { values: { ...main, ...included, ...own }, places: files.places };
}

/** Completes what the files say. @param sdb resolved values of `sdb://` addresses, by option */
function completed<T extends OptionTable>(
  { fs, log, file, table, overrides = {}, onProblem = "error" }: LoadConfigOptions<T>,
  read: ReadFiles,
  sdb: Record<string, unknown>,
): LoadedConfig<T> {
  const values: Record<string, unknown> = { ...read.values, ...sdb, ...overrides };
  const hidden = Object.keys(sdb).filter((option) => !Object.hasOwn(overrides, option));
  const { opts, problems } = completeOptions(table, values, hidden);
  // The names of the resolved options, so that `withoutSdbValues` can hide their values.
  if (hidden.length > 0) opts.__sdb = hidden;
  const placeOf = (option: string) => Object.hasOwn(overrides, option) ? "command line" : read.places.get(option);
  const said = ({ option, message }: OptionProblem) => `${message} (${placeOf(option)})`;
  const severe = problems.filter(({ mild }) => !mild);
  if (onProblem === "error" && severe.length > 0) throw new ConfigError(severe.map(said).join("; "));
  for (const problem of problems) log.warning("the default is used", { problem: said(problem) });
  opts.conf_file = file;
  opts.config_dir = dirName(file);
  settlePaths(opts, table);
  for (const option of ["file_roots", "pillar_roots"]) {
    if (isMap(opts[option])) opts[option] = expandedRoots(fs, opts[option]);
  }
  return { opts: opts as OptsOf<T>, given: new Set(Object.keys(values)), places: read.places };
}

/** Expands shell patterns in the directories of environments; a pattern that matches nothing stays as it is. */
function expandedRoots(fs: FileSystem, roots: AnyMap): unknown {
  const expanded = entriesOf(roots).map(([saltenv, given]): [unknown, unknown] => {
    if (![given].flat().some((root) => typeof root === "string" && hasMagic(root))) return [saltenv, given];
    return [
      saltenv,
      [given].flat().flatMap((root) => {
        const found = typeof root === "string" ? globPaths(fs, root) : [];
        return found.length > 0 ? found : [root];
      }),
    ];
  });
  return roots instanceof Map ? new Map(expanded) : Object.fromEntries(expanded);
}

/** A deep copy, which the caller may change. */
function copyOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && !(value instanceof Number) ? structuredClone(value) : value;
}

/** An option with a value that cannot be used. */
interface OptionProblem {
  option: string;
  message: string;
  /** True if a daemon still starts, with the default instead. */
  mild: boolean;
}

function problemOf(
  option: string,
  spec: OptionSpec<unknown> | undefined,
  value: unknown,
  isHidden: boolean,
): OptionProblem | undefined {
  const wrong = spec === undefined || fits(spec, value)
    ? valueProblem(option, spec?.type === "map" ? settle(spec, value) : value, spec)
    : { expected: EXPECTED[spec.type], mild: false };
  if (wrong === undefined) return undefined;
  const message = `The option ${option} is ${
    spec?.secret === true || isHidden ? HIDDEN : shownValue(option, value)
  }: expected ${wrong.expected}`;
  return { option, message, mild: wrong.mild };
}

/**
 * All options of a table: given values converted to their types, defaults for the rest, and other names as they were given.
 *
 * @param hidden names of options whose values are not shown
 * @returns the options, and the problems: each has its default in place of the given value
 */
export function completeOptions(
  table: OptionTable,
  values: Record<string, unknown>,
  hidden: readonly string[] = [],
): { opts: Record<string, unknown>; problems: OptionProblem[] } {
  const opts: Record<string, unknown> = {};
  const problems: OptionProblem[] = [];
  for (const [option, spec] of Object.entries(table)) {
    const value = values[option];
    const problem = value === undefined ? undefined : problemOf(option, spec, value, hidden.includes(option));
    if (problem !== undefined) problems.push(problem);
    const used = value === undefined || problem !== undefined ? copyOf(spec.default) : settle(spec, value);
    if (used !== undefined) opts[option] = used;
  }
  for (const [option, value] of Object.entries(values)) {
    if (value === undefined || option in opts || Object.hasOwn(table, option)) continue;
    const problem = problemOf(option, undefined, value, hidden.includes(option));
    if (problem === undefined) opts[option] = value;
    else problems.push(problem);
  }
  return { opts, problems };
}

/** As in Salt: characters by which `sock_dir` may exceed `cachedir` before a directory below `cachedir` is used instead. */
const SOCKET_PATH_SLACK = 10;

/**
 * Sets the paths that depend on other paths, and puts paths below `root_dir` unless they are below it already.
 *
 * @see salt/config/__init__.py apply_master_config, apply_minion_config
 */
export function settlePaths(opts: Record<string, unknown>, table: OptionTable): void {
  const root = String(opts.root_dir ?? "/").replace(/\/+$/, "");
  const { sock_dir, cachedir } = opts;
  if (typeof sock_dir === "string" && typeof cachedir === "string") {
    if (sock_dir.length > cachedir.length + SOCKET_PATH_SLACK) opts.sock_dir = joinPath(cachedir, ".salt-unix");
    if (Object.hasOwn(table, "token_dir")) opts.token_dir = joinPath(cachedir, "tokens");
  }
  if (opts.extension_modules === "") opts.extension_modules = joinPath(String(opts.cachedir), "extmods");
  if (root === "") return;
  for (const key of optionsThat("path", table)) {
    const path = opts[key];
    if (typeof path !== "string" || path === "" || path.includes("://")) continue;
    if (path === root || path.startsWith(root + "/")) continue;
    opts[key] = root + (path.startsWith("/") ? path : "/" + path);
  }
}

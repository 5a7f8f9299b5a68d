import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { equal, OrderedMap, repr, str, truthy } from "../../../language/python/values.ts";
import { RenderError } from "../../../language/render/render_error.ts";
import { appendTo, AutoOrder, normaliseDeclarations, takeExclude, takeExtend, takeInclude } from "./declarations.ts";
import { opened, type OpenHigh } from "./high.ts";
import type { FetchedSls, StateFiles } from "./state_files.ts";

/** Environment → names of SLS files, which may be globs. */
export type Matches = ReadonlyMap<string, readonly unknown[]>;

/** Renders an SLS or top file to data. @throws {RenderError} in Salt's words */
export type RenderFile = (file: FetchedSls) => Promise<unknown>;

interface SlsReaderOptions {
  files: StateFiles;
  render: RenderFile;
  log: Logger;
  /** Salt's option `state_auto_order`. */
  autoOrder: boolean;
}

/** Data that all files of one reading share. */
interface Reading {
  matches: Matches;
  /** `base:a` for each file that was rendered, so that no file is rendered twice. */
  done: Set<string>;
  /** Path → how many includes of it are being read, one inside the other. */
  open: Map<string, number>;
  order: AutoOrder;
}

/** Names under which a file may include itself: to `.` in `a/init.sls` there is no end, `a.`, `a..`, … */
const MOST_NAMES = 8;

interface Read {
  /** The declarations of an SLS and all its includes; another kind of value if the file does not render to a map. */
  state: unknown;
  errors: string[];
}

/** The SLS files that an include names, or the error. */
type Resolved = { saltenv: string; names: string[] } | { error: string };

/**
 * Renders SLS files with all their includes, and merges them. An error in one file is noted, and the other files are still
 * read.
 *
 * @see salt/state.py BaseHighState.render_highstate, render_state
 */
export class SlsReader {
  readonly #options: SlsReaderOptions;

  constructor(options: SlsReaderOptions) {
    this.#options = options;
  }

  /**
   * @returns high data as rendered, with `__extend__` and `__exclude__`; the errors in Salt's words; and the names of the rendered
   * files
   */
  async read(matches: Matches): Promise<{ high: OpenHigh; errors: string[]; files: string[] }> {
    const { autoOrder } = this.#options;
    const reading: Reading = { matches, done: new Set(), open: new Map(), order: new AutoOrder() };
    const high: OpenHigh = new OrderedMap();
    const all: string[] = [];
    for (const [saltenv, names] of matches) {
      for (const name of names) {
        if (typeof name !== "string") {
          all.push(`SLS ${repr(name)} in saltenv ${saltenv} is not formed as a string. It may need to be quoted.`);
          continue;
        }
        const { found, error } = await this.#find(saltenv, name);
        if (error !== undefined) all.push(error);
        for (const sls of found.length === 0 ? [name] : found) {
          if (reading.done.has(`${saltenv}:${sls}`)) continue;
          const { state, errors } = await this.#readSls(sls, saltenv, reading, autoOrder);
          if (state instanceof Map) merge(high, state, errors);
          else if (truthy(state)) errors.push(`Error when rendering state with contents: ${str(state)}`);
          all.push(...errors.map((text) => notFound(text, name, saltenv)));
        }
      }
    }
    withoutRepeatedExtensions(high);
    return { high, errors: all, files: [...reading.done].map((name) => name.slice(name.indexOf(":") + 1)) };
  }

  async #find(saltenv: string, glob: string): Promise<{ found: string[]; error?: string }> {
    const { files } = this.#options;
    if (await files.has(saltenv)) return { found: await files.matching(saltenv, glob) };
    if (await files.has("__env__")) return { found: await files.matching("__env__", glob) };
    return { found: [], error: `No matching salt environment for environment '${saltenv}' found` };
  }

  async #readSls(sls: string, saltenv: string, reading: Reading, autoOrder: boolean): Promise<Read> {
    const { files } = this.#options;
    const errors: string[] = [];
    const file = await files.fetchSls(sls, saltenv);
    if (file === undefined) {
      errors.push(
        `Specified SLS ${sls} in saltenv ${saltenv} is not available on the salt master or through a configured fileserver`,
      );
      return { state: undefined, errors };
    }
    const { path } = file;
    const open = reading.open.get(path) ?? 0;
    if (open === MOST_NAMES) {
      errors.push(`SLS '${saltenv}:${sls}' includes itself under ever longer names: its include of '.' names itself`);
      return { state: undefined, errors };
    }
    reading.open.set(path, open + 1);
    try {
      return await this.#readFile(file, reading, autoOrder, errors);
    } finally {
      reading.open.set(path, open);
    }
  }

  async #readFile(file: FetchedSls, reading: Reading, autoOrder: boolean, errors: string[]): Promise<Read> {
    const { log } = this.#options;
    const { sls, saltenv } = file;
    const state = await this.#render(file, errors);
    reading.done.add(`${saltenv}:${sls}`);
    if (!truthy(state)) return { state: undefined, errors };
    if (!(state instanceof Map)) {
      errors.push(`SLS ${sls} does not render to a dictionary`);
      return { state, errors };
    }
    const include = takeInclude(state, file, errors);
    takeExtend(state, file, errors);
    takeExclude(state, file, errors);
    normaliseDeclarations(state, { plain: `SLS ${sls}`, quoted: `SLS '${sls}'` }, file, errors);
    for (const item of include) {
      const resolved = await this.#resolve(item, file, reading);
      if ("error" in resolved) {
        log.error("include of an SLS cannot be followed", { sls, saltenv, error: resolved.error });
        errors.push(resolved.error);
        continue;
      }
      for (const name of resolved.names) {
        if (reading.done.has(`${resolved.saltenv}:${name}`)) continue;
        const included = await this.#readSls(name, resolved.saltenv, reading, autoOrder);
        if (included.state instanceof Map) merge(state, included.state, errors);
        errors.push(...included.errors);
      }
    }
    if (autoOrder) reading.order.number(state);
    return { state, errors };
  }

  async #render(file: FetchedSls, errors: string[]): Promise<unknown> {
    const { sls, saltenv } = file;
    try {
      return opened(await this.#options.render(file));
    } catch (error) {
      this.#options.log.critical("SLS cannot be rendered", { sls, saltenv, error: messageOf(error) });
      errors.push(
        error instanceof RenderError && !error.isForeign
          ? `Rendering SLS '${saltenv}:${sls}' failed: ${error.text}`
          // Here Salt appends a traceback.
          : `Rendering SLS ${sls} failed, render error: ${
            error instanceof RenderError ? error.text : messageOf(error)
          }\n`,
      );
      return undefined;
    }
  }

  /** The files that one entry of `include` names. */
  async #resolve(item: unknown, { sls, saltenv, name: file }: FetchedSls, { matches }: Reading): Promise<Resolved> {
    const { files } = this.#options;
    const [key, given] = item instanceof Map ? [...item].at(-1) ?? [] : [saltenv, item];
    const where = `'${saltenv}:${sls}'`;
    if (typeof key !== "string" || typeof given !== "string") {
      return { error: `Include ${repr(item)} in SLS ${where} is neither a name nor an environment with a name` };
    }
    if (!await files.has(key) && !await files.has("__env__")) {
      return { error: `Nonexistent saltenv '${key}' found in include of '${given}' within SLS ${where}` };
    }
    let wanted = given;
    if (given.startsWith(".")) {
      const [, dots = "", rest = ""] = /^(\.+)(.*)$/s.exec(given)!;
      const parts = sls.split(".");
      if (`/${file}`.endsWith("/init.sls")) parts.push("init");
      if (dots.length > parts.length) {
        return {
          error: `Attempted relative include of '${given}' within SLS ${where} goes beyond top level package `,
        };
      }
      wanted = [...parts.slice(0, -dots.length), rest].join(".");
    }
    const environments = key === "_xenv"
      ? await this.#environmentsWith([...matches.keys()], wanted)
      : matches.has(key) || (await files.matching(key, wanted)).length > 0
      ? [key]
      : [];
    if (environments.length !== 1 && !environments.includes(saltenv)) {
      const listed = key === "_xenv" ? [...matches.keys()].join(", ") : key;
      return {
        error: environments.length === 0
          ? `Unknown include: Specified SLS ${key}: ${wanted} is not available on the salt master in saltenv(s): ${listed} `
          : `Ambiguous include: Specified SLS ${key}: ${wanted} is available on the salt master in multiple available ` +
            `saltenvs: ${environments.join(", ")}`,
      };
    }
    // As in Salt, a glob matches names of this file's environment, whichever environment the files are then read from.
    const names = await files.matching(saltenv, wanted);
    return {
      saltenv: environments.length === 1 ? environments[0]! : saltenv,
      names: names.length === 0 ? [wanted] : names,
    };
  }

  async #environmentsWith(environments: readonly string[], glob: string): Promise<string[]> {
    const found: string[] = [];
    for (const env of environments) if ((await this.#options.files.matching(env, glob)).length > 0) found.push(env);
    return found;
  }
}

/** The error for a missing SLS named by the top file or the call; other errors stay as they are. */
function notFound(text: string, name: string, saltenv: string): string {
  return text.includes("is not available") && text.includes(`SLS ${name} in saltenv`)
    ? `No matching sls found for '${name}' in env '${saltenv}'`
    : text;
}

/** Merges the states of a file into the high data. @see salt/state.py BaseHighState.merge_included_states */
function merge(high: OpenHigh, state: OpenHigh, errors: string[]): void {
  for (const key of ["__extend__", "__exclude__"] as const) {
    const list = state.get(key);
    if (Array.isArray(list)) appendTo(high, key, list);
    state.delete(key);
  }
  const place = (body: unknown) =>
    body instanceof Map ? `${str(body.get("__env__"))}:${str(body.get("__sls__"))}` : "None:None";
  for (const [id, body] of state) {
    const known = high.get(id);
    if (known !== undefined && known !== body && !equal(known, body)) {
      errors.push(
        "Detected conflicting IDs, SLS IDs need to be globally unique.\n    The conflicting ID is " +
          `'${str(id)}' and is found in SLS '${place(known)}' and SLS '${place(body)}'`,
      );
    }
    high.set(id, body);
  }
}

/** Splits extensions into one entry each, without duplicates. @see salt/state.py BaseHighState.clean_duplicate_extends */
function withoutRepeatedExtensions(high: OpenHigh): void {
  const extensions = high.get("__extend__");
  if (!Array.isArray(extensions)) return;
  const seen = new Set<string>();
  const kept: Map<unknown, unknown>[] = [];
  for (const [id, body] of extensions.flatMap((extension) => [...extension as Map<unknown, unknown>])) {
    const text = repr([id, body]);
    if (!seen.has(text)) kept.push(new Map([[id, body]]));
    seen.add(text);
  }
  high.set("__extend__", kept);
}

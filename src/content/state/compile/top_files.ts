import { messageOf, SaltError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { repr, str, truthy, typeName } from "../../../language/python/values.ts";
import { RenderError } from "../../../language/render/render_error.ts";
import { opened } from "./high.ts";
import type { RenderFile } from "./sls_reader.ts";
import type { FetchedSls, StateFiles } from "./state_files.ts";

/** Merged top files: environment → target → maps such as `{match: grain}` and names of SLS files. */
export type Top = Map<unknown, Map<unknown, unknown>>;

/** Environment → its top files, as rendered. */
type Tops = Map<string, Map<unknown, unknown>[]>;

/** Top files that cannot be used. */
export class TopFileError extends SaltError {
  /**
   * True for an error that Salt reports as one of rendering: a highstate then returns one failed entry instead of a list of
   * errors.
   */
  readonly isRender: boolean;

  constructor(message: string, options: { isRender?: boolean; cause?: unknown } = {}) {
    const { isRender = false, cause } = options;
    super("TOP_FILE", message, { cause });
    this.isRender = isRender;
  }
}

export interface TopFileOptions {
  /** Path of top files below the roots: Salt's `state_top`. */
  top: string;
  /** The only environment of the minion or the call; undefined for all environments. */
  saltenv: string | undefined;
  /** Salt's `state_top_saltenv`: the only environment whose top file counts. */
  topSaltenv: string | undefined;
  /** Salt's `top_file_merging_strategy`. */
  strategy: string;
  /** Salt's `default_top`: with the strategy `same`, environments without a top file use the one of this environment. */
  defaultTop: string | undefined;
}

interface TopReaderOptions {
  files: StateFiles;
  render: RenderFile;
  log: Logger;
  options: TopFileOptions;
}

/**
 * Reads and merges the top files, with their includes, of all environments that count. The top is empty without a top file, or
 * with one that does not render.
 *
 * @throws {TopFileError} for data that is not environment → target → list
 * @see salt/state.py BaseHighState.get_top
 */
export async function readTop(reader: TopReaderOptions): Promise<Top> {
  const { log, options } = reader;
  const { strategy, saltenv, defaultTop } = options;
  if (strategy === "same" && saltenv === undefined && defaultTop === undefined) {
    log.error("top_file_merging_strategy is same, but default_top is not set: set it to an environment");
    return new Map();
  }
  let tops: Tops;
  try {
    tops = await readTops(reader);
  } catch (error) {
    if (!(error instanceof RenderError) || error.isForeign) throw asTopError(error);
    log.error("top file cannot be rendered", { error: messageOf(error) });
    return new Map();
  }
  if (!Object.hasOwn(STRATEGIES, strategy)) {
    log.warning("unknown top_file_merging_strategy: merge is used instead", { strategy });
  }
  return (STRATEGIES[strategy] ?? mergeByBase)(tops, defaultTop ?? "base", log);
}

function asTopError(error: unknown): TopFileError {
  if (error instanceof TopFileError) return error;
  const text = error instanceof RenderError ? error.text : messageOf(error);
  return new TopFileError(`Rendering top file failed, render error: ${text}`, { cause: error });
}

async function readTops({ files, render, log, options }: TopReaderOptions): Promise<Tops> {
  const { top, saltenv, topSaltenv } = options;
  const tops: Tops = new Map();
  const read = async (file: FetchedSls): Promise<Map<unknown, unknown>> => {
    const data = opened(await render({ ...file, sls: "" }));
    if (data instanceof Map) return data;
    if (!truthy(data)) return new Map();
    throw new TopFileError(
      `Top data was not formed as a dict: ${file.name} in saltenv ${file.saltenv} is a ${typeName(data)}`,
    );
  };
  const only = saltenv ?? topSaltenv;
  for (const env of only === undefined ? await files.environments() : [only]) {
    const file = await files.fetchFile(top, "", env);
    tops.set(env, [file === undefined ? new Map() : await read(file)]);
  }
  for (const [env, list] of tops) {
    const [first] = list;
    const include = first!.get("include");
    first!.delete("include");
    const done = new Set<string>();
    for (const glob of Array.isArray(include) ? include : []) {
      for (const sls of await files.matching(env, str(glob))) {
        if (done.has(sls)) continue;
        done.add(sls);
        const file = await files.fetchSls(sls, env);
        if (file === undefined) log.error("top file not found", { include: sls, saltenv: env });
        else list.push(await read(file));
      }
    }
  }
  return tops;
}

type Strategy = (tops: Tops, defaultTop: string, log: Logger) => Top;

const isEmpty = (tops: readonly Map<unknown, unknown>[]) => tops.every((top) => top.size === 0);

/** The targets of an environment. @throws {TopFileError} for a value that is not a map or an empty list */
function targetsOf(targets: unknown): Map<unknown, unknown> {
  if (targets instanceof Map) return targets;
  if (Array.isArray(targets) && targets.length === 0) return new Map();
  throw new TopFileError("Unable to render top file. No targets found.", { isRender: true });
}

function add(top: Top, saltenv: unknown, targets: unknown): void {
  for (const [tgt, names] of targetsOf(targets)) {
    const known = top.get(saltenv) ?? new Map();
    known.set(tgt, names);
    top.set(saltenv, known);
  }
}

/**
 * The strategy `merge`: the top file of base wins. Another top file counts only for its own environment, if base does not list
 * that.
 */
function mergeByBase(tops: Tops): Top {
  const top: Top = new Map();
  for (const file of tops.get("base") ?? []) {
    for (const [saltenv, targets] of file) if (saltenv !== "include") add(top, saltenv, targets);
  }
  for (const [own, files] of tops) {
    if (own === "base") continue;
    for (const file of files) if (file.has(own) && !top.has(own)) add(top, own, file.get(own));
  }
  return top;
}

/** The strategy `same`: each environment uses its own top file, or that of `default_top` if it has none. */
function mergeSame(tops: Tops, defaultTop: string, log: Logger): Top {
  const top: Top = new Map();
  for (const [own, files] of tops) {
    const used = isEmpty(files) ? tops.get(defaultTop) ?? [] : files;
    if (isEmpty(used)) log.error("neither saltenv nor default_top has a top file", { saltenv: own, defaultTop });
    for (const file of used) if (own !== "include" && file.has(own)) add(top, own, file.get(own));
  }
  return top;
}

/** The strategy `merge_all`: all top files count. The names of a target in several files are joined. */
function mergeAll(tops: Tops): Top {
  const top: Top = new Map();
  for (const file of [...tops.values()].flat()) {
    for (const [saltenv, targets] of file) {
      if (saltenv === "include") continue;
      for (const [tgt, names] of targetsOf(targets)) {
        const known = top.get(saltenv);
        add(top, saltenv, new Map([[tgt, known?.has(tgt) ? mergeTargets(known.get(tgt), names) : names]]));
      }
    }
  }
  return top;
}

function mergeTargets(a: unknown, b: unknown): unknown[] {
  const [first, second] = [a, b].map((names) => {
    if (!Array.isArray(names)) {
      throw new TopFileError("Unable to render top file. No targets found.", { isRender: true });
    }
    return {
      match: names.findLast((one) => one instanceof Map),
      names: names.filter((one) => typeof one === "string"),
    };
  });
  const match = second!.match ?? first!.match;
  const merged: unknown[] = [...match === undefined ? [] : [match], ...first!.names];
  for (const name of second!.names) if (!merged.includes(name)) merged.push(name);
  return merged;
}

const STRATEGIES: Record<string, Strategy> = { merge: mergeByBase, same: mergeSame, merge_all: mergeAll };

/** The errors in merged top files, in Salt's words. @see salt/state.py BaseHighState.verify_tops */
export function verifyTop(top: Top): string[] {
  const errors: string[] = [];
  for (const [saltenv, targets] of top) {
    if (typeof saltenv !== "string") errors.push(`Environment ${str(saltenv)} in top file is not formed as a string`);
    if (saltenv === "") errors.push("Empty saltenv statement in top file");
    for (const [tgt, names] of targets) {
      if (!Array.isArray(names)) {
        errors.push(
          `Malformed topfile: state declarations for matcher ${repr(tgt)} in saltenv ${repr(saltenv)} ` +
            `are not formed as a list (got ${typeName(names)})`,
        );
        continue;
      }
      for (const name of names) {
        if (name === "") errors.push(`Environment ${str(saltenv)} contains an empty sls index`);
        if (!(name instanceof Map)) continue;
        for (const value of name.values()) {
          if (!truthy(value)) {
            errors.push(`Improperly formatted top file matcher in saltenv ${str(name)}: ${str(value)} file`);
          }
        }
      }
    }
  }
  return errors;
}

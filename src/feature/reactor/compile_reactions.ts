import { messageOf } from "../../base/errors.ts";
import { fnmatch } from "../../model/event/tag.ts";
import type { Files } from "../../model/loader/family.ts";
import { type Rendering, templateText } from "../../model/loader/rendering.ts";
import type { LowChunk } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";
import { RenderError } from "../../language/render/render_error.ts";
import { lowChunksOf } from "../../content/state/compile/low_chunks.ts";
import { type OpenHigh, openHigh } from "../../content/state/compile/high.ts";
import { verifyHigh } from "../../content/state/compile/verify_high.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { reactionFiles } from "./reaction_files.ts";

/** One reaction of an event, with unchecked arguments. */
export interface Reaction {
  id: string;
  /** The file of the reaction, and the line of its id, if the id is in the file literally. */
  sls: string;
  line: number | undefined;
  chunk: LowChunk;
}

interface ReactionProblem {
  /** The file with the problem, or the reference that no file was found for. */
  sls: string;
  line?: number | undefined;
  message: string;
}

export interface Reactions {
  reactions: Reaction[];
  problems: ReactionProblem[];
}

interface CompileReactionsHost {
  fs: FileSystem;
  files: Pick<Files, "fetch">;
  rendering: Pick<Rendering, "renderSls">;
}

/**
 * Renders SLS files for one event: templates see `tag` and `data`. A file that cannot be rendered is left out. If the data of the other
 * files is malformed, nothing reacts, as in Salt.
 *
 * @param references the files, as in the option `reactor`
 */
export async function compileReactions(
  host: CompileReactionsHost,
  event: { tag: string; data: unknown },
  references: readonly string[],
): Promise<Reactions> {
  const problems: ReactionProblem[] = [];
  const high: OpenHigh = new Map();
  const sources = new Map<string, string>();
  for (const reference of references) {
    const paths = await reactionFiles(reference, host.files, host.fs).catch((error) => {
      problems.push({ sls: reference, message: messageOf(error) });
      return undefined;
    });
    if (paths?.length === 0) problems.push({ sls: reference, message: "file missing or not found" });
    for (const path of paths ?? []) {
      try {
        const source = templateText(host.fs.read(path), path);
        sources.set(path, source);
        for (const [id, body] of await renderOne(host, path, source, event)) high.set(id, body);
      } catch (error) {
        problems.push(problemOf(path, error));
      }
    }
  }
  if (high.size === 0) return { reactions: [], problems };
  const errors = verifyHigh(high);
  if (errors.length > 0) {
    const sls = [...sources.keys()].join(", ");
    return { reactions: [], problems: [...problems, ...errors.map((message) => ({ sls, message }))] };
  }
  try {
    const reactions = lowChunksOf(high).map((chunk) => {
      const [id, sls] = [str(chunk.__id__), str(chunk.__sls__)];
      return { id, sls, line: lineOf(sources.get(sls) ?? "", id), chunk };
    });
    return { reactions, problems };
  } catch (error) {
    return {
      reactions: [],
      problems: [...problems, { sls: [...sources.keys()].join(", "), message: messageOf(error) }],
    };
  }
}

/** Renders the high data of one file, each id with the name of the file. */
async function renderOne(
  { rendering }: CompileReactionsHost,
  path: string,
  source: string,
  { tag, data }: { tag: string; data: unknown },
): Promise<OpenHigh> {
  if (source.trim() === "") return new Map();
  const rendered = await rendering.renderSls({
    path,
    name: path,
    sls: "",
    saltenv: "base",
    source,
    context: { tag, data },
  });
  if (!truthy(rendered)) return new Map();
  const high = openHigh(rendered as Map<unknown, unknown>);
  if (!(high instanceof Map)) throw new RenderError(path, "it does not render to a map of reactions");
  padFunctions(high);
  for (const [id, body] of high) {
    if (!(body instanceof Map)) {
      throw new RenderError(path, `the reaction ${str(id)} is not formed as a map`, placeOf(source, str(id)));
    }
    body.set("__sls__", path);
  }
  return high;
}

/** Converts `{local.state.apply: […]}` to `{local: […, "state.apply"]}`. @see salt/state.py Compiler.pad_funcs */
function padFunctions(high: OpenHigh): void {
  for (const [id, body] of high) {
    if (typeof body === "string" && body.includes(".")) {
      const [type, fun] = split(body);
      high.set(id, new Map([[type, [fun]]]));
    } else if (body instanceof Map) {
      const types = new Set<string>();
      for (const key of [...body.keys()].filter((key) => typeof key === "string").sort()) {
        const run = body.get(key);
        if (key.startsWith("_") || !Array.isArray(run)) continue;
        const [type, fun] = split(key);
        if (fun !== undefined) {
          if (types.has(type)) continue;
          body.delete(key);
          body.set(type, [...run, fun]);
        }
        types.add(type);
      }
    }
  }
}

function split(name: string): [type: string, fun: string | undefined] {
  const at = name.indexOf(".");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function problemOf(path: string, error: unknown): ReactionProblem {
  if (error instanceof RenderError) return { sls: path, line: error.line, message: error.message };
  return { sls: path, message: messageOf(error) };
}

const placeOf = (source: string, id: string) => {
  const line = lineOf(source, id);
  return line === undefined ? {} : { line };
};

/** The line of an id; undefined if a template has made the id. */
function lineOf(source: string, id: string): number | undefined {
  const wanted = [`${id}:`, `"${id}":`, `'${id}':`];
  const at = source.split("\n").findIndex((line) => wanted.some((start) => line.startsWith(start)));
  if (at >= 0) return at + 1;
  return templatedLine(source, id);
}

/** The line of an id with expressions in it: `restart_{{ data.id }}:` of `restart_web1`. */
function templatedLine(source: string, id: string): number | undefined {
  const at = source.split("\n").findIndex((line) => {
    const [, start] = /^["']?(\S.*\{\{.*\S)["']?:\s*$/.exec(line) ?? /^["']?(\{\{.*\}\}\S*)["']?:\s*$/.exec(line) ?? [];
    return start !== undefined && fnmatch(start.replace(/[*?[]/g, "?").replace(/\{\{.*?\}\}/g, "*"))(id);
  });
  return at < 0 ? undefined : at + 1;
}

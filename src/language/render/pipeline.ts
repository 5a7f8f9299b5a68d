import type { Renderer, RendererTable, RenderJob } from "./renderer.ts";
import { RenderError } from "./render_error.ts";

/** One part of a pipeline as it is written. */
export interface PipelinePart {
  name: string;
  argline: string;
}

/** Renderers of Salt that run Python: their files have to be written otherwise. */
export const PYTHON_RENDERERS: readonly string[] = ["cheetah", "genshi", "mako", "py", "pydsl", "pyobjects", "wempy"];
/** Other renderers of Salt that are not here. A file of theirs must not be taken for one without states. */
const ABSENT_RENDERERS = [
  "aws_kms",
  "dson",
  "hjson",
  "json5",
  "msgpack",
  "nacl",
  "pass",
  "stateconf",
  "yamlex",
];

/** What to do in place of one of Salt's renderers that is not available here; undefined for a name that Salt does not have either. */
export function insteadOfRenderer(name: string, known: readonly string[]): string | undefined {
  if (PYTHON_RENDERERS.includes(name)) {
    return "it runs Python. Write the file for jinja, and the computation as a custom execution module or as a custom " +
      "renderer in _renderers. In states, #!js and #!ts work too";
  }
  if (name === "js" || name === "ts") {
    return "it runs code, as SLS files of states may. Use a custom renderer of the master, or an external pillar";
  }
  return ABSENT_RENDERERS.includes(name) ? `expected one of ${known.join(", ")}` : undefined;
}

/** Names of pipelines from before there were pipelines: `#!yaml_jinja`. */
const OLD_NAMES = /^(yaml|json|yamlex)_(jinja|mako|wempy)$/;

/** The parts of `jinja|yaml`, `jinja -s | yaml` or the older `yaml_jinja`. */
export function parsePipeline(text: string): PipelinePart[] {
  const [, format, template] = OLD_NAMES.exec(text.trim()) ?? [];
  const whole = format === undefined ? text : `${template}|${format}`;
  return whole.split("|").map((part) => {
    const [, name = "", argline = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(part)!;
    return { name, argline };
  });
}

/** The pipeline that a file asks for in its first line (`#!jinja|yaml`, but not `#!/bin/sh`), or the default. */
export function pipelineOf(text: string, fallback: string): PipelinePart[] {
  const [, own] = /^#!(?!\/)([^\n]*)/.exec(text) ?? [];
  return parsePipeline(own ?? fallback);
}

export interface PipelineOptions {
  renderers: RendererTable;
  /** Renderers over those, asked for before each text. @default none */
  custom?(): RendererTable;
  /** Salt's option `renderer`. @default "jinja|yaml" */
  fallback?: string;
  /** Names that may be used; others are left out. @default all */
  whitelist?: readonly string[];
  /** Names that are left out. @default none */
  blacklist?: readonly string[];
}

/** Makes data of the text of a file. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #loaded = new Map<string, Promise<Renderer>>();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /**
   * Renders a text to data; an empty text is an empty map. So is one that asks for a renderer that nobody knows, as in Salt: that
   * is logged.
   *
   * @param fallback the pipeline of a text that names none, where it is not the usual one
   * @throws {RenderError} naming the file, and line and column where they are known
   */
  async render(text: string, job: Omit<RenderJob, "argline">, fallback?: string): Promise<unknown> {
    if (text.trim() === "") return {};
    const custom = this.#options.custom?.() ?? {};
    const pipe = this.#pipe(text, job, { ...this.#options.renderers, ...custom }, fallback);
    if (pipe.length === 0) return {};
    let data: unknown = text;
    for (const { name, argline } of pipe) {
      const renderer = await (Object.hasOwn(custom, name) ? custom[name]!() : this.#renderer(name));
      data = await renderer(data, { ...job, argline });
    }
    // Jinja makes all ends of lines alike.
    return typeof data === "string" && text.includes("\r\n") && !data.includes("\r\n")
      ? data.replaceAll("\n", "\r\n")
      : data;
  }

  /** A renderer by its name; undefined if there is none. */
  async rendererNamed(name: string): Promise<Renderer | undefined> {
    const custom = this.#options.custom?.() ?? {};
    if (Object.hasOwn(custom, name)) return await custom[name]!();
    return Object.hasOwn(this.#options.renderers, name) ? await this.#renderer(name) : undefined;
  }

  /** The renderers of a text, all of them there; none if one of them is unknown. */
  #pipe(
    text: string,
    { path, log }: Pick<RenderJob, "path" | "log">,
    renderers: RendererTable,
    fallback?: string,
  ): PipelinePart[] {
    const pipe: PipelinePart[] = [];
    for (const part of pipelineOf(text, fallback ?? this.#options.fallback ?? "jinja|yaml")) {
      const { name } = part;
      if (!this.#allows(name)) {
        log.warning("renderer is disallowed by configuration and left out", { renderer: name, path });
      } else if (Object.hasOwn(renderers, name)) pipe.push(part);
      else {
        const instead = insteadOfRenderer(name, Object.keys(renderers));
        if (instead !== undefined) {
          throw new RenderError(path, `renderer ${name} is not available here: ${instead}`, { line: 1 });
        }
        log.error("file is left empty: it asks for a renderer that nobody knows", { renderer: name, path });
        return [];
      }
    }
    return pipe;
  }

  #allows(name: string): boolean {
    const { whitelist = [], blacklist = [] } = this.#options;
    return (whitelist.length === 0 || whitelist.includes(name)) && !blacklist.includes(name);
  }

  #renderer(name: string): Promise<Renderer> {
    let found = this.#loaded.get(name);
    if (found === undefined) this.#loaded.set(name, found = this.#options.renderers[name]!());
    return found;
  }
}

import type { Renderer, RendererTable, RenderJob } from "./renderer.ts";
import { RenderError } from "./render_error.ts";

/** One part of a pipeline: a renderer and its arguments. */
interface PipelinePart {
  name: string;
  argline: string;
}

/** Salt's renderers that run Python: their files have to be rewritten. */
export const PYTHON_RENDERERS: readonly string[] = ["cheetah", "genshi", "mako", "py", "pydsl", "pyobjects", "wempy"];
/** Other renderers of Salt that Brine does not have. A file for one of them must not count as a file without states. */
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

/** The advice for one of Salt's renderers that Brine does not have; undefined for a name that Salt does not have either. */
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

/** Salt's oldest names for pipelines: `#!yaml_jinja`. */
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

interface PipelineOptions {
  renderers: RendererTable;
  /** Returns custom renderers, which take precedence; called before each text. @default none */
  custom?(): RendererTable;
  /** Salt's option `renderer`. @default "jinja|yaml" */
  fallback?: string;
  /** The renderers that may be used. @default all */
  whitelist?: readonly string[];
  /** The renderers that may not be used. @default none */
  blacklist?: readonly string[];
}

/** Renders the text of a file to data. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #loaded = new Map<string, Promise<Renderer>>();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /**
   * Renders a text to data; an empty text is an empty map. As in Salt, a text that names an unknown renderer is an empty map as well,
   * which is logged.
   *
   * @param fallback the pipeline of a text that names none. @default the pipeline's own fallback
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
    // Jinja converts all line ends to line feeds: CRLF is restored.
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

  /** The renderers of a text; undefined if one of them is unknown. */
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

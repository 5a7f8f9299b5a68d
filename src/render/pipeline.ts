import type { Renderer, RendererTable, RenderJob } from "./renderer.ts";
import { RenderError } from "./render_error.ts";

/** One part of a pipeline as it is written. */
export interface PipelinePart {
  name: string;
  argline: string;
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
   * Renders a text to data; an empty text is an empty map.
   *
   * @param fallback the pipeline of a text that names none, where it is not the usual one
   * @throws {RenderError} naming the file, and line and column where they are known
   */
  async render(text: string, job: Omit<RenderJob, "argline">, fallback?: string): Promise<unknown> {
    if (text.trim() === "") return {};
    let data: unknown = text;
    for (const { name, argline } of pipelineOf(text, fallback ?? this.#options.fallback ?? "jinja|yaml")) {
      if (!this.#allows(name)) {
        job.log.warning("renderer is disallowed by configuration and left out", { renderer: name, path: job.path });
        continue;
      }
      const renderer = await this.#renderer(name, job.path);
      data = await renderer(data, { ...job, argline });
    }
    return data;
  }

  #allows(name: string): boolean {
    const { whitelist = [], blacklist = [] } = this.#options;
    return (whitelist.length === 0 || whitelist.includes(name)) && !blacklist.includes(name);
  }

  #renderer(name: string, path: string): Promise<Renderer> {
    const { renderers } = this.#options;
    let found = this.#loaded.get(name);
    if (found === undefined) {
      if (!Object.hasOwn(renderers, name)) {
        throw new RenderError(
          path,
          `renderer ${name === "" ? '""' : name} is not available here: expected one of ${
            Object.keys(renderers).join(", ")
          }`,
          { line: 1 },
        );
      }
      this.#loaded.set(name, found = renderers[name]!());
    }
    return found;
  }
}

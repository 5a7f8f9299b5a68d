import type { Logger } from "../log.ts";

/** What is rendered, and what templates may see of it. */
export interface RenderJob {
  /** The file, for messages. */
  path: string;
  /** The name that the file goes by, `web.nginx`; empty for a top file. */
  sls: string;
  saltenv: string;
  /** The words behind the renderer's name: `-s` of `#!jinja -s|yaml`. */
  argline: string;
  /** Names that templates see: `grains`, `pillar`, `opts`, `salt`, the `defaults` of an include. */
  globals: Readonly<Record<string, unknown>>;
  log: Logger;
}

/**
 * One part of a pipeline: makes text or data of what the part before it made, which for the first is the text of the file.
 * The data may be cached for the same text: it must not be changed.
 *
 * @throws {RenderError} naming the place
 */
export type Renderer = (input: unknown, job: RenderJob) => unknown;

/** Renderers by name → how to load each. */
export type RendererTable = Record<string, () => Promise<Renderer>>;

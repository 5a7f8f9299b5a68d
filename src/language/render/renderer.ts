import type { Lazy, Limits } from "../jinja/mod.ts";
import type { Logger } from "../../base/log.ts";
import type { GpgOptions } from "./gpg_options.ts";
import type { TemplateLoader } from "./jinja/environment.ts";
import type { FunctionTable } from "./jinja/salt_functions.ts";

/** What is rendered, and what templates may see of it. */
export interface RenderJob {
  /** The file, for messages. */
  path: string;
  /** The name that the file goes by, `web.nginx`; empty for a top file; absent for a template that is none of these. */
  sls?: string;
  saltenv: string;
  /** The words behind the renderer's name: `-s` of `#!jinja -s|yaml`. */
  argline: string;
  /** Names that templates see, made when they are used if they are `Lazy`: `grains`, `pillar`, `opts`, `salt`, the `defaults` of an include. */
  globals: Readonly<Record<string, unknown>>;
  /** `grains`, `pillar` and `opts` as code gets them: with objects for maps. @default none */
  plain?: Readonly<Record<"grains" | "pillar" | "opts", Lazy>>;
  log: Logger;
  /** The file's path below the roots, `a/init.sls`. @default made of `sls` */
  name?: string;
  /** Execution functions that templates may call. @default none */
  functions?: FunctionTable;
  /** Names that go over all others: the `context` of a call. */
  context?: Readonly<Record<string, unknown>>;
  /** Finds templates that are imported and included. @default none are found */
  load?: TemplateLoader;
  /** `load` finds all of them: the whole path of a file of this host is none. @default false */
  confined?: boolean;
  /** Jinja2's options: Salt's `jinja_env` or `jinja_sls_env`. */
  jinjaOptions?: Readonly<Record<string, unknown>>;
  /** Salt's option `allow_undefined`. @default false */
  allowUndefined?: boolean;
  /** How `gpg` decrypts. @default it does not */
  gpg?: GpgOptions;
  /** What one render may take. */
  limits?: Limits;
  /** Names of some values' types in error messages: Salt's pillar has one of its own. */
  typeNames?: WeakMap<object, string>;
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

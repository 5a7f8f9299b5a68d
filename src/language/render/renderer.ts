import type { Lazy, Limits } from "../jinja/mod.ts";
import type { Logger } from "../../base/log.ts";
import type { TemplateAdditions } from "./jinja/additions.ts";
import type { TemplateLoader } from "./jinja/environment.ts";
import type { TemplateFunctionTable } from "./jinja/salt_functions.ts";
import { str, truthy } from "../python/values.ts";

interface GpgOptions {
  home: string;
  /** True if a value that cannot be decrypted is an error; otherwise it stays unchanged. */
  mustSucceed: boolean;
}

/** Salt's options `gpg_keydir`, or `gpgkeys` beside the configuration file, and `gpg_decrypt_must_succeed`. */
export function gpgOptionsOf(opts: Record<string, unknown>): GpgOptions {
  const { gpg_keydir: given, conf_file: file, gpg_decrypt_must_succeed: must } = opts;
  const beside = str(file ?? "").replace(/\/[^/]*$/, "");
  return { home: truthy(given ?? "") ? str(given) : `${beside}/gpgkeys`, mustSucceed: truthy(must ?? false) };
}

/** One text to render, and the values for its templates. */
export interface RenderJob {
  path: string;
  /** The name of an SLS, such as `web.nginx`; empty for a top file; absent for any other template. */
  sls?: string;
  saltenv: string;
  /** The arguments after the renderer's name: `-s` of `#!jinja -s|yaml`. */
  argline: string;
  /** The names that templates see; `Lazy` ones are made at their first use: `grains`, `pillar`, `opts`, `salt`, the `defaults` of an include. */
  globals: Readonly<Record<string, unknown>>;
  /** The values `grains`, `pillar` and `opts` for code, with plain objects for maps. @default none */
  plain?: Readonly<Record<"grains" | "pillar" | "opts", Lazy>>;
  log: Logger;
  /** The file's path below the roots, `a/init.sls`. @default made of `sls` */
  name?: string;
  /** Execution functions that templates may call. @default none */
  functions?: TemplateFunctionTable;
  /** Filters, tests and globals that the modules of the host add. Called if the text has markup. @default none */
  additions?: (job: RenderJob) => TemplateAdditions | undefined;
  /** The `context` of a call: names that take precedence over all others. */
  context?: Readonly<Record<string, unknown>>;
  /** Finds templates that are imported and included. @default none are found */
  load?: TemplateLoader;
  /** True if only `load` finds templates, so that whole paths of this host are not read. @default false */
  confined?: boolean;
  /** Jinja2's options: Salt's `jinja_env` or `jinja_sls_env`. */
  jinjaOptions?: Readonly<Record<string, unknown>>;
  /** Salt's option `allow_undefined`. @default false */
  allowUndefined?: boolean;
  /** The settings of the renderer `gpg`. @default nothing is decrypted */
  gpg?: GpgOptions;
  limits?: Limits;
  /** Names of some values' types in error messages: Salt's pillar has one of its own. */
  typeNames?: WeakMap<object, string>;
}

/**
 * One part of a pipeline. Its input is the result of the previous part, or for the first part the text of the file.
 * The resulting data may be cached for the same text, so it must not be changed.
 *
 * @throws {RenderError} naming the place
 */
export type Renderer = (input: unknown, job: RenderJob) => unknown;

/** Renderers by name → how to load each. */
export type RendererTable = Record<string, () => Promise<Renderer>>;

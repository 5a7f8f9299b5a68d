/** Rendering for a job: SLS files, and the templates of files, commands and names. */
import { textsOf } from "../../language/python/given.ts";
import { SALT_MINION_DEFAULTS } from "../config/salt_defaults.ts";
import { entriesOf } from "../../language/python/containers.ts";
import type { AnyMap } from "../../language/python/containers.ts";
import { createRenderers } from "../../language/render/renderers.ts";
import { decryptionOf, decryptValue } from "../../language/render/decrypt.ts";
import { gpgOptionsOf } from "../../language/render/gpg_options.ts";
import { jinjaOptionsOf } from "../../language/render/jinja/options_of.ts";
import { Pipeline } from "../../language/render/pipeline.ts";
import type { Renderer, RendererTable, RenderJob } from "../../language/render/renderer.ts";
import { RenderError } from "../../language/render/render_error.ts";
import type { TemplateFile } from "../../language/render/jinja/environment.ts";
import { templateLimitsOf } from "../../language/render/jinja/limits_of.ts";
import { templateValues } from "../../language/render/host_values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { codeRenderers } from "./code_renderers.ts";
import type { JobContext } from "./context.ts";
import { customRenderers } from "./custom_renderers.ts";
import { findPython } from "./python/interpreter.ts";
import { jobTemplateFunctions } from "./template_functions.ts";

/** What a host has for rendering: a job's context, or as much of it as there is. */
export type RenderingHost = Pick<
  JobContext,
  "runtime" | "log" | "opts" | "grains" | "pillar" | "functions" | "call" | "files"
>;

/** An SLS or top file that is rendered. */
export interface SlsFile {
  /** Its copy on this host. */
  path: string;
  /** Its path below the roots: `a/init.sls`. */
  name: string;
  /** `a`; empty for a top file. */
  sls: string;
  saltenv: string;
  /** Its text. */
  source: string;
  /** Names that go over all others: the `defaults` of an include. */
  context?: Readonly<Record<string, unknown>>;
  /** The pipeline of a text that names none. @default the option `renderer` */
  renderer?: string;
}

/** A template that is not an SLS file. */
export interface Template {
  source: string;
  /** The file that it is from, for messages. @default "<template>" */
  path?: string;
  /** Salt's name of the engine: `jinja`. */
  engine: string;
  /** Where templates are imported from; empty text or undefined for nowhere. */
  saltenv?: string;
  /** Further names, below the host's own: `name`, `source`, `user`, `group`, `mode`. */
  names?: Readonly<Record<string, unknown>>;
  /** Names that go over all others, the `context` of a file. */
  context?: AnyMap | null;
  /** Those that are used where `context` says nothing. They go over the host's too. */
  defaults?: AnyMap | null;
}

/** Engines of Salt whose templates are Python. */
const PYTHON_ENGINES = ["cheetah", "genshi", "mako", "py", "wempy"];

/** What each runtime has loaded and compiled, for all of its jobs. */
const RENDERERS = new WeakMap<Runtime, RendererTable>();

function renderersOf(runtime: Runtime): RendererTable {
  let known = RENDERERS.get(runtime);
  if (known === undefined) {
    const loaded = new Map<string, Promise<Renderer>>();
    const once = ([name, load]: [string, () => Promise<Renderer>]): [string, () => Promise<Renderer>] => [name, () => {
      let renderer = loaded.get(name);
      if (renderer === undefined) loaded.set(name, renderer = load());
      return renderer;
    }];
    RENDERERS.set(runtime, known = Object.fromEntries(Object.entries(createRenderers(runtime)).map(once)));
  }
  return known;
}

/** True for an engine that a host can render templates with. */
export function isTemplateEngine(engine: unknown, { runtime, opts }: Pick<RenderingHost, "runtime" | "opts">): boolean {
  return engine === "jinja" || engine === "py" && findPython(runtime, opts) !== undefined;
}

/** Why templates of an engine cannot be rendered: Salt's words, and for engines that Salt has what to do instead. */
export function unsupportedEngine(engine: string): string {
  const problem = `Specified template format ${engine} is not supported`;
  if (!PYTHON_ENGINES.includes(engine)) return problem;
  return `${problem}: it runs Python. Write the template for jinja, and the computation as a custom execution module`;
}

type Values = ReturnType<typeof templateValues>;

/** The values of the last rendering with some options: those of a run of states are made for it. */
const lastValues = new WeakMap<object, { grains: unknown; pillar: unknown; values: Values }>();

/** Values for the templates of one run of states: hundreds of them, each in a rendering of its own, share one copy as in Salt. */
function valuesOfRun(host: RenderingHost): Values {
  const { opts, grains, pillar } = host;
  const last = lastValues.get(opts);
  if (last !== undefined && last.grains === grains && last.pillar === pillar) return last.values;
  const values = templateValues(host, SALT_MINION_DEFAULTS);
  lastValues.set(opts, { grains, pillar, values });
  return values;
}

/**
 * Renders the files of one job. Values of the host are copied once: what a template changes of them, those after it see.
 * Templates that are imported are fetched once.
 */
export class Rendering {
  readonly #host: RenderingHost;
  readonly #renderers: RendererTable;
  #opened: Pipeline | undefined;
  readonly #shared: Pick<
    RenderJob,
    "globals" | "plain" | "typeNames" | "functions" | "log" | "allowUndefined" | "limits" | "gpg"
  >;
  readonly #fetched = new Map<string, Promise<TemplateFile | undefined>>();

  /**
   * @param host with the options of its master, if templates of states are rendered: see `stateOptions`
   * @param isOfRun templates of one run of states share what they see. @default false
   */
  constructor(host: RenderingHost, { isOfRun = false } = {}) {
    const { runtime, opts, log } = host;
    this.#host = host;
    this.#renderers = renderersOf(runtime);
    const values = isOfRun ? valuesOfRun(host) : templateValues(host, SALT_MINION_DEFAULTS);
    this.#shared = {
      ...values,
      // Functions return values of the host itself. A template that changes one must not find it changed in its own names.
      functions: jobTemplateFunctions(host, () => Object.values(values.globals).forEach(({ value }) => value)),
      log,
      allowUndefined: opts.allow_undefined === true,
      limits: templateLimitsOf(opts),
      gpg: gpgOptionsOf(opts),
    };
  }

  /** Opened where data is rendered: a template of a file needs none. */
  get #pipeline(): Pipeline {
    if (this.#opened !== undefined) return this.#opened;
    const { opts } = this.#host;
    const custom = { ...codeRenderers(this.#host), ...customRenderers(this.#host) };
    return this.#opened = new Pipeline({
      renderers: this.#renderers,
      custom: () => custom,
      fallback: typeof opts.renderer === "string" && opts.renderer !== "" ? opts.renderer : "jinja|yaml",
      whitelist: textsOf(opts.renderer_whitelist),
      blacklist: textsOf(opts.renderer_blacklist),
    });
  }

  /**
   * Data of an SLS or top file.
   *
   * @throws {RenderError} in Salt's words
   */
  async renderSls({ source, renderer, ...file }: SlsFile): Promise<unknown> {
    const job = {
      ...this.#shared,
      ...file,
      jinjaOptions: jinjaOptionsOf(this.#host.opts, file.sls !== ""),
      load: (name: string) => this.#load(name, file.saltenv),
    };
    return await this.#pipeline.render(source, job, renderer);
  }

  /**
   * A text, or the texts in lists and maps, decrypted by a renderer, as on a command line: `\\n` is a new line.
   *
   * @param what names it in messages
   * @throws {DecryptError} for a renderer that may not be used, or is not there
   * @throws {RenderError} if the renderer fails
   */
  async decrypt(value: unknown, renderer: string, what: string): Promise<unknown> {
    const decryption = { ...decryptionOf(this.#host.opts), renderer, hasEscapedLines: true };
    return await decryptValue(this.#pipeline, value, decryption, { ...this.#shared, path: what, saltenv: "base" });
  }

  /**
   * The text that a template renders to.
   *
   * @throws {RenderError} in Salt's words, and for an engine that is not there
   */
  async renderTemplate({ source, path = "<template>", engine, saltenv, ...given }: Template): Promise<string> {
    if (!isTemplateEngine(engine, this.#host)) {
      throw new RenderError(path, unsupportedEngine(engine), {}, { isWhole: true });
    }
    const [defaults, context] = [given.defaults, given.context].map((map) =>
      Object.fromEntries(map === null || map === undefined ? [] : entriesOf(map))
    );
    const render = engine === "py"
      ? (await import("./python/python_renderers.ts")).py(this.#host)
      : await this.#renderers.jinja!();
    const text = await render(source, {
      ...this.#shared,
      globals: { ...given.names, ...this.#shared.globals },
      path,
      saltenv: saltenv ?? "",
      argline: "",
      // A Python file has its names as variables, and the context as one of them.
      context: engine === "py" ? { ...given.names, context: { ...defaults, ...context } } : { ...defaults, ...context },
      jinjaOptions: jinjaOptionsOf(this.#host.opts, false),
      ...(saltenv === undefined || saltenv === "" ? {} : { load: (name: string) => this.#load(name, saltenv) }),
    });
    return String(text);
  }

  /** A template that is imported or included. */
  #load(name: string, saltenv: string): Promise<TemplateFile | undefined> {
    const key = `${saltenv}\0${name}`;
    let found = this.#fetched.get(key);
    if (found === undefined) this.#fetched.set(key, found = this.#fetch(name, saltenv));
    return found;
  }

  async #fetch(name: string, saltenv: string): Promise<TemplateFile | undefined> {
    const { files, runtime } = this.#host;
    // The name of a template is a path and never a URL: salt://x in a template is not found in Salt either.
    if (name === "" || name.startsWith("/") || name.includes("://")) return undefined;
    const path = await files.fetch(`salt://${name.includes("?") ? "|" : ""}${name}`, "", { saltenv });
    return path === undefined ? undefined : { path, name, source: templateText(runtime.fs.read(path), path) };
  }
}

/**
 * The text of a template's file.
 *
 * @throws {RenderError} if it is not UTF-8
 */
export function templateText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RenderError(path, "expected UTF-8: save the file in that encoding", {}, { cause });
  }
}

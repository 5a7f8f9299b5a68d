/** Renders for a job: SLS files, and the templates of files, commands and names. */
import { type AnyMap, entriesOf, textsOf } from "../../language/python/values.ts";
import { SALT_MINION_DEFAULTS } from "../config/salt_defaults.ts";
import { createRenderers } from "../../language/render/renderers.ts";
import { decryptionOf, decryptValue } from "../../language/render/decrypt.ts";
import { gpgOptionsOf, type Renderer, type RendererTable, type RenderJob } from "../../language/render/renderer.ts";
import { jinjaOptionsOf, templateLimitsOf } from "../../language/render/jinja/limits_of.ts";
import { Pipeline } from "../../language/render/pipeline.ts";
import { RenderError } from "../../language/render/render_error.ts";
import type { TemplateFile } from "../../language/render/jinja/environment.ts";
import { templateValues } from "../../language/render/host_values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { codeRenderers } from "./code_renderers.ts";
import type { JobContext } from "./family.ts";
import { customRenderers } from "./custom_renderers.ts";
import { findPython, findSalt } from "./python/interpreter.ts";
import { templateAdditions } from "./template_additions.ts";
import { jobTemplateFunctions } from "./template_functions.ts";

/** What rendering needs of a host: the context of a job, or a part of it. */
export type RenderingHost = Pick<
  JobContext,
  "runtime" | "log" | "opts" | "grains" | "pillar" | "functions" | "call" | "files"
>;

interface SlsFile {
  path: string;
  /** Path below the roots: `a/init.sls`. */
  name: string;
  /** Name of the SLS: `a`; empty for a top file. */
  sls: string;
  saltenv: string;
  source: string;
  /** Names that override all others: the `defaults` of an include. */
  context?: Readonly<Record<string, unknown>>;
  /** Pipeline for a text that does not name one. @default the option `renderer` */
  renderer?: string;
}

/** A template that is not an SLS file. */
interface Template {
  source: string;
  /** Path of the file, for messages. @default "<template>" */
  path?: string;
  /** Name of the engine as in Salt: `jinja`. */
  engine: string;
  /** The environment to import templates from; an empty text or undefined for none. */
  saltenv?: string | undefined;
  /** Additional names, which the host's own override: `name`, `source`, `user`, `group`, `mode`. */
  names?: Readonly<Record<string, unknown>>;
  /** Names that override all others: the `context` of a file. */
  context?: AnyMap | null | undefined;
  /** Names that `context` overrides. They override the host's names, too. */
  defaults?: AnyMap | null | undefined;
}

/** Engines of Salt that need Python. */
const PYTHON_ENGINES = ["cheetah", "genshi", "mako", "py", "wempy"];

/** Renderers of each runtime that are loaded already, for all jobs. */
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

export function isTemplateEngine(engine: unknown, { runtime, opts }: Pick<RenderingHost, "runtime" | "opts">): boolean {
  if (engine === "jinja") return true;
  if (engine === "py") return findPython(runtime, opts) !== undefined;
  // Salt's package lends the others.
  return PYTHON_ENGINES.includes(String(engine)) && findSalt(runtime, opts) !== undefined;
}

/** The error for an engine that cannot be used, in Salt's words; for an engine of Salt it says what to do instead. */
export function unsupportedEngine(engine: string): string {
  const problem = `Specified template format ${engine} is not supported`;
  if (!PYTHON_ENGINES.includes(engine)) return problem;
  return `${problem}: it runs Python. Write the template for jinja, and the computation as a custom execution module`;
}

type Values = ReturnType<typeof templateValues>;

/** The values of the last rendering for an options object: a run of states has its own object. */
const lastValues = new WeakMap<object, { grains: unknown; pillar: unknown; values: Values }>();

/** Values for the templates of one run of states. As in Salt, hundreds of templates, each rendered separately, share one copy. */
function valuesOfRun(host: RenderingHost): Values {
  const { opts, grains, pillar } = host;
  const last = lastValues.get(opts);
  if (last !== undefined && last.grains === grains && last.pillar === pillar) return last.values;
  const values = templateValues(host, SALT_MINION_DEFAULTS);
  lastValues.set(opts, { grains, pillar, values });
  return values;
}

/**
 * Renders the files of one job. The host's values are copied once: a template sees the changes that earlier templates made. An
 * imported template is fetched once.
 */
export class Rendering {
  readonly #host: RenderingHost;
  readonly #renderers: RendererTable;
  #opened: Pipeline | undefined;
  readonly #shared: Pick<
    RenderJob,
    "globals" | "plain" | "typeNames" | "functions" | "additions" | "log" | "allowUndefined" | "limits" | "gpg"
  >;
  readonly #fetched = new Map<string, Promise<TemplateFile | undefined>>();

  /**
   * @param host must have the options of its master to render templates of states: see `stateOptions`
   * @param isOfRun true if the templates of one run of states share their values. @default false
   */
  constructor(host: RenderingHost, { isOfRun = false } = {}) {
    const { runtime, opts, log } = host;
    this.#host = host;
    this.#renderers = renderersOf(runtime);
    const values = isOfRun ? valuesOfRun(host) : templateValues(host, SALT_MINION_DEFAULTS);
    this.#shared = {
      ...values,
      // Functions return values of the host itself. Copy the names first, so that a template which changes such a value does
      // not see the change in its own names.
      functions: jobTemplateFunctions(host, () => Object.values(values.globals).forEach(({ value }) => value)),
      additions: templateAdditions(host),
      log,
      allowUndefined: opts.allow_undefined === true,
      limits: templateLimitsOf(opts),
      gpg: gpgOptionsOf(opts),
    };
  }

  /** The pipeline for data, opened on first use: a template of a file needs none. */
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

  /** Renders an SLS or top file to data. @throws {RenderError} in Salt's words */
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
   * Decrypts a text, or the texts in lists and maps, with a renderer. As on a command line, `\\n` stands for a line feed.
   *
   * @param what name of the value in messages
   * @throws {DecryptError} for a renderer that is unknown or not allowed
   * @throws {RenderError} if the renderer fails
   */
  async decrypt(value: unknown, renderer: string, what: string): Promise<unknown> {
    const decryption = { ...decryptionOf(this.#host.opts), renderer, hasEscapedLines: true };
    return await decryptValue(this.#pipeline, value, decryption, { ...this.#shared, path: what, saltenv: "base" });
  }

  /** Renders a template to text. @throws {RenderError} in Salt's words, also for an unknown engine */
  async renderTemplate({ source, path = "<template>", engine, saltenv, ...given }: Template): Promise<string> {
    if (!isTemplateEngine(engine, this.#host)) {
      throw new RenderError(path, unsupportedEngine(engine), {}, { isWhole: true });
    }
    const [defaults, context] = [given.defaults, given.context].map((map) =>
      Object.fromEntries(map === null || map === undefined ? [] : entriesOf(map))
    );
    const render = await this.#engine(engine);
    const text = await render(source, {
      ...this.#shared,
      globals: { ...given.names, ...this.#shared.globals },
      path,
      saltenv: saltenv ?? "",
      argline: "",
      context: this.#templateContext(engine, given.names, { ...defaults, ...context }),
      jinjaOptions: jinjaOptionsOf(this.#host.opts, false),
      ...(saltenv === undefined || saltenv === "" ? {} : { load: (name: string) => this.#load(name, saltenv) }),
    });
    return String(text);
  }

  async #engine(name: string): Promise<Renderer> {
    if (name === "jinja") return await this.#renderers.jinja!();
    if (name === "py") return (await import("./python/python_renderers.ts")).py(this.#host);
    const load = customRenderers(this.#host)[name];
    if (load === undefined) throw new RenderError("<template>", unsupportedEngine(name), {}, { isWhole: true });
    return await load();
  }

  #templateContext(engine: string, names: Template["names"], context: Record<string, unknown>) {
    if (engine === "jinja") return context;
    // A Python file has its names as variables, and `context` is one of them.
    return engine === "py" ? { ...names, context } : { ...names, ...context };
  }

  /** Loads an imported or included template. */
  #load(name: string, saltenv: string): Promise<TemplateFile | undefined> {
    const key = `${saltenv}\0${name}`;
    let found = this.#fetched.get(key);
    if (found === undefined) this.#fetched.set(key, found = this.#fetch(name, saltenv));
    return found;
  }

  async #fetch(name: string, saltenv: string): Promise<TemplateFile | undefined> {
    const { files, runtime } = this.#host;
    // The name of a template is always a path, never a URL: Salt does not find salt://x in a template either.
    if (name === "" || name.startsWith("/") || name.includes("://")) return undefined;
    const path = await files.fetch(`salt://${name.includes("?") ? "|" : ""}${name}`, "", { saltenv });
    return path === undefined ? undefined : { path, name, source: templateText(runtime.fs.read(path), path) };
  }
}

/** Decodes the text of a template's file. @throws {RenderError} if the file is not UTF-8 */
export function templateText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RenderError(path, "expected UTF-8: save the file in that encoding", {}, { cause });
  }
}

import type { Logger } from "../../../base/log.ts";
import { entriesOf, isMap, sizeOf, Tuple } from "../../python/values.ts";
import { dictSet } from "../../python/dict.ts";
import { JsonError, parseOrderedJson } from "../../python/json.ts";
import { plainMaps } from "../../python/copy.ts";
import { explainYaml } from "../../yaml/libyaml/explain_yaml.ts";
import { parseOrderedYaml } from "../../yaml/ordered.ts";
import { YamlError } from "../../yaml/yaml_error.ts";
import type {
  CompiledTemplate,
  DataFormat,
  Filter,
  JinjaEnvironment,
  JinjaOptions,
  Run,
  Test,
  Unit,
} from "../../jinja/mod.ts";
import { Attributes, compileTemplate, TemplateNotFound, TemplateRuntimeError } from "../../jinja/mod.ts";
import { additionsKey, type TemplateAdditions } from "./additions.ts";
import { finalize } from "./finalize.ts";
import { SALT_GLOBALS } from "./globals.ts";

/** A file that a template can import or include. */
export interface TemplateFile {
  path: string;
  /** The path below the file roots: `a/b.jinja`. */
  name: string;
  source: string;
}

/** Finds templates: undefined if there is none of that name. */
export type TemplateLoader = (name: string) => TemplateFile | undefined | Promise<TemplateFile | undefined>;

export interface EnvironmentOptions {
  options: JinjaOptions;
  filters: Readonly<Record<string, Filter>>;
  tests: Readonly<Record<string, Test>>;
  /** The filters whose result depends only on their arguments. */
  steady: ReadonlySet<string>;
  load: TemplateLoader;
  log: Logger;
  now(): number;
  /** Names of some values' types, for messages. */
  typeNames: WeakMap<object, string>;
  /** Filters and tests in the tables that modules of the host give. @default none */
  added?: TemplateAdditions | undefined;
  /** True if undefined values print as nothing: the option `allow_undefined`. */
  lenient: boolean;
  /** Templates that are compiled already, by their content. */
  cache: TemplateCache;
}

/** The fields of a compiled template that depend only on its text. */
type KeptTemplate = Pick<CompiledTemplate, "body" | "blocks" | "bytes">;

/** A cache of templates by options and content, so that each is compiled once; the oldest are removed first. */
export class TemplateCache {
  /** Content → options → template. A joined key would be a new text for each lookup, which has to be hashed again. */
  readonly #known = new Map<string, Map<string, KeptTemplate>>();
  #bytes = 0;
  readonly #most: number;

  /** @param most the most memory of all kept templates, in bytes; closures take about fifty times the size of their text */
  constructor(most = 64 * 1024 * 1024) {
    this.#most = most;
  }

  /** The memory of all kept templates, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(source: string, options: string): KeptTemplate | undefined {
    return this.#known.get(source)?.get(options);
  }

  set(source: string, options: string, template: KeptTemplate): void {
    let variants = this.#known.get(source);
    if (variants === undefined) this.#known.set(source, variants = new Map());
    this.#bytes += template.bytes - (variants.get(options)?.bytes ?? 0);
    variants.set(options, template);
    for (const [oldest, gone] of this.#known) {
      if (this.#bytes <= this.#most) break;
      this.#known.delete(oldest);
      for (const { bytes } of gone.values()) this.#bytes -= bytes;
    }
  }
}

const keys = new WeakMap<JinjaOptions, string>();

/** Options as text, made once for each object. */
function optionsKey(options: JinjaOptions): string {
  let key = keys.get(options);
  if (key === undefined) keys.set(options, key = JSON.stringify(options));
  return key;
}

/** Compiles a template, or takes it from the cache. @throws {TemplateSyntaxError} */
export function compileCached(
  name: string,
  file: CompiledTemplate["file"],
  { options, filters, tests, steady, added, lenient, cache }: EnvironmentOptions,
): CompiledTemplate {
  const variant = `${lenient} ${optionsKey(options)}${additionsKey(added)}`;
  let known = cache.get(file.source, variant);
  if (known === undefined) {
    known = compileTemplate(name, file, { options, filters, tests, steady });
    cache.set(file.source, variant, known);
  }
  return { name, file, body: known.body, blocks: known.blocks, bytes: known.bytes };
}

const RELATIVE = /^\.{1,2}\//;

/** Resolves `./x` and `../x` from the directory of a template; undefined above the top, or if the directory is unknown. */
function resolveName(name: string, directory: unknown): string | undefined {
  if (!RELATIVE.test(name)) return name.split("/").includes("..") ? undefined : name;
  if (typeof directory !== "string") return undefined;
  const parts = directory === "." ? [] : directory.split("/");
  for (const part of name.split("/")) {
    if (part === "..") { if (parts.pop() === undefined) return undefined; }
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** The names `tplfile`, `tpldir` and `tpldot` of a file. */
export function templateNames(file: string): [string, string][] {
  const at = file.lastIndexOf("/");
  const directory = at < 0 ? "" : file.slice(0, at);
  return [["tplfile", file], ["tpldir", directory || "."], ["tpldot", directory.replaceAll("/", ".")]];
}

/**
 * The names of a file that is loaded now, found or not: as in Salt, templates that begin later see them. The directory stays that of the
 * file before it if the name is relative.
 */
function laterNames(name: string, resolved: string, directory: unknown): [string, unknown][] {
  if (!RELATIVE.test(name)) return templateNames(resolved);
  return [["tplfile", name], ["tpldir", directory], ["tpldot", String(directory).replaceAll("/", ".")]];
}

/** Converts tuples to lists, and bytes that are UTF-8 to texts, as Salt does with data that it loads for a template. */
function decoded(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder("utf-8", { fatal: true }).decode(value);
  if (value instanceof Tuple) return Array.from(value, decoded);
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) if (typeof item === "object") value[at] = decoded(item);
  } else if (isMap(value)) {
    for (const [key, item] of entriesOf(value)) if (typeof item === "object") dictSet(value, key, decoded(item));
  }
  return value;
}

function loadYaml(text: string): unknown {
  try {
    return decoded(plainMaps(parseOrderedYaml(text)));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new TemplateRuntimeError(`Encountered error loading yaml: ${explainYaml(text)?.text ?? error.problem}`);
  }
}

function loadJson(text: string): unknown {
  try {
    return plainMaps(parseOrderedJson(text));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new TemplateRuntimeError(`Unable to load json from ${text}`);
  }
}

const DATA: Readonly<Record<DataFormat, (text: string) => unknown>> = {
  yaml: loadYaml,
  json: loadJson,
  text: (text) => text,
};

/** Salt's environment of templates. */
export function saltEnvironment(own: EnvironmentOptions): JinjaEnvironment {
  const { options, filters, tests, steady, added, load, log, now, typeNames, lenient } = own;
  const loaded = (name: string, file: TemplateFile | undefined): CompiledTemplate => {
    if (file === undefined) throw new TemplateNotFound(name);
    return compileCached(file.name, { path: file.path, source: file.source, isMain: false }, own);
  };
  return {
    options,
    attributes: new Attributes(typeNames, lenient),
    filters,
    tests,
    steady,
    added: added && {
      has: (kind, name) => added.names[kind].has(name),
      call: (kind, name, args, keywords) => added.call(kind, name, args, keywords),
    },
    builtins: SALT_GLOBALS,
    finalize,
    now,
    load(run: Run, name: string, _from: Unit) {
      const directory = run.globals.get("tpldir");
      const resolved = resolveName(name, directory);
      if (resolved === undefined) throw new TemplateNotFound(name);
      run.globals = new Map([...run.globals, ...laterNames(name, resolved, directory)]);
      const file = load(resolved);
      return file instanceof Promise ? file.then((known) => loaded(name, known)) : loaded(name, file);
    },
    data: (format, text) => DATA[format](text),
    profiled: (label, ms) => log.debug("template block took its time", { label, ms }),
  };
}

const STRINGS = [
  "block_start_string",
  "block_end_string",
  "variable_start_string",
  "variable_end_string",
  "comment_start_string",
  "comment_end_string",
  "line_statement_prefix",
  "line_comment_prefix",
  "newline_sequence",
] as const;
const FLAGS = ["trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape"] as const;

/**
 * Jinja2's options, overridden by those of a configuration or a header; unknown options are logged and left out.
 *
 * @param given options as in `jinja_env`, in upper or lower case
 */
export function jinjaOptions(base: JinjaOptions, given: unknown, log: Logger): JinjaOptions {
  if (!isMap(given) || sizeOf(given) === 0) return base;
  const options: Record<string, unknown> = { ...base };
  for (const [key, value] of entriesOf(given)) {
    const name = String(key).toLowerCase();
    if ((FLAGS as readonly string[]).includes(name)) options[name] = Boolean(value);
    else if (
      (STRINGS as readonly string[]).includes(name) && (value === null || typeof value === "string" && value !== "")
    ) {
      options[name] = value;
    } else log.warning("option of a Jinja environment is not known", { option: name });
  }
  return options as unknown as JinjaOptions;
}

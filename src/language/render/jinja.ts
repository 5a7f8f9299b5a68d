import { truthy } from "../python/values.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Filter, Test } from "../jinja/mod.ts";
import {
  Budget,
  DEFAULT_LIMITS,
  JINJA_DEFAULTS,
  receiver,
  runTemplate,
  SEQUENCE_FILTERS,
  TESTS,
  TEXT_FILTERS,
} from "../jinja/mod.ts";
import { CONVERT_FILTERS, hashFilters, QUOTE_FILTER, SALT_TESTS } from "./jinja/filters/convert.ts";
import { fileFilters } from "./jinja/filters/files.ts";
import { LIST_FILTERS, QUERY_FILTERS } from "./jinja/filters/lists.ts";
import { networkFilters } from "./jinja/filters/network.ts";
import { remoteFilters, type RemoteHost } from "./jinja/filters/remote.ts";
import { SERIALIZE_FILTERS } from "./jinja/filters/serialize.ts";
import { addedGlobals, withAdditions } from "./jinja/additions.ts";
import type { EnvironmentOptions, TemplateFile } from "./jinja/environment.ts";
import { compileCached, jinjaOptions, saltEnvironment, TemplateCache, templateNames } from "./jinja/environment.ts";
import { takeHeader } from "./jinja/file_header.ts";
import { showFullContext } from "./jinja/globals.ts";
import { SaltFunctions } from "./jinja/salt_functions.ts";
import { templateError } from "./jinja/template_error.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer, RenderJob } from "./renderer.ts";

/** Matches text with Jinja markup; other text is passed on unchanged. */
const MARKUP = /\{\{|\{%|\{#|^#jinja2:|\n#jinja2:/;

type FilterHost = Pick<Runtime, "crypto" | "clock" | "fs" | "process"> & RemoteHost;

/** Filters whose result depends on more than their arguments: on files, the clock, the network or random numbers. */
const UNSTEADY = new Set([
  ...["random", "random_hash", "rand_str", "random_str", "random_sample", "random_shuffle", "gen_mac"],
  ...["is_empty", "is_text_file", "is_bin_file", "file_hashsum", "list_files", "which"],
  ...["strftime", "date_format", "method_call", "filter_by_networks", "dns_check", "http_query", "get_uid"],
]);

const SHOW_CONTEXT = "show_full_context";

/** The names of an SLS's directory, with each of four separators. */
const directoryNames = (directory: string): [string, string][] => [
  ["slspath", directory],
  ["sls_path", directory.replaceAll("/", "_")],
  ["slsdotpath", directory.replaceAll("/", ".")],
  ["slscolonpath", directory.replaceAll("/", ":")],
];

function slsNames(sls: string, file: string): [string, string][] {
  const parts = sls.split(".");
  const isInit = /(?:^|\/)init\.sls$/.test(file);
  return directoryNames((isInit && parts.at(-1) !== "init" ? parts : parts.slice(0, -1)).join("/"));
}

/** The names for the place of an SLS or top file; other templates do not get them. */
function placeNames({ path, name, sls }: RenderJob): [string, unknown][] {
  if (sls === undefined) return [];
  const file = name ?? (sls === "" ? path : `${sls.replaceAll(".", "/")}.sls`);
  return [["sls", sls], ["tplpath", path], ["proxy", new Map()], ...templateNames(file), ...slsNames(sls, file)];
}

function namesOf(job: RenderJob): Map<string, unknown> {
  const { saltenv, globals, functions, context } = job;
  const names = new Map<string, unknown>([
    ["saltenv", saltenv],
    ...placeNames(job),
    ...Object.entries(globals).map(([key, value]): [string, unknown] => [key, value ?? null]),
    ...(functions === undefined ? [] : [["salt", new SaltFunctions(functions)] as [string, unknown]]),
    ...Object.entries(context ?? {}),
  ]);
  // As in Salt, a template that is no SLS and is given an `sls` has the names of its directory. Salt knows no file for it, so that the
  // whole name of the SLS counts as the directory.
  const sls = job.sls === undefined ? names.get("sls") : undefined;
  if (typeof sls !== "string") return names;
  return new Map([...directoryNames(sls.replaceAll(".", "/")), ...names]);
}

/** Finds a template of this host by its whole path, outside of the file roots. */
function fileOfHost(fs: Pick<FileSystem, "stat" | "readText">, path: string): TemplateFile | undefined {
  return fs.stat(path)?.kind === "file" ? { path, name: path, source: fs.readText(path) } : undefined;
}

/** Wraps filters so that they get markup as plain text. */
function ofPlainTexts(filters: Readonly<Record<string, Filter>>): Record<string, Filter> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, apply]): [string, Filter] => [
      name,
      (run, value, args, keywords) => {
        const named = keywords.size === 0
          ? keywords
          : new Map([...keywords].map(([key, item]) => [key, receiver(item)]));
        return apply(run, receiver(value), args.map(receiver), named);
      },
    ]),
  );
}

export function jinjaFilters(runtime: FilterHost): Record<string, Filter> {
  return {
    ...TEXT_FILTERS,
    ...SEQUENCE_FILTERS,
    ...SERIALIZE_FILTERS,
    ...QUOTE_FILTER,
    ...ofPlainTexts({
      ...LIST_FILTERS,
      ...CONVERT_FILTERS,
      ...QUERY_FILTERS,
      ...hashFilters(runtime.crypto),
      ...networkFilters(runtime.crypto),
      ...fileFilters(runtime),
      ...remoteFilters(runtime),
    }),
  };
}

/** True for the filters and tests of Salt: modules replace only those of Jinja2. */
const isOfSalt = (filters: Readonly<Record<string, Filter>>) => (kind: "filter" | "test", name: string): boolean => {
  if (kind === "test") return Object.hasOwn(SALT_TESTS, name);
  return Object.hasOwn(filters, name) && filters[name] !== TEXT_FILTERS[name] &&
    filters[name] !== SEQUENCE_FILTERS[name];
};

export const JINJA_TESTS: Readonly<Record<string, Test>> = { ...TESTS, ...SALT_TESTS };

/** The renderer for Salt's Jinja2. Compiled templates are kept for all renders of this renderer. */
export function jinja(runtime: FilterHost): Renderer {
  const cache = new TemplateCache();
  const filters = jinjaFilters(runtime);
  const steady = new Set(Object.keys(filters).filter((name) => !UNSTEADY.has(name)));
  const own = { filters, tests: JINJA_TESTS, steady };
  return (input, job) => {
    const { path, argline, log } = job;
    if (typeof input !== "string") {
      throw new RenderError(path, "jinja renders text, but got data: put it first in the pipeline");
    }
    if (argline !== "" && argline !== "-s") {
      throw new RenderError(path, `Unknown renderer option: ${argline}`, {}, { isWhole: true });
    }
    const given = { ...job.jinjaOptions };
    if (Object.keys(given).length === 0 && !MARKUP.test(input)) return input;
    const added = job.additions?.(job);
    const { source, options: header } = takeHeader(input);
    const options = jinjaOptions(jinjaOptions(JINJA_DEFAULTS, given, log), header, log);
    const environmentOptions: EnvironmentOptions = {
      options: options === JINJA_DEFAULTS ? JINJA_DEFAULTS : options,
      ...added === undefined ? own : withAdditions(own, added, isOfSalt(filters)),
      added,
      load: (name) => name.startsWith("/") && job.confined !== true ? fileOfHost(runtime.fs, name) : job.load?.(name),
      log,
      now: () => runtime.clock.now(),
      typeNames: job.typeNames ?? new WeakMap(),
      lenient: truthy(job.allowUndefined ?? false),
      cache,
    };
    const failed = (error: unknown): never => {
      throw templateError(error, { path, source });
    };
    const finished = (text: string) => input.endsWith("\n") ? `${text}\n` : text;
    try {
      const names = namesOf(job);
      const globals = new Map([...added === undefined ? [] : addedGlobals(added), ...names]);
      if (!globals.has(SHOW_CONTEXT)) globals.set(SHOW_CONTEXT, showFullContext(names));
      const environment = saltEnvironment(environmentOptions);
      const run = {
        environment,
        budget: new Budget(job.limits ?? DEFAULT_LIMITS),
        globals,
        templates: new Map(),
        modules: new Map(),
      };
      const template = compileCached(job.sls ?? path, { path, source, isMain: true }, environmentOptions);
      const done = runTemplate(run, template, undefined, names);
      return done instanceof Promise ? done.then(({ text }) => finished(text), failed) : finished(done.text);
    } catch (error) {
      return failed(error);
    }
  };
}

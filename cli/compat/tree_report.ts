/** Reports what a tree of states and pillar needs that Brine lacks. Files are only read: nothing is rendered or run. */
import { nearestName } from "../../src/base/nearest_name.ts";
import { createLogger } from "../../src/base/log.ts";
import { baseName, dirName, joinPath, normalizePath } from "../../src/base/paths.ts";
import { ignoredBy } from "../../src/content/fileserver/walk.ts";
import { RUNNER_KEYWORDS } from "../../src/content/state/keywords.ts";
import { JINJA_DEFAULTS, TemplateSyntaxError, templateUses } from "../../src/language/jinja/mod.ts";
import { parseYaml, YamlError } from "../../src/language/yaml/document.ts";
import { JINJA_TESTS, jinjaFilters } from "../../src/language/render/jinja.ts";
import { jinjaOptions } from "../../src/language/render/jinja/environment.ts";
import { takeHeader } from "../../src/language/render/jinja/file_header.ts";
import { jinjaOptionsOf } from "../../src/language/render/jinja/limits_of.ts";
import { insteadOfRenderer, pipelineOf, PYTHON_RENDERERS } from "../../src/language/render/pipeline.ts";
import { RENDERER_NAMES } from "../../src/language/render/renderers.ts";
import { CUSTOM_KINDS, customFiles, type CustomKind } from "../../src/model/loader/custom_files.ts";
import { markedIn } from "../../src/model/loader/template_additions.ts";
import { BEACONS } from "../../src/plugins/beacons/mod.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type FunctionKind, lookUp } from "./known_parts.ts";
import { slsParts } from "./sls_parts.ts";
import { MAX_BYTES, type TreeFile, treeFiles } from "./tree_files.ts";

/** How a part differs from Salt. */
export type Status = "not here" | "needs Python" | "differs" | "cannot be read";

interface Place {
  file: string;
  line: number;
}

export interface MissingPart {
  status: Status;
  /** Kind of the part: `state`, `function`, `filter`, … */
  kind: string;
  name: string;
  /** What to do, or the mistake in a file; empty if there is nothing to say. */
  remedy: string;
  /** Number of files that need the part, directly or through an include. */
  dependents: number;
  places: Place[];
}

export interface TreeReport {
  roots: string[];
  files: number;
  /** Files that are too large or unreadable. */
  unread: string[];
  /** Missing parts, those with most dependents first. */
  parts: MissingPart[];
}

export interface TreeOptions {
  states: readonly string[];
  pillar: readonly string[];
  /** SLS files outside of `states` and `pillar`: those of the reactor. */
  files?: readonly string[];
  /** Options of the daemon, which decide how templates are read, what is ignored, and where custom modules are. @default {} */
  opts?: Record<string, unknown>;
}

const QUIET = createLogger(() => {}, "quiet");
const FUNCTION = /^[A-Za-z]\w*\.[A-Za-z]\w*$/;
const TEMPLATE = /\.(?:jinja2?|j2)$/;
const MARKUP = /\{[{%#]/;
const PYTHON = /\.(?:pyx?|so|zip)$/;
/** Names in templates that only Salt defines. */
const SALTS_NAMES = ["salt", "pillar", "grains", "opts", "sls", "slspath", "tplroot", "saltenv"];
const MAP_METHODS = ["get", "items", "keys", "values"];
/** The folder of custom modules of a kind of function. */
const FOLDER: Readonly<Record<FunctionKind, string>> = {
  function: "modules",
  state: "states",
  runner: "runners",
  "wheel function": "wheel",
};

/** A custom module, found by its file name or by the name that it gives itself. */
interface Custom {
  path: string;
  isPython: boolean;
}

/** Reads the files and lists what is missing. */
export async function treeReport(runtime: Runtime, options: TreeOptions): Promise<TreeReport> {
  return await new Tree(runtime, options).report();
}

class Tree {
  readonly #runtime: Runtime;
  readonly #options: TreeOptions;
  readonly #opts: Record<string, unknown>;
  readonly #filters: Set<string>;
  readonly #tests = new Set(Object.keys(JINJA_TESTS));
  readonly #parts = new Map<string, MissingPart>();
  readonly #custom = new Map<string, Custom>();
  /** File → the files that include or import it. */
  readonly #usedBy = new Map<string, Set<string>>();
  /** `salt://` path, or dotted name of an SLS file → path of the file. */
  readonly #byName = new Map<string, string>();
  readonly #lookedUp = new Map<string, ReturnType<typeof lookUp>>();
  readonly #unread: string[] = [];
  #files = 0;

  constructor(runtime: Runtime, options: TreeOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#opts = options.opts ?? {};
    this.#filters = new Set(Object.keys(jinjaFilters(runtime)));
  }

  async report(): Promise<TreeReport> {
    const { states, pillar, files = [] } = this.#options;
    const list = (value: unknown) => Array.isArray(value) ? value : [];
    const ignored = ignoredBy({ regex: list(this.#opts.file_ignore_regex), glob: list(this.#opts.file_ignore_glob) });
    const found = [
      ...states.flatMap((root) => treeFiles(this.#runtime.fs, root, ignored))
        // Formulas have example and test pillar in their own tree.
        .map((file) => ({ file, isPillar: /(?:^|\/)pillar\//.test(file.name) })),
      ...pillar.flatMap((root) => treeFiles(this.#runtime.fs, root, ignored)).map((file) => ({ file, isPillar: true })),
    ];
    const listed = new Set(found.map(({ file }) => file.path));
    for (const path of files.filter((path) => !listed.has(path))) {
      const file = { path, name: baseName(path), root: dirName(path), size: this.#runtime.fs.stat(path)?.size ?? 0 };
      found.push({ file, isPillar: false });
    }
    this.#syncedModules();
    for (const { file, isPillar } of found) this.#note(file, isPillar);
    for (const { file, isPillar } of found) {
      if (!file.name.startsWith("_")) await this.#read(file, isPillar);
    }
    for (const part of this.#parts.values()) part.dependents = this.#dependents(part);
    return {
      roots: [...states, ...pillar],
      files: this.#files,
      unread: this.#unread,
      parts: [...this.#parts.values()].sort((a, b) =>
        b.dependents - a.dependents || b.places.length - a.places.length ||
        (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1)
      ),
    };
  }

  /** Adds custom modules in directories of this host, outside of the tree. */
  #syncedModules(): void {
    for (const kind of ["modules", "states", "runners", "renderers", "beacons"] satisfies CustomKind[]) {
      for (const { path } of customFiles(this.#runtime, this.#opts, kind).values()) this.#addCustom(kind, path);
    }
  }

  #addCustom(folder: string, path: string): void {
    const isPython = PYTHON.test(path);
    const text = this.#text({ path, size: this.#runtime.fs.stat(path)?.size ?? 0 }) ?? "";
    const own = /^\s*(?:export const virtualname|__virtualname__)\s*=\s*["'](\w+)["']/m.exec(text)?.[1];
    const name = baseName(path).split(".")[0]!;
    for (const one of own === undefined ? [name] : [name, own]) {
      const key = `${folder} ${one}`;
      if (this.#custom.get(key)?.isPython !== false) this.#custom.set(key, { path, isPython });
    }
    for (const { kind, name } of isPython ? markedIn(text) : []) {
      if (kind !== "global") (kind === "filter" ? this.#filters : this.#tests).add(name);
    }
    if (!isPython || name === "__init__") return;
    this.#part(...inPython(folder), path, "").places.length = 0;
  }

  /** Records the names by which other files refer to a file. */
  #note({ path, name }: TreeFile, isPillar: boolean): void {
    const folder = /^_(\w+)\/[^/]+$/.exec(name)?.[1];
    if (folder !== undefined && !isPillar) this.#addCustom(folder, path);
    const prefix = isPillar ? "pillar:" : "";
    const sls = /^(.*)\.sls$/.exec(name)?.[1]?.replaceAll("/", ".");
    for (const one of [name, ...sls === undefined ? [] : [sls, sls.replace(/(?:^|\.)init$/, "")]]) {
      const key = `${prefix}${one}`;
      if (!this.#byName.has(key)) this.#byName.set(key, path);
    }
  }

  #text({ path, size }: Pick<TreeFile, "path" | "size">): string | undefined {
    try {
      if (size <= MAX_BYTES) return this.#runtime.fs.readText(path);
    } catch {
      // An unreadable file is listed with the other unread ones.
    }
    this.#unread.push(path);
    return undefined;
  }

  async #read(file: TreeFile, isPillar: boolean): Promise<void> {
    const isSls = file.name.endsWith(".sls");
    if (!isSls && file.size > MAX_BYTES) return;
    const text = this.#text(file);
    if (text === undefined || text.includes("\0")) return;
    if (!isSls && !TEMPLATE.test(file.name) && !MARKUP.test(text)) return;
    this.#files++;
    const pipeline = isSls
      ? pipelineOf(text, String(this.#opts.renderer ?? "jinja|yaml"))
      : [{ name: "jinja", argline: "" }];
    let isYaml = isSls && !/(?:^|\/)top\.sls$/.test(file.name);
    for (const { name } of pipeline) {
      if (PYTHON_RENDERERS.includes(name) && name !== "mako") isYaml = false;
      this.#renderer(name, { file: file.path, line: 1 });
    }
    if (pipeline[0]?.name === "jinja") await this.#template(file, text, isPillar);
    if (isYaml && pipeline.some(({ name }) => name === "yaml")) await this.#sls(file, text, isPillar);
  }

  #renderer(name: string, place: Place): void {
    if ((RENDERER_NAMES as readonly string[]).includes(name) || name === "js" || name === "ts" || name === "") return;
    const custom = this.#custom.get(`renderers ${name}`);
    if (custom !== undefined) return this.#customUse("renderers", custom, place);
    const isPython = PYTHON_RENDERERS.includes(name);
    const remedy = insteadOfRenderer(name, RENDERER_NAMES) ?? nearby(name, RENDERER_NAMES);
    this.#add(isPython ? "needs Python" : "not here", "renderer", name, remedy, place);
  }

  #customUse(folder: string, { path, isPython }: Custom, place: Place): void {
    if (isPython) this.#add(...inPython(folder), path, "", place);
  }

  async #template({ path, name }: TreeFile, text: string, isPillar: boolean): Promise<void> {
    const isSls = name.endsWith(".sls");
    const isTemplate = isSls || TEMPLATE.test(name);
    const { source, options: header } = takeHeader(text);
    const offset = text.split("\n").length - source.split("\n").length;
    const options = jinjaOptions(jinjaOptions(JINJA_DEFAULTS, jinjaOptionsOf(this.#opts, isSls), QUIET), header, QUIET);
    let uses;
    try {
      uses = templateUses(source, options);
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      const place = { file: path, line: error.at + offset };
      // Other files with template tags may be templates of other programs.
      if (isTemplate) this.#unreadable(place, error.message);
      return;
    }
    if (!isTemplate && !uses.taken.some(({ from }) => SALTS_NAMES.includes(from))) return;
    const at = (line: number): Place => ({ file: path, line: line + offset });
    for (const { name, line } of uses.filters) {
      if (!this.#filters.has(name)) this.#add("not here", "filter", name, nearby(name, this.#filters), at(line));
    }
    for (const { name, line } of uses.tests) {
      if (!this.#tests.has(name)) this.#add("not here", "test", name, nearby(name, this.#tests), at(line));
    }
    for (const { name } of uses.templates) this.#link(path, templateName(name, path, this.#options), isPillar);
    for (const { from, keys: [first = "", second = ""], line } of uses.taken) {
      if (from !== "salt" || uses.assigned.has(from) || MAP_METHODS.includes(first)) continue;
      const fun = first.includes(".") ? first : `${first}.${second}`;
      if (FUNCTION.test(fun)) await this.#function("function", fun, at(line));
    }
  }

  async #sls({ path, name }: TreeFile, text: string, isPillar: boolean): Promise<void> {
    // The YAML of a text with template tags cannot be checked without rendering.
    if (!MARKUP.test(text)) this.#yaml(path, text);
    const parts = slsParts(text, isPillar);
    for (const include of parts.includes) {
      const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(include)!;
      const package_ = name.split("/").slice(0, -1 - Math.max(0, dots.length - 1));
      const sls = dots === "" ? include : [...package_, rest].filter((one) => one !== "").join(".");
      this.#link(path, sls, isPillar);
    }
    for (const { kind, name, line } of parts.functions) await this.#function(kind, name, { file: path, line });
    for (const { name, line } of parts.beacons) {
      const custom = this.#custom.get(`beacons ${name}`);
      if (custom !== undefined) this.#customUse("beacons", custom, { file: path, line });
      else if (!Object.hasOwn(BEACONS, name)) {
        this.#add("not here", "beacon", name, nearby(name, Object.keys(BEACONS)), { file: path, line });
      }
    }
    for (const { state, name, line } of parts.arguments) {
      const found = this.#custom.has(`states ${state.split(".")[0]}`)
        ? undefined
        : await this.#lookedUpOnce("state", state);
      if (found === undefined || !("signature" in found)) continue;
      const { params, keywords } = found.signature;
      const names = params.map((param) => param.name);
      if (keywords !== undefined || names.includes(name) || name === "name" || name === "names") continue;
      if (RUNNER_KEYWORDS.has(name)) continue;
      this.#add("differs", "argument", `${name} of state ${state}`, nearby(name, names), { file: path, line });
    }
  }

  #yaml(path: string, text: string): void {
    try {
      parseYaml(text);
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      this.#unreadable({ file: path, line: error.line }, error.problem);
    }
  }

  #unreadable(place: Place, problem: string): void {
    this.#add("cannot be read", "file", place.file, problem.replace(/\.$/, ""), place);
  }

  async #function(kind: FunctionKind, name: string, place: Place): Promise<void> {
    const custom = this.#custom.get(`${FOLDER[kind]} ${name.split(".")[0]}`);
    if (custom !== undefined) return this.#customUse(FOLDER[kind], custom, place);
    const found = await this.#lookedUpOnce(kind, name);
    if ("signature" in found) return;
    this.#add("not here", kind, name, found.near === undefined ? "" : `did you mean ${found.near}?`, place);
  }

  #lookedUpOnce(kind: FunctionKind, name: string): ReturnType<typeof lookUp> {
    const key = `${kind} ${name}`;
    let found = this.#lookedUp.get(key);
    if (found === undefined) this.#lookedUp.set(key, found = lookUp(kind, name));
    return found;
  }

  #link(from: string, name: string, isPillar: boolean): void {
    const to = this.#byName.get(isPillar ? `pillar:${name}` : name) ?? this.#byName.get(name);
    if (to === undefined || to === from) return;
    const users = this.#usedBy.get(to) ?? new Set();
    this.#usedBy.set(to, users.add(from));
  }

  #part(status: Status, kind: string, name: string, remedy: string): MissingPart {
    const key = `${kind} ${name}`;
    let part = this.#parts.get(key);
    if (part === undefined) this.#parts.set(key, part = { status, kind, name, remedy, dependents: 0, places: [] });
    return part;
  }

  #add(status: Status, kind: string, name: string, remedy: string, place: Place): void {
    this.#part(status, kind, name, remedy).places.push(place);
  }

  #dependents({ places }: MissingPart): number {
    const all = new Set(places.map(({ file }) => file));
    for (const file of all) for (const user of this.#usedBy.get(file) ?? []) all.add(user);
    return all.size;
  }
}

/** The status of a Python file in that folder, and what kind of part it is. */
const inPython = (folder: string): [Status, string] => [
  CUSTOM_KINDS.some((kind) => kind === folder) ? "needs Python" : "not here",
  `${folder.replace(/s$/, "")} in Python`,
];

function nearby(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known, { letters: name.length > 4 ? 2 : 1 });
  return near === undefined ? "" : `did you mean ${near}?`;
}

/** The path below the roots of a template that another template names. */
function templateName(name: string, path: string, { states, pillar }: TreeOptions): string {
  const plain = name.replace(/^salt:\/\//, "").replace(/\?.*$/, "");
  if (!/^\.{1,2}\//.test(plain)) return plain;
  const full = normalizePath(joinPath(dirName(path), plain));
  const root = [...states, ...pillar].find((one) => full.startsWith(`${one}/`));
  return root === undefined ? plain : full.slice(root.length + 1);
}

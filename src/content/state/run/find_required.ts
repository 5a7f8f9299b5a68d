import { SaltError } from "../../../base/errors.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { entriesOf, isMap, str } from "../../../language/python/values.ts";
import { compileGlob } from "../../../language/python/glob.ts";

/** One requisite of a chunk: `{test: x}`, `{sls: x}`, `{id: x}`. */
export interface Requisite {
  /** Name of a module, or `sls`, or `id`. */
  module: string;
  /** Glob for names and ids, or for names of SLS files. Null: the requisite is ignored. */
  value: string | null;
}

/** A requisite that cannot be read. */
class RequisiteError extends SaltError {
  override name = "SaltRenderError";

  constructor(message: string) {
    super("RENDER", message);
  }
}

const GLOB = /[*?[]/;

/** The requisites of one kind, each with its module only: `test.nop: x` becomes `test: x`. */
export function requisitesOf(low: LowChunk, kind: string): Requisite[] {
  const declared = low[kind];
  if (declared === undefined || declared === null) return [];
  return partsOf(declared).map((one) => requisiteOf(one, low));
}

/** The parts of what should be a list: Salt goes through the keys of a map, and the letters of a text. */
function partsOf(declared: unknown): readonly unknown[] {
  if (Array.isArray(declared)) return declared;
  if (typeof declared === "string") return [...declared];
  return isMap(declared) ? entriesOf(declared).map(([key]) => key) : [declared];
}

function requisiteOf(declared: unknown, low: LowChunk): Requisite {
  if (typeof declared === "string") return { module: "id", value: declared };
  const [first] = isMap(declared) ? entriesOf(declared) : [];
  if (first === undefined) throw new RequisiteError(`Illegal requisite "${str(declared)}", please check your syntax.`);
  const [key, value] = first;
  const module = str(key).split(".")[0]!;
  if (value !== null && typeof value !== "string") {
    throw new RequisiteError(
      `Could not locate requisite of [${module}] present in state with name [${str(low.name)}]`,
    );
  }
  return { module, value };
}

/** Finds chunks by the names that requisites use, without a search through all chunks of the run. */
export class RequisiteIndex {
  readonly #chunks: readonly LowChunk[];
  /** Module, `id` (any module) or `sls` → text → chunks. */
  readonly #by = new Map<string, Map<string, LowChunk[]>>();
  /** Module → glob → chunks: each glob is searched once. */
  readonly #globs = new Map<string, Map<string, readonly LowChunk[]>>();
  /** SLS files that were read, including those without states. */
  readonly #files: readonly string[];

  constructor(chunks: readonly LowChunk[], files: readonly string[]) {
    this.#chunks = chunks;
    this.#files = files;
    for (const chunk of chunks) {
      const { state, name, __id__, __sls__ } = chunk;
      for (const text of new Set([str(name), str(__id__)])) {
        this.#add("id", text, chunk);
        if (str(state) !== "id") this.#add(str(state), text, chunk);
      }
      if (typeof __sls__ === "string") this.#add("sls", __sls__, chunk);
    }
  }

  #add(key: string, text: string, chunk: LowChunk): void {
    let texts = this.#by.get(key);
    if (texts === undefined) this.#by.set(key, texts = new Map());
    const found = texts.get(text);
    if (found === undefined) texts.set(text, [chunk]);
    else found.push(chunk);
  }

  /** The chunks that a requisite names, in their order; undefined if there is no such state or file. */
  find({ module, value }: Requisite): readonly LowChunk[] | undefined {
    if (value === null) return [];
    const found = GLOB.test(value) ? this.#search(module, value) : this.#by.get(module)?.get(value) ?? [];
    if (found.length > 0) return found;
    // A requisite on an SLS file without states is met.
    return module === "sls" && this.#files.some(compileGlob(value)) ? [] : undefined;
  }

  #search(module: string, value: string): readonly LowChunk[] {
    let globs = this.#globs.get(module);
    if (globs === undefined) this.#globs.set(module, globs = new Map());
    let found = globs.get(value);
    if (found === undefined) {
      const matches = compileGlob(value);
      const texts = [...this.#by.get(module)?.keys() ?? []].filter(matches);
      const wanted = new Set(texts.flatMap((text) => this.#by.get(module)!.get(text)!));
      globs.set(value, found = this.#chunks.filter((chunk) => wanted.has(chunk)));
    }
    return found;
  }
}

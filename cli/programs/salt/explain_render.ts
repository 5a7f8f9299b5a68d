/**
 * Finds the mistake in an SLS or top file of this master: Salt's texts name neither file nor line. For stderr; scripts compare
 * stdout.
 */
import { entriesOf, isMap } from "../../../src/language/python/values.ts";
import { hasReturn, type Outcome } from "../../../src/client/outcome.ts";
import { joinPath } from "../../../src/base/paths.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

/** Texts of one return to look at, files to search for, and files to name, at most. */
const MAX_TEXTS = 100;
const MAX_LOOKED_FOR = 100;
const MAX_FILES = 5;

const STATES = /^Rendering SLS '([^':]+):([^']+)' failed: (.*)/s;
const PILLAR = /^Rendering SLS '([^':]+)' failed\. Please see master log for details\.$/;
const TOP = /^No Top file or master_tops data matches found\./;

/** A file that a return reports as not renderable. */
interface Blamed {
  option: "file_roots" | "pillar_roots";
  /** Environment of the file; undefined for any environment. */
  saltenv: string | undefined;
  /** Possible paths below the roots, in the order of search. */
  names: readonly string[];
}

/** The texts in which a state or pillar function reports errors. */
function textsOf(value: unknown): string[] {
  const list = Array.isArray(value)
    ? value
    : isMap(value)
    ? entriesOf(value).slice(0, 2).flatMap(([key, item]) =>
      key === "_errors" && Array.isArray(item)
        ? item
        : isMap(item)
        ? entriesOf(item).filter(([name]) => name === "comment").map(([, text]) => text)
        : []
    )
    : [];
  return list.slice(0, MAX_TEXTS).filter((text): text is string => typeof text === "string");
}

const slsFiles = (sls: string) => {
  const path = sls.replaceAll(".", "/");
  return [`${path}.sls`, `${path}/init.sls`];
};

function blamedBy(text: string, top: string): Blamed | undefined {
  const state = STATES.exec(text);
  if (state !== null) return { option: "file_roots", saltenv: state[1], names: slsFiles(state[2]!) };
  const pillar = PILLAR.exec(text);
  if (pillar !== null) return { option: "pillar_roots", saltenv: undefined, names: slsFiles(pillar[1]!) };
  return TOP.test(text) ? { option: "file_roots", saltenv: undefined, names: [top] } : undefined;
}

/** Collects returns, and names the files of this host that cause their errors. */
export class RenderErrors {
  readonly #fs: Runtime["fs"];
  readonly #opts: Record<string, unknown>;
  readonly #blamed = new Map<string, Blamed>();

  constructor({ fs }: Pick<Runtime, "fs">, opts: object) {
    this.#fs = fs;
    this.#opts = opts as Record<string, unknown>;
  }

  take(outcome: Outcome): void {
    if (!hasReturn(outcome) || this.#blamed.size >= MAX_LOOKED_FOR) return;
    for (const text of textsOf(outcome.return)) {
      const blamed = blamedBy(text, String(this.#opts.state_top ?? "top.sls"));
      if (blamed !== undefined) this.#blamed.set(text, blamed);
    }
  }

  /** A line for each mistake found, with file, line and column. */
  async lines(): Promise<string[]> {
    if (this.#blamed.size === 0) return [];
    // Templates are a third of what this program could load, and hardly ever needed.
    const { mistakeIn } = await import("./file_mistake.ts");
    const lines: string[] = [];
    for (const blamed of this.#blamed.values()) {
      if (lines.length >= MAX_FILES) break;
      const line = this.#explain(blamed, mistakeIn);
      if (line !== undefined) lines.push(line);
    }
    return lines;
  }

  #explain({ option, saltenv, names }: Blamed, mistakeIn: (text: string) => string | undefined): string | undefined {
    const all = this.#opts[option];
    const roots = (isMap(all) ? entriesOf(all) : []).filter(([env]) => saltenv === undefined || String(env) === saltenv)
      .flatMap(([, directories]) => [directories].flat());
    for (const root of roots) {
      for (const name of names) {
        const path = joinPath(String(root), name);
        try {
          const mistake = this.#fs.stat(path)?.kind === "file" ? mistakeIn(this.#fs.readText(path)) : undefined;
          if (mistake !== undefined) return `${path}, ${mistake}`;
        } catch {
          // A user who may not read the file learns nothing more.
        }
      }
    }
    return undefined;
  }
}

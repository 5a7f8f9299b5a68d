/** Filters, tests and globals of templates in custom Python modules: `salt.utils.decorators.jinja` marks their functions. */
import type { AdditionKind, TemplateAdditions } from "../../language/render/jinja/additions.ts";
import type { RenderJob } from "../../language/render/renderer.ts";
import { type CustomFile, customFiles, type CustomKind, directoriesStamp } from "./custom_files.ts";
import type { CustomPlace } from "./loaded_file.ts";

/** Kinds of files with such functions. */
const KINDS: readonly CustomKind[] = ["modules", "utils"];

/** A function that a decorator marks. */
interface Marked {
  kind: AdditionKind;
  /** The name in templates. */
  name: string;
  /** The name in the file. */
  fun: string;
}

const DECORATORS: Readonly<Record<string, AdditionKind>> = {
  jinja_filter: "filter",
  JinjaFilter: "filter",
  jinja_test: "test",
  JinjaTest: "test",
  jinja_global: "global",
  JinjaGlobal: "global",
};

const RENAMED = /\b(jinja_(?:filter|test|global)|Jinja(?:Filter|Test|Global))[^\S\n]+as[^\S\n]+(\w+)/g;

// The decorator with a text or nothing as its argument; then other decorators, comments and blank lines, and the function.
const DECORATED =
  /^[^\S\n]*@(?:[\w.]*\.)?(\w+)\(\s*(?:(?:name\s*=\s*)?(?:"([^"\n]*)"|'([^'\n]*)')\s*,?\s*)?\)[^\S\n]*(?:#.*)?\n(?=(?:[^\S\n]*(?:[@#].*)?\n)*[^\S\n]*(?:async[^\S\n]+)?def[^\S\n]+(\w+))/gm;

/** The marked functions of a module, found in its text: Python is not started for a template that uses none. */
export function markedIn(source: string): Marked[] {
  if (!/jinja_(?:filter|test|global)|Jinja(?:Filter|Test|Global)/.test(source)) return [];
  const kinds = new Map(Object.entries(DECORATORS));
  for (const [, name, other] of source.matchAll(RENAMED)) kinds.set(other!, DECORATORS[name!]!);
  return Array.from(source.matchAll(DECORATED)).flatMap(([, decorator, double, single, fun]) => {
    const kind = kinds.get(decorator!);
    return kind === undefined ? [] : [{ kind, name: double || single || fun!, fun: fun! }];
  });
}

/** The text of a file, or of a package's first file. */
function textOf({ fs }: CustomPlace["runtime"], path: string): string {
  try {
    return fs.readText(fs.stat(path)?.kind === "directory" ? `${path}/__init__.py` : path);
  } catch {
    // The file was removed, or must not be read.
    return "";
  }
}

interface Found extends Marked {
  of: CustomKind;
  file: CustomFile;
}

function foundIn(place: CustomPlace): Found[] {
  return KINDS.flatMap((of) =>
    [...customFiles(place.runtime, place.opts, of).values()]
      .filter(({ form }) => form === "python")
      .flatMap((file) => markedIn(textOf(place.runtime, file.path)).map((marked) => ({ ...marked, of, file })))
  );
}

/** The marked functions of a host by kind and name, and their names. */
interface Known {
  found: Map<string, Found>;
  names: TemplateAdditions["names"];
}

/** Milliseconds after which files are read again in any case: one may have been changed in its place. */
const RECENT_MS = 1000;

/** By options: each templated file of a run asks, and reading all modules for it would take longer than to render it. */
const KNOWN = new WeakMap<object, { stamp: string; at: number; known: Known }>();

function knownIn(place: CustomPlace): Known {
  const { runtime, opts } = place;
  const at = runtime.clock.elapsed();
  const stamp = KINDS.map((kind) => directoriesStamp(runtime, opts, kind)).join();
  const last = KNOWN.get(opts);
  if (last !== undefined && last.stamp === stamp && at - last.at < RECENT_MS) return last.known;
  const found = new Map<string, Found>();
  for (const one of foundIn(place)) {
    const key = `${one.kind} ${one.name}`;
    // As in Salt, the first counts.
    if (!found.has(key)) found.set(key, one);
  }
  const namesOf = (kind: AdditionKind) =>
    new Set([...found.values()].filter((one) => one.kind === kind).map(({ name }) => name));
  const known = { found, names: { filter: namesOf("filter"), test: namesOf("test"), global: namesOf("global") } };
  KNOWN.set(opts, { stamp, at, known });
  return known;
}

/** The additions of a host; they are looked for when a template asks. */
export function templateAdditions(place: CustomPlace): (job: RenderJob) => TemplateAdditions | undefined {
  return (job) => {
    const { found, names } = knownIn(place);
    if (found.size === 0) return undefined;
    return {
      names,
      async call(kind, name, args, keywords) {
        const { of, file, fun } = found.get(`${kind} ${name}`)!;
        const { callMarked } = await import("./python/python_additions.ts");
        return await callMarked(place, job, of, file, fun, args, keywords);
      },
    };
  };
}

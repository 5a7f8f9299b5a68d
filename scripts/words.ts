/**
 * Checks the words of the documents, and of the texts in the programs and the console: `npm run lint:words`, for some files
 * `npm run lint:words -- docs/api.md cli/demo.ts`. It prints `file:line: rule: what was found, and the remedy`. The rules are in `words/rules.ts`, the phrases in `words/phrases.ts`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { literalsOf } from "./words/literals.ts";
import { type Bounds, CELL, type Problem, problemsOf, SENTENCE } from "./words/rules.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GUIDE = 1500;
const ALL: Bounds = { sentence: SENTENCE, cell: CELL };

/** Documents with bounds of their own. A page of `docs/` without a row is a guide. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  "README.md": { ...ALL, page: 1000 },
  "CHANGELOG.md": { ...ALL, page: 600 },
  "ARCHITECTURE.md": ALL,
  "bench/README.md": ALL,
  // References: as long as their facts.
  "docs/compatibility-table.md": ALL,
  "docs/internals/compatibility.md": ALL,
  "docs/metrics.md": ALL,
  "docs/options.md": ALL,
  "docs/troubleshooting.md": ALL,
};

/** Documents of `docs/internals` are for developers: only phrases and headings are checked. */
const boundsOf = (file: string): Bounds =>
  BOUNDS[file] ?? (file.startsWith("docs/internals/") ? {} : { ...ALL, page: GUIDE });

const below = (folder: string) =>
  existsSync(path.join(ROOT, folder))
    ? readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith(".md")).sort().map((name) =>
      `${folder}/${name}`
    )
    : [];

/** What is checked. Records of decisions stay as they were written. */
export function documents(): string[] {
  const examples = readdirSync(path.join(ROOT, "examples")).map((name) => `examples/${name}/README.md`);
  return [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    "tests/README.md",
    ...examples.filter((file) => existsSync(path.join(ROOT, file))),
    ...below("docs"),
    ...below("docs/internals"),
  ];
}

/** Texts of Salt that scripts compare, and texts that are not prose: file → how each begins. */
const EXEMPT: Readonly<Record<string, readonly string[]>> = {
  "cli/complete/shells.ts": ["# Completion of", "#compdef"],
  "cli/demo.ts": ["Usage:", "Next steps:"],
  "cli/options/groups.ts": ["--no-color", "--force-color"],
  "cli/programs/run/run_in_master.ts": ["Running in asynchronous mode."],
  "src/content/state/compile/verify_high.ts": ["The function "],
  "src/content/state/run/retry.ts": ["`x` The state would be retried"],
  "src/host/gateway/console_page.ts": ["<!DOCTYPE html>"],
  "src/language/jinja/globals.ts": ["a ac accumsan"],
  "src/language/jinja/methods/markup.ts": ["capitalize casefold"],
};

/** Sources whose texts are checked. Those of `src/plugins` are mostly Salt's, `client/functions` has signatures, and two files are Python. */
export function sources(): string[] {
  return ["cli", "src"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`)
  ).filter((file) =>
    /(?<!\.d)\.tsx?$/.test(file) &&
    !/^src\/(plugins\/|client\/functions\/|model\/loader\/python\/(?:boot|sources)\.ts)/.test(file)
  ).sort();
}

/** The problems of the texts in a source. */
export function problemsOfSource(source: string, file: string): Problem[] {
  return literalsOf(source, file).filter(({ text }) => !(EXEMPT[file] ?? []).some((start) => text.startsWith(start)))
    .flatMap(({ line, text }) =>
      problemsOf(text.replace(/^[#|\s-]+/, ""), { sentence: SENTENCE }).map((problem) => ({ ...problem, line }))
    );
}

export function problemsIn(file: string): Problem[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  return /\.tsx?$/.test(file) ? problemsOfSource(text, file) : problemsOf(text, boundsOf(file));
}

/** The problems of a document as lines: `docs/keys.md:12: cell: …`. */
export const complaints = (file: string): string[] =>
  problemsIn(file).map(({ line, rule, text }) => `${file}:${line}: ${rule}: ${text}`);

if (import.meta.main) {
  const named = process.argv.slice(2);
  const files = named.length === 0 ? [...documents(), ...sources()] : named;
  const found = files.flatMap(complaints);
  for (const line of found) console.log(line);
  if (found.length > 0) process.exitCode = 1;
}

/**
 * Builds the API reference: `npm run docs:api` writes `dist/api`, plain files that any web server, or a browser without one,
 * shows. It is made by `deno doc` from the comments of the entry modules. The functions with their types have a page of their
 * own, `functions.html`: each as a symbol of its own would be thousands of pages.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ARGUMENT_TYPES } from "../src/client/functions/signature_types.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FAMILIES = ["execution", "runner", "wheel"] as const;
const TITLES = { execution: "Execution functions", runner: "Runners", wheel: "Wheel functions" };
/** Those that the page of a table shows as its examples. */
const SHOWN = ["test.ping", "cmd.run_all", "manage.up", "key.list_all"];

/** One line of a table: its comment and its entry. */
const ENTRY = /^ {2}\/\*\* (.*) \*\/ "([\w.]+)": FunctionType<"(.*?)", (.*)>;\n/gm;

const tableFile = (family: string) => `src/client/functions/${family}_functions.ts`;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const BY_NAME = new Map(
  Object.entries(ARGUMENT_TYPES).flatMap(([type, names]) => names.trim().split(/\s+/).map((name) => [name, type])),
);

/** A signature in which the arguments that are typed by their names have their annotations too. */
const annotated = (signature: string): string =>
  signature.replace(/(^|, )(\w+)(?=[,=]|$)/g, (piece, _start, name) => {
    const type = BY_NAME.get(name);
    return type === undefined ? piece : `${piece}: ${type}`;
  });

/** The rows of a family as HTML. */
function rows(family: string): string {
  return [...readFileSync(path.join(ROOT, tableFile(family)), "utf8").matchAll(ENTRY)].map((
    [, doc = "", name = "", signature = "", returns = ""],
  ) =>
    `<tr id="${family}.${name}"><td><code>${name}</code><td>${escaped(doc)}<td><code>${
      escaped(annotated(signature))
    }</code><td><code>${escaped(returns)}</code></tr>`
  ).join("\n");
}

/** The page of all functions. */
export function functionsPage(): string {
  const parts = FAMILIES.map((family) =>
    `<h2 id="${family}">${TITLES[family]}</h2>\n<table>\n<tr><th>Name<th>What it does<th>Arguments<th>Returns</tr>\n${
      rows(family)
    }\n</table>`
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Functions – Brine</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
th:first-child { width: 16%; } th:nth-child(2) { width: 26%; }
code { font-size: 13px; } input { font: inherit; padding: .3rem .5rem; width: 20rem; max-width: 100%; }
</style>
<p><a href="index.html">API reference</a></p>
<h1>Functions, their arguments and returns</h1>
<p>As the types of the package have them: <code>FunctionReturn&lt;"cmd.run"&gt;</code> and its like; arguments in Python's
notation. <label>Only those with <input id="words" type="search" autocomplete="off"></label></p>
${parts.join("\n")}
<script>
const input = document.getElementById("words");
const lines = [...document.querySelectorAll("tr[id]")].map((row) => [row, row.textContent.toLowerCase()]);
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\\s+/);
  for (const [row, text] of lines) row.hidden = !words.every((word) => text.includes(word));
});
</script>
</html>
`;
}

/** A table with some of its entries, and a word about the others. */
function shortened(text: string): string {
  const more = " *\n * Here are some of them; [functions.html](../functions.html) has all.\n";
  return text.replace(ENTRY, (entry, _doc, name) => SHOWN.includes(name) ? entry : "")
    // Behind the first paragraph.
    .replace(/^\/\*\*\n(?: \* .*\n)+/m, `$&${more}`);
}

/** Builds the reference into a directory, which is emptied before. */
export function buildApiDocs(to: string): void {
  const source = mkdtempSync(path.join(tmpdir(), "brine-api-"));
  try {
    for (const name of ["mod.ts", "src", "cli", "deno.json"]) {
      cpSync(path.join(ROOT, name), path.join(source, name), { recursive: true });
    }
    for (const family of FAMILIES) {
      const file = path.join(source, tableFile(family));
      writeFileSync(file, shortened(readFileSync(file, "utf8")));
    }
    const entries = Object.values(JSON.parse(readFileSync(path.join(ROOT, "deno.json"), "utf8")).exports as object);
    rmSync(to, { recursive: true, force: true });
    // The directory of what is built is not there in a fresh checkout.
    mkdirSync(path.dirname(to), { recursive: true });
    const words = [
      "doc",
      "--html",
      "--name=Brine",
      `--output=${to}`,
      "--no-config",
      "--no-lock",
      "--no-npm",
      "--no-remote",
    ];
    execFileSync(path.join(ROOT, "node_modules/.bin/deno"), [...words, ...entries], {
      cwd: source,
      stdio: ["ignore", "ignore", "pipe"],
    });
    writeFileSync(path.join(to, "functions.html"), functionsPage());
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf("--to");
  const to = at < 0 ? path.join(ROOT, "dist/api") : path.resolve(process.argv[at + 1]!);
  buildApiDocs(to);
  process.stdout.write(`built ${to}\n`);
}

/** A snippet made a file that can be checked and run. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ENTRIES, ROOT, type Snippet } from "./snippets.ts";

const exported = new Map<string, string>();
for (const name of ["brine", "brine/master", "brine/minion"]) {
  for (const key of Object.keys(await import(pathToFileURL(ENTRIES[name]!).href))) {
    if (!exported.has(key)) exported.set(key, name);
  }
}

/** A snippet as a file by itself: a piece of a comment has no imports, since it stands beside what it shows. */
export function whole({ code, where }: Snippet, entry: (name: string) => string): string {
  const text = code
    .replace(
      /from "(?:\.\/mod\.ts|https:\/\/[^"]*\/mod\.ts|(brine[\w/]*))"/g,
      (_all, name = "brine") => `from "${entry(name)}"`,
    )
    // What a comment imports stands beside its file.
    .replace(
      /from "(\.[^"]*)"/g,
      (_all, file) => `from "${path.join(ROOT, path.dirname(where.split(":")[0]!), file)}"`,
    );
  if (/^import /m.test(text)) return text;
  const words = new Set(text.match(/\b[A-Za-z]\w*/g));
  const used = [...exported].filter(([name]) => words.has(name) && !new RegExp(`function ${name}\\b`).test(text));
  return `${used.map(([name, from]) => `import { ${name} } from "${entry(from)}";\n`).join("")}${text}\nexport {};\n`;
}

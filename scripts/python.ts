/**
 * Writes `src/model/loader/python/sources.ts`: the Python of `src/model/loader/python/` as text, so that each form of Brine carries it. The helper gets it
 * through a pipe, and nothing of it is on the disk of a host. `tests/model/loader/python/sources_test.ts` checks that it is up to date.
 *
 *     npm run python
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const PLACE = "src/model/loader/python";
/** Packages: the helper, and what custom modules find as `salt`. */
const PACKAGES = ["brine_helper", "salt"];

/** The text of `sources.ts`. */
export function sourcesModule(): string {
  const files = PACKAGES.flatMap((name) =>
    readdirSync(join(root, PLACE, name), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".py"))
      .map((file) => `${name}/${file}`)
  ).sort();
  const entries = files.map((file) =>
    `  ${JSON.stringify(file)}: ${JSON.stringify(readFileSync(join(root, PLACE, file), "utf8"))},\n`
  );
  return "/** The Python of `src/model/loader/python/`, by file. Written by `npm run python`. */\n" +
    `export const SOURCES: Record<string, string> = {\n${entries.join("")}};\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(join(root, "src/model/loader/python/sources.ts"), sourcesModule());
}

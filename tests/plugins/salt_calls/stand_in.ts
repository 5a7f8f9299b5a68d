/** Programs that say what a recorded one said, for calls of modules on hosts without it. */
import * as fs from "node:fs";
import path from "node:path";

/** What a program prints and ends with; a text stands for its standard output. */
export type Said = string | { out?: string; err?: string; code?: number };

/**
 * A program by its calls: its words joined by spaces, where `*` stands for anything, and what it does. Of a list each call takes the
 * next, and the last one stays. It is silent and content with other words.
 */
export type StandIn = Record<string, Said | Said[]>;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function saying(said: Said): string {
  const { out = "", err = "", code = 0 } = typeof said === "string" ? { out: said } : said;
  const print = (text: string, to: string) =>
    text === "" ? "" : `printf '%s' ${quoted(text.endsWith("\n") ? text : `${text}\n`)}${to}; `;
  return `${print(out, "")}${print(err, " >&2")}exit ${code}`;
}

/** @param turns where it counts its calls */
function script(program: StandIn, name: string, log: string, turns: string): string {
  const cases = Object.entries(program).map(([words, said], at) => {
    const pattern = words.split("*").map((part) => part === "" ? "" : quoted(part)).join("*");
    if (!Array.isArray(said)) return `${pattern === "" ? "''" : pattern}) ${saying(said)};;`;
    const file = quoted(`${turns}/${name}.${at}`);
    // A counter in strokes: a file that grows by one with each call.
    const rows = said.map((one, turn) =>
      `${turn === said.length - 1 ? "*" : quoted("x".repeat(turn))}) ${saying(one)};;`
    );
    return `${pattern}) turn=$(cat ${file} 2>/dev/null); printf x >> ${file}; case "$turn" in\n${
      rows.join("\n")
    }\nesac;;`;
  });
  const words = `{ printf '%s' ${quoted(name)}; for word; do printf ' [%s]' "$word"; done; echo; } >> ${quoted(log)}`;
  return `#!/bin/sh\n${words}\ncase "$*" in\n${cases.join("\n")}\n*) exit 0;;\nesac\n`;
}

/** Writes the programs of a scenario beside its directory. @returns where they are; undefined if it has none */
export function installStandIns(programs: Record<string, StandIn> | undefined, root: string): string | undefined {
  const directory = `${root}.bin`;
  fs.rmSync(directory, { recursive: true, force: true });
  if (programs === undefined) return undefined;
  fs.mkdirSync(directory);
  for (const [name, program] of Object.entries(programs)) {
    const text = script(program, name, path.join(root, "programs.log"), directory);
    fs.writeFileSync(path.join(directory, name), text.replaceAll("{D}", root), { mode: 0o755 });
  }
  return directory;
}

/** Runs the simulation over a copy of the source with one planted bug in it. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PlantedBug } from "./planted.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the simulation needs of the project: copied, so that imports lead to the bug and not past it. */
const COPIED = ["src", "tests/simulation", "tests/support", "tests/faults/history.ts"];
const LINKED = ["tests/vectors", "node_modules", "package.json", "deno.json"];

/** What running the seeds has shown. */
export interface Found {
  /** The first seed that found it; undefined if none did. */
  seed: number | undefined;
  output: string;
}

/** The command that runs a program of the tests on the runtime of this one. */
function command(): string[] {
  const { bun, deno } = process.versions as { [name: string]: string | undefined };
  if (deno !== undefined) return [process.execPath, "run", "-A", "--no-check", "--node-modules-dir=manual"];
  return bun !== undefined ? [process.execPath] : [process.execPath];
}

/** Runs seeds over a copy with the bug until one finds it. @param bug undefined: over the source as it is */
export async function huntFor(bug: PlantedBug | undefined, seeds: number): Promise<Found> {
  const copy = mkdtempSync(path.join(tmpdir(), "brine-planted-"));
  try {
    for (const name of COPIED) {
      mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
      cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    }
    for (const name of LINKED) symlinkSync(path.join(root, name), path.join(copy, name));
    for (const [file, text] of bug === undefined ? [] : planted(bug)) writeFileSync(path.join(copy, file), text);
    const main = path.join(copy, "tests/simulation/main.ts");
    const [program, ...argv] = [
      ...command(),
      main,
      "--seeds",
      String(seeds),
      "--first",
      ...(bug?.cluster ? ["--cluster"] : []),
    ];
    const output = await run(program!, argv, copy);
    const seed = /^seed (\d+):/m.exec(output)?.[1];
    return { seed: seed === undefined ? undefined : Number(seed), output };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The files with the bug, by their names. @throws {Error} if a place is not there, or not the only one */
export function planted({ name, edits }: PlantedBug): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const parts = (files.get(file) ?? readFileSync(path.join(root, file), "utf8")).split(from);
    if (parts.length !== 2) throw new Error(`"${name}": its place is ${parts.length - 1} times in ${file}`);
    files.set(file, parts.join(to));
  }
  return files;
}

function run(program: string, argv: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => output += chunk);
    child.stderr.on("data", (chunk) => output += chunk);
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

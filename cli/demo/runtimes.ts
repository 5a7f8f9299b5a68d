/** Finds the runtimes on this machine that the demonstration can use. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const installed = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

export interface RuntimeCommand {
  name: string;
  version: string;
  /** The words before the program's file. */
  argv: string[];
}

/** The words that start a Deno program, before its file. */
export const DENO_WORDS = ["run", "-A", "--no-lock", "-q"];

/** Runtimes on this machine that are recent enough; the one of this process comes first. */
export function findRuntimes(): RuntimeCommand[] {
  const { Deno, Bun } = globalThis as { Deno?: unknown; Bun?: unknown };
  const own = Deno !== undefined ? "deno" : Bun !== undefined ? "bun" : "node";
  const found: RuntimeCommand[] = [];
  for (const name of [own, ...["node", "bun", "deno"].filter((other) => other !== own)]) {
    const candidates = name === own
      ? [process.execPath]
      : (process.env.PATH ?? "").split(delimiter).map((dir) => join(dir, name));
    candidates.push(join(installed, name));
    for (const path of candidates) {
      if (!existsSync(path)) continue;
      const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
      const version = /\d+\.\d+\.\d+/.exec(stdout ?? "")?.[0];
      if (status !== 0 || version === undefined || (name === "node" && Number(version.split(".")[0]) < 24)) continue;
      found.push({ name, version, argv: [path, ...(name === "deno" ? DENO_WORDS : [])] });
      break;
    }
  }
  return found;
}

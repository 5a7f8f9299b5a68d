import type { AcceptancePolicy } from "../../../protocol/channel/key_store.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { matchExpression } from "../../../model/target/expression.ts";

export interface AutosignOptions {
  fs: FileSystem;
  clock: Clock;
  log: Logger;
  pkiDir: string;
  autoAccept: boolean;
  autosignFile: string;
  autorejectFile: string;
  /** How long a stub in `minions_autosign` is good, in minutes; 0 or less for ever. */
  autosignTimeout: number;
  autosignGrainsDir: string;
  /** The names of the files that count; if empty, all files in the directory count, as in Salt. */
  autosignGrains: readonly string[];
  permissivePkiAccess: boolean;
  /** `"text"` compares grain values in their text form, as 3007 does; `"raw"` takes text only, as 3006. @default "text" */
  grainComparison?: "raw" | "text";
}

/** Accepts and rejects keys by list files, stubs and grains. A list that other users can write to is ignored. */
export class Autosign implements AcceptancePolicy {
  readonly #options: AutosignOptions;
  readonly #lists = new Map<string, { stamp: string; lines: string[] }>();

  constructor(options: AutosignOptions) {
    this.#options = options;
  }

  autoReject(id: string): boolean {
    return this.#listed(this.#options.autorejectFile, id);
  }

  autoSign(id: string, grains: unknown): boolean {
    // The stub is used up even if another rule would accept the key: it was created for this minion alone.
    const stub = this.#takeStub(id);
    return this.#options.autoAccept || this.#listed(this.#options.autosignFile, id) || stub || this.#byGrains(grains);
  }

  #lines(path: string): string[] {
    const { fs, log, permissivePkiAccess } = this.#options;
    if (path === "") return [];
    const stat = fs.stat(path);
    if (stat?.kind !== "file") return [];
    if ((stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && !permissivePkiAccess)) {
      log.warning("autosign list ignored: other users may write to it", { path, mode: stat.mode.toString(8) });
      return [];
    }
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    const known = this.#lists.get(path);
    if (known?.stamp === stamp) return known.lines;
    let lines: string[] = [];
    try {
      lines = fs.readText(path).split("\n").map((line) => line.trim()).filter((line) =>
        line !== "" && !line.startsWith("#")
      );
    } catch (error) {
      log.error("autosign list cannot be read", { path, error: messageOf(error) });
    }
    this.#lists.set(path, { stamp, lines });
    return lines;
  }

  #listed(path: string, id: string): boolean {
    return this.#lines(path).some((line) => matchExpression(id, line));
  }

  #takeStub(id: string): boolean {
    const { fs, clock, pkiDir, autosignTimeout } = this.#options;
    const directory = joinPath(pkiDir, "minions_autosign");
    if (fs.stat(directory)?.kind !== "directory") return false;
    if (autosignTimeout > 0) {
      const oldest = clock.now() - autosignTimeout * 60_000;
      for (const name of fs.list(directory)) {
        const path = joinPath(directory, name);
        if ((fs.stat(path)?.mtimeMs ?? Infinity) < oldest) fs.remove(path);
      }
    }
    const path = joinPath(directory, id);
    if (fs.stat(path) === undefined) return false;
    fs.remove(path);
    return true;
  }

  #byGrains(grains: unknown): boolean {
    const { fs, autosignGrainsDir, autosignGrains, grainComparison = "text" } = this.#options;
    if (autosignGrainsDir === "" || typeof grains !== "object" || grains === null || Array.isArray(grains)) {
      return false;
    }
    if (fs.stat(autosignGrainsDir)?.kind !== "directory") return false;
    const wanted = new Set(autosignGrains);
    for (const name of fs.list(autosignGrainsDir)) {
      if ((wanted.size > 0 && !wanted.has(name)) || !Object.hasOwn(grains, name)) continue;
      const value = (grains as Record<string, unknown>)[name];
      if (grainComparison === "raw" && typeof value !== "string") continue;
      const text = typeof value === "boolean" ? (value ? "True" : "False") : String(value);
      if (this.#lines(joinPath(autosignGrainsDir, name)).includes(text)) return true;
    }
    return false;
  }
}

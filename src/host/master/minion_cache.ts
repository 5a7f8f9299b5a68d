import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Logger } from "../../base/log.ts";
import { sameBytes } from "../../runtime/bytes.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { decode, encode, Packed } from "../../protocol/wire/msgpack.ts";

/** The latest grains and pillar of a minion that the master has seen. */
export interface MinionData {
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
}

/**
 * Grains, pillar and mine of minions (`<cachedir>/minions/<id>/data.p` and `mine.p`), for targeting. Read and unpacked while a
 * target is matched: the grains of a thousand minions as objects would take tens of megabytes.
 */
export class MinionCache {
  readonly #fs: FileSystem;
  readonly #log: Logger;
  readonly #directory: string;
  /** Called after a file of a minion, `<id>/data.p` or `<id>/mine.p`, was written or removed. @default not called */
  onChange: ((name: string) => void) | undefined;

  constructor(fs: FileSystem, log: Logger, cacheDir: string) {
    this.#fs = fs;
    this.#log = log;
    this.#directory = joinPath(cacheDir, "minions");
    fs.mkdir(this.#directory, 0o755);
  }

  #path(id: string, name: string): string {
    if (!isMinionId(id)) throw new RangeError(`Cannot cache data: "${id}" is not a minion id`);
    return `${this.#directory}/${id}/${name}`;
  }

  #read(path: string, keep?: readonly string[]): unknown {
    if (this.#fs.stat(path)?.kind !== "file") return undefined;
    try {
      return decode(this.#fs.read(path), { mode: "bin", keep });
    } catch (error) {
      this.#log.warning("cached data of a minion cannot be read and is ignored", { path, error: messageOf(error) });
      return undefined;
    }
  }

  ids(): string[] {
    return this.#fs.list(this.#directory).filter((id) => isMinionId(id));
  }

  data(id: string): MinionData | undefined {
    return this.#read(this.#path(id, "data.p")) as MinionData | undefined;
  }

  /** The pillar of {@link MinionCache.data} as it is stored: a large one takes a while to unpack. */
  packedPillar(id: string): Packed | undefined {
    const data = this.#read(this.#path(id, "data.p"), ["pillar"]) as { pillar?: unknown } | undefined;
    return data?.pillar instanceof Packed ? data.pillar : undefined;
  }

  saveData(id: string, data: Omit<MinionData, "pillar"> & { pillar: MinionData["pillar"] | Packed }): void {
    this.#save(id, "data.p", data);
  }

  mine(id: string): Record<string, unknown> | undefined {
    return this.#read(this.#path(id, "mine.p")) as Record<string, unknown> | undefined;
  }

  saveMine(id: string, mine: Record<string, unknown>): void {
    this.#save(id, "mine.p", mine);
  }

  /** Saves data unless the file already has it: minions send the same data with each refresh, and a write costs ten times a look. */
  #save(id: string, name: string, value: unknown): void {
    const path = this.#path(id, name);
    const bytes = encode(value, "bin");
    const there = this.#fs.stat(path);
    if (there?.kind === "file" && there.size === bytes.length && sameBytes(this.#fs.read(path), bytes)) return;
    if (there === undefined) this.#fs.mkdir(`${this.#directory}/${id}`, 0o755);
    this.#fs.write(path, bytes, { mode: 0o600 });
    this.onChange?.(`${id}/${name}`);
  }

  /** Removes all cached data of a minion. */
  forget(id: string): void {
    if (!isMinionId(id)) return;
    this.#fs.remove(`${this.#directory}/${id}`, { recursive: true });
    for (const name of ["data.p", "mine.p"]) this.onChange?.(`${id}/${name}`);
  }

  /** Removes the mine of a minion. @returns false if there was none */
  flushMine(id: string): boolean {
    const path = this.#path(id, "mine.p");
    if (this.#fs.stat(path) === undefined) return false;
    this.#fs.remove(path);
    this.onChange?.(`${id}/mine.p`);
    return true;
  }

  /** Returns the directory of the files that a minion pushes. */
  filesDirectory(id: string): string {
    return this.#path(id, "files");
  }
}

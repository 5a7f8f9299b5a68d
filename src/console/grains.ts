import { ApiError } from "./api.ts";

/** Reads the grains of these ids out of the master's cache: id → grains; those without any may be missing. */
export type ReadGrains = (ids: string[]) => Promise<Record<string, unknown>>;

/** Ids in one request. Each is a runner of its own, whose start takes longer than to read a thousand. */
const PIECE = 1000;
/** Values that are longer than this as JSON are often the same on many minions, and kept once. */
const SHARED_FROM = 200;

/**
 * The grains of the fleet as the master's cache has them, read in pieces and only as far as somebody wants them: those of
 * five thousand minions are tens of megabytes.
 */
export class GrainsCache {
  readonly #read: ReadGrains;
  readonly #onChange: () => void;
  readonly #known = new Map<string, Record<string, unknown>>();
  readonly #wanted = new Set<string>();
  readonly #shared = new Map<string, unknown>();
  #reading = false;
  /** Why the last piece could not be read. */
  error: unknown;

  constructor(read: ReadGrains, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** Undefined until they are read; empty if the master has none. */
  of(id: string): Record<string, unknown> | undefined {
    return this.#known.get(id);
  }

  get size(): number {
    return this.#known.size;
  }

  /** Has the grains of these read, if they are not known; `first` puts them before all that is waiting. */
  want(ids: readonly string[], first = false): void {
    // Who may not read them now may not in a second either.
    if (this.error instanceof ApiError && this.error.kind === "forbidden") return;
    const missing = ids.filter((id) => !this.#known.has(id) && (first || !this.#wanted.has(id)));
    if (missing.length === 0) return;
    if (first) {
      const rest = [...this.#wanted];
      this.#wanted.clear();
      for (const id of missing) this.#wanted.add(id);
      for (const id of rest) this.#wanted.add(id);
    } else for (const id of missing) this.#wanted.add(id);
    void this.#run();
  }

  /** Takes grains that came another way, as from `grains.items`. */
  set(id: string, grains: Record<string, unknown>): void {
    this.#known.set(id, grains);
    this.#onChange();
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Forgets all of it, and reads no more of what was wanted. */
  clear(): void {
    this.#known.clear();
    this.#wanted.clear();
    this.#shared.clear();
    this.error = undefined;
  }

  async #run(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#wanted.size > 0) {
        const piece = [...this.#wanted].slice(0, PIECE);
        const found = await this.#read(piece);
        this.error = undefined;
        for (const id of piece) {
          this.#wanted.delete(id);
          this.#known.set(id, this.#share(found[id]));
        }
        this.#onChange();
      }
    } catch (error) {
      // Not tried again by itself: the next one who wants some starts it anew.
      this.error = error;
      this.#wanted.clear();
      this.#onChange();
    } finally {
      this.#reading = false;
    }
  }

  #share(grains: unknown): Record<string, unknown> {
    if (typeof grains !== "object" || grains === null) return {};
    const out = grains as Record<string, unknown>;
    for (const [name, value] of Object.entries(out)) {
      if (typeof value !== "object" || value === null) continue;
      const text = JSON.stringify(value);
      if (text.length < SHARED_FROM) continue;
      const same = this.#shared.get(text);
      if (same === undefined) this.#shared.set(text, value);
      else out[name] = same;
    }
    return out;
  }
}

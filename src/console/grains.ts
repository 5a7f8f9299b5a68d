import { ApiError } from "./api.ts";

/** Reads grains from the master's cache: id → grains; ids without grains may be missing. */
type ReadGrains = (ids: string[]) => Promise<Record<string, unknown>>;

/** The number of ids in one request. Each request starts a runner, which takes longer than reading a thousand minions. */
const PIECE = 1000;
/** The length of a value as JSON from which it is kept only once, since long values are often equal on many minions. */
const SHARED_FROM = 200;

/**
 * Grains from the master's cache, read in pieces and only for the minions that pages want: grains of five thousand minions
 * take tens of megabytes.
 */
export class GrainsCache {
  readonly #read: ReadGrains;
  readonly #onChange: () => void;
  readonly #known = new Map<string, Record<string, unknown>>();
  readonly #wanted = new Set<string>();
  readonly #shared = new Map<string, unknown>();
  #reading = false;
  /** The error of the last failed request. */
  error: unknown;

  constructor(read: ReadGrains, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** The grains of a minion; undefined until they are read, empty if the master has none. */
  of(id: string): Record<string, unknown> | undefined {
    return this.#known.get(id);
  }

  get size(): number {
    return this.#known.size;
  }

  get isReading(): boolean {
    return this.#reading;
  }

  /** Reads the grains of these minions unless they are known; `first` puts them before others that wait. */
  want(ids: readonly string[], first = false): void {
    // The account may not read grains: do not ask again.
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

  /** Takes grains from another source, such as `grains.items`. */
  set(id: string, grains: Record<string, unknown>): void {
    this.#known.set(id, grains);
    this.#onChange();
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Forgets all grains and the waiting requests. */
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
      // The request is not repeated here: the next call of want() tries again.
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

import { joinPath } from "../../base/paths.ts";
import { messageOf } from "../../base/errors.ts";
import { isMinionId } from "../../base/minion_id.ts";
import type { Logger } from "../../base/log.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { compileGlob, type Predicate } from "../../language/python/glob.ts";

interface SyndicsOptions {
  fs: FileSystem;
  log: Logger;
  /** `<cachedir>/syndics`, with an empty file for each syndic, as in Salt. */
  directory: string;
  served: boolean;
  /** `syndic_minions`: syndic id or glob → ids or globs of minions; empty for no such list. */
  minions: Record<string, unknown>;
  accepted(id: string): boolean;
}

/** The content of the file of a syndic whose id is also a minion of this master. */
const ALSO_MINION = "minion";

/**
 * The syndics below this master, and the minions that each may speak for. A syndic is an accepted key whose holder has acted as one: by
 * its start event, a list of its minions, or returns.
 */
export class Syndics {
  readonly #options: SyndicsOptions;
  readonly #known = new Set<string>();
  /** Syndics whose id has also acted as a minion of this master. */
  readonly #alsoMinions = new Set<string>();
  /** Syndics that report the outcome of each minion: they and their local master are Brine's. */
  readonly #reporting = new Set<string>();
  readonly #rules: readonly { syndic: Predicate; minions: readonly Predicate[] }[];

  constructor(options: SyndicsOptions) {
    this.#options = options;
    this.#rules = Object.entries(options.minions).map(([syndic, minions]) => ({
      syndic: compileGlob(syndic),
      minions: [minions].flat().map((rule) => compileGlob(String(rule))),
    }));
    const { fs, directory, served } = options;
    if (!served || fs.stat(directory)?.kind !== "directory") return;
    for (const id of fs.list(directory)) {
      if (!isMinionId(id)) continue;
      this.#known.add(id);
      if (fs.readText(joinPath(directory, id)).trim() === ALSO_MINION) this.#alsoMinions.add(id);
    }
  }

  /** True if an accepted key may be a syndic at all, by `order_masters` and `syndic_minions`. */
  mayBe(id: string): boolean {
    return this.#options.served && (this.#rules.length === 0 || this.#rules.some(({ syndic }) => syndic(id)));
  }

  /** Remembers a syndic. False if the id may not be a syndic. */
  register(id: string): boolean {
    if (!this.mayBe(id)) return false;
    if (this.#known.has(id)) return true;
    this.#known.add(id);
    this.#options.log.info("syndic registered", { syndic: id });
    this.#save(id);
    return true;
  }

  /** Notes that the id of a syndic has also acted as a minion of this master. */
  isAlsoMinion(id: string): void {
    if (!this.#known.has(id) || this.#alsoMinions.has(id)) return;
    this.#alsoMinions.add(id);
    this.#save(id);
  }

  #save(id: string): void {
    const { fs, log, directory } = this.#options;
    try {
      fs.mkdir(directory, 0o755);
      fs.write(joinPath(directory, id), this.#alsoMinions.has(id) ? ALSO_MINION : "", { mode: 0o644 });
    } catch (error) {
      log.warning("syndic cannot be recorded: after a restart, the master knows it when it reports again", {
        syndic: id,
        error: messageOf(error),
      });
    }
  }

  known(id: string): boolean {
    return this.#known.has(id);
  }

  /** True for a syndic that is not also a minion of this master, so it is never a target. */
  isSyndicOnly(id: string): boolean {
    return this.#known.has(id) && !this.#alsoMinions.has(id);
  }

  /** Ids of the syndics whose keys are accepted: each receives every job. */
  ids(): string[] {
    return [...this.#known].filter((id) => this.#options.accepted(id));
  }

  /** Sets whether a syndic reports the outcome of each of its minions. */
  setReporting(id: string, reports: boolean): void {
    if (reports) this.#reporting.add(id);
    else this.#reporting.delete(id);
  }

  isReporting(id: string): boolean {
    return this.#reporting.has(id);
  }

  /**
   * True if a syndic may speak for a minion: for its own id, and for those that have no key here and, where `syndic_minions`
   * has rules, are in its list. A minion with a key here speaks for itself.
   */
  speaksFor(syndic: string, id: unknown): id is string {
    if (!isMinionId(id) || !this.mayBe(syndic)) return false;
    if (id === syndic) return true;
    if (this.#options.accepted(id)) return false;
    return this.#rules.length === 0 ||
      this.#rules.some((rule) => rule.syndic(syndic) && rule.minions.some((minion) => minion(id)));
  }
}

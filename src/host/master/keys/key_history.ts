import type { Clock } from "../../../base/async/clock.ts";
import { grouped } from "../../../base/async/deferred.ts";
import type { KeyStatus } from "../../../protocol/channel/key_store.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { KeyDecision } from "../../../model/loader/wheel.ts";
import type { Logger } from "../../../base/log.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { PatternCache } from "../../../model/target/patterns.ts";

/**
 * Who decides on keys, as the history shows it.
 *
 * @internal
 */
export interface KeyActor {
  /** The name of a user, or the id of the minion that asks. */
  user: string;
  /** How the decision was made: by a program, a wheel function, or a rule of the master. */
  via: "salt-key" | "wheel" | "autosign" | "autoreject" | "minion" | "rotation" | "expiry" | "master";
  /** The address of whoever asked, if it came over the network. */
  from?: string;
}

type KeyAct = KeyDecision["act"];

/** The most bytes of the current file; then it becomes `key_history.1`, and the previous file of that name is gone. */
const MAX_FILE_BYTES = 8 * 2 ** 20;
/** The most characters of a user's name or an address that are kept. */
const MAX_NAME_CHARACTERS = 128;
/** The most decisions that one request returns, the newest ones. */
const MAX_SHOWN = 100_000;

const NAMES = ["key_history.1", "key_history"];

interface KeyHistoryOptions {
  fs: FileSystem;
  clock: Pick<Clock, "now">;
  log: Logger;
  /** The master's `pki_dir`, which only its own user can read. */
  pkiDir: string;
}

/**
 * Who did what with which key, and when: one JSON object on each line of `<pki_dir>/key_history`, only ever appended to. The
 * master and `salt-key` write to the same file.
 */
export class KeyHistory {
  readonly #options: KeyHistoryOptions;
  readonly #path: string;
  #lines: string[] = [];
  readonly #write = grouped(async () => {
    const { fs } = this.#options;
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#makeRoom();
    const fresh = fs.stat(this.#path) === undefined;
    fs.append(this.#path, lines.join(""), 0o600);
    await fs.sync(this.#path);
    if (fresh) await fs.sync(this.#options.pkiDir);
  });

  /** @param options where the file is */
  constructor(options: KeyHistoryOptions) {
    this.#options = options;
    this.#path = joinPath(options.pkiDir, NAMES[1]!);
  }

  /** Notes a decision; it is written with the next {@link KeyHistory.saved}. */
  note(
    act: KeyAct,
    id: string,
    actor: KeyActor,
    more: { was?: KeyStatus; finger?: string; new_finger?: string; replaced?: string },
  ): void {
    const { user, via, from } = actor;
    const decision: KeyDecision = {
      time: new Date(this.#options.clock.now()).toISOString(),
      act,
      id,
      ...more,
      user: user.slice(0, MAX_NAME_CHARACTERS),
      via,
      ...(from === undefined ? {} : { from: from.slice(0, MAX_NAME_CHARACTERS) }),
    };
    this.#lines.push(`${JSON.stringify(decision)}\n`);
  }

  /** Resolves once all notes are on the disk. A full disk is only logged: the keys themselves were changed. */
  async saved(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      this.#options.log.error("key history cannot be written: the change of the key is not in it", {
        path: this.#path,
        error: messageOf(error),
      });
    }
  }

  /** Returns the newest decisions on the ids that match a glob, oldest first. @param limit the most decisions */
  read(glob: string, limit: number): KeyDecision[] {
    const { fs, pkiDir } = this.#options;
    const patterns = new PatternCache();
    const globs = glob.split(",").map((part) => patterns.glob(part));
    const most = Math.min(limit, MAX_SHOWN);
    let found: KeyDecision[] = [];
    for (const name of NAMES) {
      const path = joinPath(pkiDir, name);
      if (fs.stat(path)?.kind !== "file") continue;
      for (const line of fs.readText(path).split("\n")) {
        const decision = decisionOf(line);
        if (decision !== undefined && globs.some((matches) => matches(decision.id))) found.push(decision);
      }
      found = found.slice(-most);
    }
    return found;
  }

  #makeRoom(): void {
    const { fs, pkiDir } = this.#options;
    if ((fs.stat(this.#path)?.size ?? 0) < MAX_FILE_BYTES) return;
    fs.rename(this.#path, joinPath(pkiDir, NAMES[0]!));
  }
}

/** The decision on a line; undefined for a line that was torn by a loss of power. */
function decisionOf(line: string): KeyDecision | undefined {
  if (line === "") return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value.id === "string" ? value as unknown as KeyDecision : undefined;
  } catch {
    return undefined;
  }
}

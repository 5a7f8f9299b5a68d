import { joinPath } from "../../../base/paths.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { isRecord } from "../../../base/record.ts";
import type { AuditEntry } from "./audit_entry.ts";

/** How many bytes of the history of keys are read at a time. */
const CHUNK = 2 ** 20;

/**
 * Carries decisions on keys from the history of keys into the audit log, also decisions of `salt-key` and those made while no
 * master was running. `<audit_dir>/key_history.read` says how far the history has been read.
 */
export class KeyFollower {
  readonly #fs: FileSystem;
  readonly #history: string;
  readonly #mark: string;
  #ino = 0;
  #offset = 0;

  /** @param fresh true if the audit log has just begun: earlier decisions are not part of it */
  constructor(fs: FileSystem, pkiDir: string, auditDir: string, fresh: boolean) {
    this.#fs = fs;
    this.#history = joinPath(pkiDir, "key_history");
    this.#mark = joinPath(auditDir, "key_history.read");
    const stat = fs.stat(this.#history);
    if (fresh) [this.#ino, this.#offset] = [stat?.ino ?? 0, stat?.size ?? 0];
    else this.#restore();
  }

  /** Returns the new decisions; call {@link KeyFollower.taken} once they are recorded. */
  read(): AuditEntry[] {
    const stat = this.#fs.stat(this.#history);
    if (stat?.kind !== "file") return [];
    if (stat.ino === this.#ino && stat.size === this.#offset) return [];
    const entries: AuditEntry[] = [];
    if (stat.ino !== this.#ino) {
      const older = `${this.#history}.1`;
      if (this.#ino !== 0 && this.#fs.stat(older)?.ino === this.#ino) this.#rest(older, entries);
      [this.#ino, this.#offset] = [stat.ino, 0];
    }
    this.#rest(this.#history, entries);
    return entries;
  }

  /** Notes that the decisions that were read are in the audit log. */
  taken(): void {
    this.#fs.write(this.#mark, `${this.#ino} ${this.#offset}\n`, { mode: 0o600 });
  }

  #rest(path: string, into: AuditEntry[]): void {
    for (;;) {
      const bytes = this.#fs.readAt(path, this.#offset, CHUNK);
      const end = bytes.lastIndexOf(10) + 1;
      if (end === 0) return;
      this.#offset += end;
      for (const line of new TextDecoder().decode(bytes.subarray(0, end)).split("\n")) {
        const entry = entryOf(line);
        if (entry !== undefined) into.push(entry);
      }
    }
  }

  #restore(): void {
    if (this.#fs.stat(this.#mark)?.kind !== "file") return;
    const [ino, offset] = this.#fs.readText(this.#mark).trim().split(" ").map(Number);
    if (Number.isSafeInteger(ino) && Number.isSafeInteger(offset) && offset! >= 0) {
      [this.#ino, this.#offset] = [ino!, offset!];
    }
  }
}

function entryOf(line: string): AuditEntry | undefined {
  try {
    const decision: unknown = JSON.parse(line);
    if (!isRecord(decision) || typeof decision.id !== "string") return undefined;
    const { time, ...rest } = decision;
    return { ...rest, kind: "key", decided: time, outcome: "ok" };
  } catch {
    return undefined;
  }
}

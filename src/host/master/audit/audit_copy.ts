import type { AuditStore, StoredAuditLine } from "../../../feature/cluster/storage.ts";
import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { auditFileName, auditFileNumbers } from "./audit_files.ts";

/** The most bytes that are copied at a time; the next constant bounds the lines. */
const CHUNK = 2 ** 20;
const MAX_LINES = 1000;

interface AuditCopyOptions {
  fs: FileSystem;
  directory: string;
  store: AuditStore;
  id: string;
  log: Logger;
}

/** How far the log is copied. A new log has another seed, so its lines have other keys in the storage. */
interface Place {
  seed: string;
  file: number;
  offset: number;
}

/**
 * Copies the audit log of a master into the storage of its cluster. The files of the log are the queue, so a slow or absent storage
 * delays no command. `<audit_dir>/cluster.copied` says how far the log is copied; a line that is copied twice is stored once.
 */
export class AuditCopy {
  readonly #options: AuditCopyOptions;
  readonly #mark: string;
  #place: Place | undefined;
  #failed = false;

  constructor(options: AuditCopyOptions) {
    this.#options = options;
    this.#mark = joinPath(options.directory, "cluster.copied");
    this.#place = this.#restored();
  }

  /** Copies new lines, a part at a time. A part that fails is tried again at the next call. */
  async run(): Promise<void> {
    const { store, id, log, fs } = this.#options;
    try {
      for (let part = this.#next(); part !== undefined; part = this.#next()) {
        const { lines, place } = part;
        if (lines.length > 0) await store.append(`${id}/${place.seed}`, lines);
        this.#place = place;
        fs.write(this.#mark, `${place.seed} ${place.file} ${place.offset}\n`, { mode: 0o600 });
      }
      if (this.#failed) log.info("audit log can be copied to the storage of the cluster again");
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) {
        log.warning("audit log not copied to the storage of the cluster: trying again", {
          error: messageOf(error),
        });
      }
      this.#failed = true;
    }
  }

  /** Returns the lines after the place that the copy has reached, and where they end; undefined if there are none. */
  #next(): { lines: Omit<StoredAuditLine, "by">[]; place: Place } | undefined {
    const { fs, directory } = this.#options;
    const files = auditFileNumbers(fs, directory);
    const known = this.#place;
    // Files of the log that were removed before they were copied are skipped.
    const file = files.find((number) => number >= (known?.file ?? 0)) ?? files[0];
    if (file === undefined) return undefined;
    const begun = known?.file === file ? known : { seed: known?.seed ?? "", file, offset: 0 };
    const bytes = fs.readAt(joinPath(directory, auditFileName(file)), begun.offset, CHUNK);
    const lines: Omit<StoredAuditLine, "by">[] = [];
    let [at, seed] = [0, begun.seed];
    while (lines.length < MAX_LINES) {
      const end = bytes.indexOf(10, at);
      if (end < 0) break;
      const line = lineOf(bytes.slice(at, end));
      if (line !== undefined && (line.n === 1 || seed === "")) {
        // Lines of two logs are not copied together: a part belongs to one log.
        if (lines.length > 0) break;
        seed = line.prev.slice(0, 12);
      }
      if (line !== undefined) lines.push({ n: line.n, atMs: line.atMs, line: line.bytes });
      at = end + 1;
    }
    if (at > 0) return { lines, place: { seed, file, offset: begun.offset + at } };
    const later = files.find((number) => number > file);
    return later === undefined ? undefined : { lines, place: { seed, file: later, offset: 0 } };
  }

  #restored(): Place | undefined {
    const { fs } = this.#options;
    if (fs.stat(this.#mark)?.kind !== "file") return undefined;
    const [, seed, file, offset] = /^([0-9a-f]*) (\d{1,12}) (\d{1,15})\n$/.exec(fs.readText(this.#mark)) ?? [];
    return seed === undefined ? undefined : { seed, file: Number(file), offset: Number(offset) };
  }
}

function lineOf(bytes: Uint8Array): { n: number; atMs: number; prev: string; bytes: Uint8Array } | undefined {
  try {
    const line: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isRecord(line)) return undefined;
    const { n, time, prev } = line;
    const atMs = Date.parse(String(time));
    if (!Number.isSafeInteger(n) || !Number.isFinite(atMs) || typeof prev !== "string") return undefined;
    return { n: n as number, atMs, prev, bytes };
  } catch {
    return undefined;
  }
}

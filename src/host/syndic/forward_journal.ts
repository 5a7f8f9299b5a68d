import { packRecord, SpoolFiles, type SpoolFilesOptions, type SpoolPlace } from "../minion/jobs/spool_files.ts";
import { messageOf } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import { ForwardedJob } from "./forwarded_job.ts";

/** The most bytes of all records together. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Records on the disk which jobs belong to which higher master: after a crash their returns are found in the local job cache. A record has
 * the load of the job, and is removed once the higher master has everything.
 */
export class ForwardJournal {
  readonly #files: SpoolFiles;
  readonly #options: Omit<SpoolFilesOptions, "bytes">;

  constructor(options: Omit<SpoolFilesOptions, "bytes">) {
    this.#options = options;
    this.#files = new SpoolFiles({ ...options, bytes: MAX_BYTES });
  }

  /** Reads the jobs that an earlier process has left, oldest first, by the address of their master. */
  open(): { master: string; job: ForwardedJob }[] {
    const found: { master: string; job: ForwardedJob }[] = [];
    for (const { record, place } of this.#files.open()) {
      try {
        const { load, is_local } = this.#files.load(place);
        const job = new ForwardedJob(record.jid, isRecord(load) ? load : {}, {
          atMs: record.atMs,
          isLocal: is_local === true,
        });
        job.record = { number: record.number, place };
        found.push({ master: record.master, job });
      } catch (error) {
        this.#options.log.error("a job of the syndic's journal cannot be read", {
          jid: record.jid,
          error: messageOf(error),
        });
        this.#files.remove(place, record.number);
      }
    }
    return found;
  }

  /** Records a job. Resolves once the record would survive a loss of power. @throws {SystemError} if the disk does not take it */
  async add(master: string, job: ForwardedJob): Promise<void> {
    const record = { number: this.#files.nextNumber(), jid: job.jid, master, atMs: job.atMs };
    const place: SpoolPlace = this.#files.append(packRecord(record, { load: job.load, is_local: job.isLocal }));
    job.record = { number: record.number, place };
    await this.#files.sync(place);
  }

  /** Stops writing: the syndic has ended, and another one may read the files. */
  close(): void {
    this.#files.close();
  }

  /** Removes the record of a job that has ended or was given up. */
  remove(job: ForwardedJob): void {
    if (job.record === undefined) return;
    this.#files.remove(job.record.place, job.record.number);
    job.record = undefined;
  }
}

import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { JobMaster, JobReports } from "./job_master.ts";
import type { Journal } from "./journal.ts";

/** Acknowledges jobs to a Brine master, so that it does not send them again. Salt masters take no acknowledgements. */
export class Acknowledgements {
  readonly #runtime: Pick<Runtime, "later">;
  readonly #log: Logger;
  readonly #journal: Journal;
  readonly #master: JobMaster;
  readonly #reports: JobReports;
  #jids: string[] = [];

  constructor(runtime: Pick<Runtime, "later">, log: Logger, journal: Journal, master: JobMaster, reports: JobReports) {
    this.#runtime = runtime;
    this.#log = log;
    this.#journal = journal;
    this.#master = master;
    this.#reports = reports;
  }

  /** Acknowledges that this minion has a job; acknowledgements of one turn of the event loop go together. */
  send(jid: string): void {
    if (!this.#master.isBrine) return;
    this.#jids.push(jid);
    if (this.#jids.length > 1) return;
    this.#runtime.later(() => {
      const jids = this.#jids.splice(0);
      const report = this.#reports.numbered({ states: jids.map((jid) => [jid, "started", ""]) });
      // A job that is acknowledged must survive a loss of power.
      const sending = this.#journal.synced().then(() => this.#reports.send(report));
      sending.catch((error) => {
        // A master without the acknowledgement sends the job again.
        this.#log.debug("acknowledgement not delivered", { jids: jids.length, error: messageOf(error) });
      });
    });
  }

  /**
   * Reports that this minion has already run a job and sent its return. A master that sends such a job has lost the return, for example by
   * restoring a backup: the return does not come again.
   */
  over(jid: string): void {
    this.#say(jid, "over");
  }

  /** Reports that this minion does not know a job that its master takes for begun: the job was lost, and no return will come. */
  unknown(jid: string): void {
    this.#say(jid, "unknown");
  }

  #say(jid: string, state: string): void {
    if (!this.#master.isBrine) return;
    this.#reports.send(this.#reports.numbered({ states: [[jid, state, ""]] })).catch((error) => {
      // The master sends the job, or its question, again.
      this.#log.debug("state of a job not sent to the master", { jid, state, error: messageOf(error) });
    });
  }
}

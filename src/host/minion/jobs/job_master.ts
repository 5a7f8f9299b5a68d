import { hex } from "../../../protocol/crypto/hex.ts";
import type { Crypto } from "../../../runtime/crypto.ts";

type Load = Record<string, unknown>;

/** The timeout of one attempt, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A master, as the parts of the minion that run its jobs use it. */
export interface JobMaster {
  readonly address: string;
  /** True for a Brine master: it takes acknowledgements, and hands over jobs that the minion missed. */
  readonly isBrine: boolean;
  send(load: Load, options: { timeoutMs: number; tries: number }): Promise<unknown>;
}

/** Sends a command once, because its sender tries again in its own way. */
export function sendOnce(master: JobMaster, load: Load): Promise<unknown> {
  return master.send(load, { timeoutMs: TIMEOUT_MS, tries: 1 });
}

/**
 * Sends this minion's reports about its jobs to a master (`_jobs`). Reports are numbered, since they may overtake each other on
 * different connections, or while they wait. The master ignores a report that is older than the last.
 */
export class JobReports {
  readonly #master: JobMaster;
  /** Numbers begin again with each process of the minion. */
  readonly #process: string;
  #number = 0;

  constructor(crypto: Crypto, master: JobMaster) {
    this.#master = master;
    this.#process = hex(crypto.randomBytes(8));
  }

  /** Numbers a report. Call it when the content of the report is read, even if it is sent later. */
  numbered(report: Load): Load {
    return { cmd: "_jobs", ...report, order: [this.#process, ++this.#number] };
  }

  send(numbered: Load): Promise<unknown> {
    return sendOnce(this.#master, numbered);
  }
}

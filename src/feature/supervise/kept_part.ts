import { encode } from "../../protocol/wire/msgpack.ts";
import { type Part, type PartStatus, Restarts } from "./restarts.ts";
import type { PartEnd, PartOptions, ProcessOwner } from "./supervised_process.ts";
import { endFields, startFailure, SupervisedProcess } from "./supervised_process.ts";
import type { PartReply } from "./requests.ts";

/** The age in milliseconds from which a process counts as working: its next failure then counts as the first. */
const STEADY_MS = 60_000;

/** A part that is one process, kept running from its start to the end of the master. */
export class KeptPart implements Part {
  readonly name: string;
  readonly #owner: ProcessOwner;
  readonly #options: PartOptions;
  readonly #restarts: Restarts;
  #process: SupervisedProcess | undefined;
  #starting: Promise<void> | undefined;
  #restarted = 0;
  #last: PartEnd | undefined;
  #closed = false;

  constructor(owner: ProcessOwner, options: PartOptions) {
    this.name = options.name;
    this.#owner = owner;
    this.#options = options;
    this.#restarts = new Restarts(owner.runtime, options.backoff);
    this.#starting = this.#start();
  }

  /** Sends a request; resolves with undefined if there is no process, or if it ends before it has answered. */
  async request(kind: string, body: Uint8Array): Promise<PartReply> {
    return await this.#process?.request(kind, body);
  }

  /** Applies a new configuration: sends `renew` to the process, and replaces a process that answers with an error. */
  renew(): void {
    const process = this.#process;
    if (process === undefined) return;
    void process.request("renew", encode(this.#options.config(), "bin")).then((reply) => {
      if (reply === undefined || !("error" in reply) || this.#closed) return;
      this.#owner.log.info("restarting a process with the new configuration", { part: this.name, pid: process.pid });
      process.retire();
    });
  }

  async #start(): Promise<void> {
    const { log, runtime: { clock } } = this.#owner;
    try {
      const process = await SupervisedProcess.start(this.#owner, this.#options);
      this.#process = process;
      log.info("process started", { part: this.name, pid: process.pid });
      this.#options.onChange?.({ kind: "started", pid: process.pid });
      const cancel = clock.after(STEADY_MS, () => this.#restarts.worked());
      void process.ended.then((end) => {
        cancel();
        this.#process = undefined;
        if (this.#closed) return;
        if (process.retired) this.#starting = this.#start();
        else this.#failed(end);
      });
      if (this.#closed) process.retire();
    } catch (error) {
      if (!this.#closed) this.#failed(startFailure(error));
    } finally {
      this.#starting = undefined;
    }
  }

  #failed(end: PartEnd): void {
    this.#last = end;
    this.#restarted++;
    this.#owner.log.error("process exited: restarting it", { part: this.name, ...endFields(end) });
    this.#options.onChange?.({ kind: "failed", end });
    this.#restarts.failed(() => void (this.#starting = this.#start()));
  }

  status(): PartStatus {
    const process = this.#process;
    const state = this.#closed
      ? "stopped"
      : process !== undefined
      ? "running"
      : this.#starting === undefined
      ? "waiting"
      : "starting";
    return {
      name: this.name,
      state,
      restarts: this.#restarted,
      processes: process === undefined ? [] : [{ pid: process.pid, state, memory: process.memory ?? null }],
      last_words: this.#last ?? null,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#restarts.stop();
    await this.#starting;
    this.#process?.retire();
    await this.#process?.ended;
  }
}

/** The reactor as a part of a master: a process that is there as long as something is to react. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { requestedReactor } from "../../model/config/requested_reactor.ts";
import type { KeptPart } from "../supervise/kept_part.ts";
import type { Part, PartStatus } from "../supervise/part.ts";

export class ReactorPart implements Part {
  readonly name = "reactor";
  readonly #opts: () => MasterOpts;
  readonly #start: (fromStart: boolean) => KeptPart;
  #part: KeptPart | undefined;
  #isFirst = true;

  /**
   * @param opts the master's configuration as it is now
   * @param start starts the process; what happened before is not reacted to unless it starts with the master
   */
  constructor(opts: () => MasterOpts, start: (fromStart: boolean) => KeptPart) {
    this.#opts = opts;
    this.#start = start;
  }

  /** The configuration is read, or read again: the process is started when there is a reactor, and told of others. */
  renew(): void {
    if (this.#part !== undefined) this.#part.renew();
    else if (requestedReactor(this.#opts())) this.#part = this.#start(this.#isFirst);
    this.#isFirst = false;
  }

  status(): PartStatus {
    return this.#part?.status() ??
      { name: this.name, state: "stopped", restarts: 0, processes: [], last_words: null };
  }

  async close(): Promise<void> {
    await this.#part?.close();
  }
}

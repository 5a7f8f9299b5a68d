/** The reactor as a part of a master: a process that runs as long as reactors are configured. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { requestedReactor } from "../../model/config/requested_reactor.ts";
import type { KeptPart } from "../supervise/kept_part.ts";
import type { Part, PartStatus } from "../supervise/restarts.ts";

export class ReactorPart implements Part {
  readonly name = "reactor";
  readonly #opts: () => MasterOpts;
  readonly #start: (fromStart: boolean) => KeptPart;
  #part: KeptPart | undefined;
  #isFirst = true;

  /**
   * @param opts returns the master's current configuration
   * @param start starts the process; earlier events cause reactions only if the process starts with the master
   */
  constructor(opts: () => MasterOpts, start: (fromStart: boolean) => KeptPart) {
    this.#opts = opts;
    this.#start = start;
  }

  /** Applies the configuration: starts the process if there is a reactor, and tells a running process of changes. */
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

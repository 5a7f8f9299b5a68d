/** Event returns as a part of a master: a process that runs as long as the configuration names a store. */
import { within } from "../../base/async/within.ts";
import type { Clock } from "../../base/async/clock.ts";
import type { MasterOpts } from "../../model/config/master_opts.ts";
import type { KeptPart } from "../supervise/kept_part.ts";
import type { Part, PartStatus } from "../supervise/restarts.ts";
import { eventReturnNames } from "./event_return_process.ts";

/** How long the end of a master waits for its stores, in milliseconds. */
const FLUSH_MS = 3000;
/** How often the state of the stores is read, in milliseconds. */
const LOOK_MS = 5000;
const NOTHING = new Uint8Array(0);

export class EventReturnPart implements Part {
  readonly name = "event_return";
  readonly #opts: () => MasterOpts;
  readonly #clock: Clock;
  readonly #start: (fromStart: boolean) => KeptPart;
  #part: KeptPart | undefined;
  #isFirst = true;
  #stores: Record<string, unknown> = {};
  #cancel: (() => void) | undefined;

  /** @param start starts the process; earlier events are stored only if the process starts with the master */
  constructor(opts: () => MasterOpts, clock: Clock, start: (fromStart: boolean) => KeptPart) {
    this.#opts = opts;
    this.#clock = clock;
    this.#start = start;
  }

  /** Applies the configuration: starts, replaces or ends the process. */
  renew(): void {
    const isAsked = eventReturnNames(this.#opts()).length > 0;
    if (this.#part !== undefined && isAsked) this.#part.renew();
    else if (this.#part !== undefined) {
      void this.close();
      this.#part = undefined;
    } else if (isAsked) {
      this.#part = this.#start(this.#isFirst);
      this.#look();
    }
    this.#isFirst = false;
  }

  #look(): void {
    this.#cancel = this.#clock.after(LOOK_MS, async () => {
      const reply = await this.#part?.request("status", NOTHING);
      if (reply !== undefined && "value" in reply) this.#stores = reply.value as Record<string, unknown>;
      if (this.#cancel !== undefined) this.#look();
    });
  }

  status(): PartStatus {
    const status = this.#part?.status() ??
      { name: this.name, state: "stopped" as const, restarts: 0, processes: [], last_words: null };
    return { ...status, ...this.#stores };
  }

  /** Ends the process once its stores have all waiting events, or after {@link FLUSH_MS}. The rest stays on the disk. */
  async close(): Promise<void> {
    const part = this.#part;
    this.#cancel?.();
    this.#cancel = undefined;
    if (part === undefined) return;
    await within(this.#clock, FLUSH_MS, undefined, part.request("flush", NOTHING));
    await part.close();
  }
}

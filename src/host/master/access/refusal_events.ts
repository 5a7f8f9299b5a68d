import type { Clock } from "../../../base/async/clock.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import { EventRate } from "../event_rate.ts";
import type { Load } from "../load.ts";
import { textOf } from "./publish_load.ts";

/** Bytes of arguments and target that an event of a refusal has; more is left out. */
const MOST_BYTES = 4096;

/** The source of whoever has not proven who it is: there are no others to tell apart. */
const UNPROVEN = "";

/**
 * The events of refused publications. Of a caller that has not proven who it is they have no text, and no jid: anybody can send that, as
 * often as the network allows.
 */
export class RefusalEvents {
  readonly #bus: EventBus;
  readonly #strangers: EventRate;
  readonly #users: EventRate;
  /** Refusals of strangers since the last event of one. */
  #count = 0;

  constructor(bus: EventBus, clock: Pick<Clock, "elapsed">) {
    const now = () => clock.elapsed();
    this.#bus = bus;
    this.#strangers = new EventRate(now, { one: 10, all: 10 });
    this.#users = new EventRate(now, { one: 20, all: 200 });
  }

  /** A caller has not proven who it is. */
  unproven(error: Record<string, unknown>): void {
    this.#count++;
    if (!this.#strangers.take(UNPROVEN)) return;
    this.#bus.fire("salt/job//error", { cmd: "publish", jid: "", count: this.#count, ...error });
    this.#count = 0;
  }

  /** A user may not do this. @param user as it was authenticated */
  notPermitted(
    user: string,
    { jid: wanted, cmd, fun, tgt_type, arg, tgt }: Load,
    error: Record<string, unknown>,
  ): void {
    if (!this.#users.take(user)) return;
    const jid = textOf(wanted);
    const long = encode([arg, tgt], "bin").length > MOST_BYTES;
    this.#bus.fire(`salt/job/${jid}/error`, { cmd, fun, tgt_type, ...(long ? {} : { arg, tgt }), jid, user, ...error });
  }
}

import type { Clock } from "../../../base/async/clock.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import { EventRate } from "../event_rate.ts";
import type { Load } from "../load.ts";
import { loadText } from "./publish_load.ts";

/** The most bytes of arguments and target in the event of a refusal; the rest is left out. */
const MAX_BYTES = 4096;

/** The source name of all callers that are not authenticated: nothing tells them apart. */
const UNPROVEN = "";

/**
 * Fires the events of refused publications. An event about a caller that is not authenticated has no text of the caller and no jid:
 * anybody can send such requests, as often as the network allows.
 */
export class RefusalEvents {
  readonly #bus: EventBus;
  readonly #strangers: EventRate;
  readonly #users: EventRate;
  /** How many refusals of callers that are not authenticated there were since the last event about one. */
  #count = 0;

  constructor(bus: EventBus, clock: Pick<Clock, "elapsed">) {
    const now = () => clock.elapsed();
    this.#bus = bus;
    this.#strangers = new EventRate(now, { one: 10, all: 10 });
    this.#users = new EventRate(now, { one: 20, all: 200 });
  }

  /** Called when a caller was not authenticated. */
  unproven(error: Record<string, unknown>): void {
    this.#count++;
    if (!this.#strangers.take(UNPROVEN)) return;
    this.#bus.fire("salt/job//error", { cmd: "publish", jid: "", count: this.#count, ...error });
    this.#count = 0;
  }

  /** Called when an authenticated user is not permitted a publication. */
  notPermitted(
    user: string,
    { jid: wanted, cmd, fun, tgt_type, arg, tgt }: Load,
    error: Record<string, unknown>,
  ): void {
    if (!this.#users.take(user)) return;
    const jid = loadText(wanted);
    const long = encode([arg, tgt], "bin").length > MAX_BYTES;
    this.#bus.fire(`salt/job/${jid}/error`, { cmd, fun, tgt_type, ...(long ? {} : { arg, tgt }), jid, user, ...error });
  }
}

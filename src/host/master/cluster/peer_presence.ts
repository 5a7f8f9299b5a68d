import type { Clock } from "../../../base/async/clock.ts";
import type { Bus, BusMessage } from "../../../feature/cluster/bus.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";
import type { Presence } from "../presence.ts";

const PRESENCE = "presence";
const WANTED = "presence wanted";
/** How often a master sends its whole list of minions, in case another master missed a change, in milliseconds. */
const WHOLE_MS = 30_000;

interface PeerPresenceOptions {
  bus: Bus;
  presence: Presence;
  clock: Clock;
  later(callback: () => void): void;
  /** How long a master may be silent before it counts as gone, in milliseconds. */
  goneMs: number;
  /** Called when a minion takes jobs at another master. */
  listens(id: string): void;
  gone(master: string): void;
}

/** Tells the other masters which minions are connected to this master, and keeps the lists of the others. */
export class PeerPresence {
  readonly #options: PeerPresenceOptions;
  readonly #heardAt = new Map<string, number>();
  #changed = new Map<string, boolean>();
  /** The minions that take jobs at this master and that the others do not know of yet. */
  #listening: string[] = [];
  #wholeAt = -Infinity;

  constructor(options: PeerPresenceOptions) {
    this.#options = options;
    const { bus, presence, later } = options;
    const tell = () => {
      if (this.#changed.size + this.#listening.length === 0) later(() => this.#tellChanges());
    };
    presence.onChange = (id, connected) => {
      tell();
      this.#changed.set(id, connected);
    };
    presence.onListening = (id) => {
      tell();
      this.#listening.push(id);
    };
    bus.on(PRESENCE, (message) => this.#take(message));
    bus.on(WANTED, ({ sender }) => this.#tellAll(sender));
    bus.onMissed((sender) => bus.send(WANTED, new Uint8Array(), sender));
    bus.onState(({ connected }) => void (connected && this.#greet()));
    this.#greet();
  }

  /** The other masters that are present. */
  get masters(): string[] {
    return [...this.#heardAt.keys()];
  }

  /** Sends the list of this master's minions, and asks all other masters for theirs. */
  #greet(): void {
    this.#options.bus.send(WANTED, new Uint8Array());
    this.#tellAll();
  }

  #tellAll(to?: string): void {
    const { bus, presence, clock } = this.#options;
    if (to === undefined) this.#wholeAt = clock.elapsed();
    bus.send(PRESENCE, encode([true, [...presence.here()], [], this.#kinds(presence.listening())], "bin"), to);
  }

  /** Returns the minions that take jobs, each with whether it is a Brine minion. */
  #kinds(ids: Iterable<string>): [string, boolean][] {
    return [...ids].map((id) => [id, this.#options.presence.isBrine(id)]);
  }

  #tellChanges(): void {
    const [changed, listening] = [this.#changed, this.#kinds(this.#listening)];
    this.#changed = new Map();
    this.#listening = [];
    const ids = (connected: boolean) => [...changed].filter(([, now]) => now === connected).map(([id]) => id);
    this.#options.bus.send(PRESENCE, encode([false, ids(true), ids(false), listening], "bin"));
  }

  #take({ sender, bytes }: BusMessage): void {
    const { presence, listens, clock } = this.#options;
    const [whole, come, left, listening] = decode(bytes, { mode: "bin" }) as [
      boolean,
      string[],
      string[],
      [string, boolean][],
    ];
    this.#heardAt.set(sender, clock.elapsed());
    presence.peerSays(sender, come, left, whole);
    for (const [id, isBrine] of listening) if (presence.peerListens(sender, id, isBrine)) listens(id);
  }

  /** Sends changes and finds masters that are gone; call it about once a second. */
  look(): void {
    const { bus, clock, goneMs } = this.#options;
    const now = clock.elapsed();
    if (now - this.#wholeAt >= WHOLE_MS) this.#tellAll();
    else bus.send(PRESENCE, encode([false, [], [], []], "bin"));
    // While the bus is away no master is heard of: that does not mean that one is gone.
    if (!bus.state.connected || now - bus.state.sinceMs < goneMs) return;
    for (const [master, at] of [...this.#heardAt]) if (now - at >= goneMs) this.drop(master);
  }

  /** Forgets a master that is gone, with its minions. */
  drop(master: string): void {
    if (!this.#heardAt.delete(master)) return;
    this.#options.presence.peerGone(master);
    this.#options.gone(master);
  }

  /** Called when this master's life has a new name. */
  renamed(): void {
    this.#greet();
  }
}

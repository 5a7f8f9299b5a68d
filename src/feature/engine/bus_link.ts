import { deferred } from "../../base/async/deferred.ts";
import { SaltError } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import { EVENTS_MISSED } from "../../model/event/tag.ts";
import { listenBus } from "../../model/event/bus_client.ts";
import { subscribeBus } from "../../model/event/bus_subscription.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Connection } from "../../runtime/net.ts";
import { packIpcFrame, withLength } from "../../protocol/wire/ipc_frame.ts";

/** The paths of the sockets of the host's bus. */
export interface BusPaths {
  pub: string;
  pull: string;
  /** The separate bus of a master for Brine's programs. */
  own?: string;
}

interface BusTaker {
  onEvent(event: BusEvent): void;
  /** Called with the number of events that the bus has left out. */
  onMissed(count: number): void;
  /** Called when the connection to the bus has ended. */
  onClose(): void;
}

/** The time between two attempts to reach the bus, and the time after which it gives up, in milliseconds. */
const AGAIN_MS = 50;
const PATIENCE_MS = 30_000;
/** The most bytes that wait to be sent to the bus. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** The connection of an engine to the bus of its host, a master or a minion. */
export class BusLink {
  readonly #runtime: Pick<Runtime, "net" | "clock">;
  readonly #paths: BusPaths;
  #sending: Promise<Connection> | undefined;
  #room = deferred<void>();

  constructor(runtime: Pick<Runtime, "net" | "clock">, paths: BusPaths) {
    this.#runtime = runtime;
    this.#paths = paths;
  }

  /** Listens from now on. @throws {SystemError} if the bus cannot be reached for a while */
  async listen({ onEvent, onMissed, onClose }: BusTaker): Promise<void> {
    const { net } = this.#runtime;
    const { own, pub } = this.#paths;
    await this.#patiently(async () => {
      if (own !== undefined) {
        // Events of other masters of the cluster are skipped: the engines there see them.
        const onOwn = (event: BusEvent) => void (event.origin === undefined && onEvent(event));
        await subscribeBus(net, { kind: "unix", path: own }, { onEvent: onOwn, onMissed, onClose });
        return;
      }
      await listenBus(net, { kind: "unix", path: pub }, (event) => {
        if (event.tag === EVENTS_MISSED) onMissed(Number(event.data.missed ?? 0));
        onEvent(event);
      }, onClose);
    });
  }

  /** Sends an event; resolves when there is room for the next one. @param event packed, with its stamp */
  async send(event: Uint8Array): Promise<void> {
    const sending = this.#sending ??= this.#patiently(() => this.#dial());
    const connection = await sending.catch((error: unknown) => {
      this.#sending = undefined;
      throw error;
    });
    connection.write(withLength(packIpcFrame(event)));
    while (connection.buffered > MAX_BUFFERED_BYTES && this.#sending === sending) await this.#room.promise;
  }

  async #dial(): Promise<Connection> {
    const connection = await this.#runtime.net.dial({ kind: "unix", path: this.#paths.pull });
    const wake = () => {
      this.#room.resolve();
      this.#room = deferred();
    };
    connection.start({
      onData: () => {},
      onDrain: wake,
      onClose: () => {
        this.#sending = undefined;
        wake();
      },
    });
    return connection;
  }

  async #patiently<T>(connect: () => Promise<T>): Promise<T> {
    const { clock } = this.#runtime;
    const until = clock.elapsed() + PATIENCE_MS;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (clock.elapsed() > until) {
          throw new SaltError("NO_BUS", "The event bus of this host cannot be reached", { cause: error });
        }
      }
      await clock.sleep(AGAIN_MS);
    }
  }

  /** Sends what is buffered, then closes. */
  async close(): Promise<void> {
    (await this.#sending?.catch(() => undefined))?.end();
  }
}

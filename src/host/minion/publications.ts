import { abortable } from "../../base/async/within.ts";
import type { Clock } from "../../base/async/clock.ts";
import { deferred } from "../../base/async/deferred.ts";
import type { PublicationReader } from "../../protocol/channel/pub_client.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Sub } from "../../protocol/zmtp/mod.ts";
import { LastingTrouble } from "./lasting_trouble.ts";

/** Time for the first connection to a publisher before a warning, in milliseconds. */
const FIRST_MS = 15_000;

interface PublicationsOptions {
  clock: Pick<Clock, "after" | "elapsed">;
  log: Logger;
  /** The master's address, for the log. */
  address: string;
  sub: Sub;
  reader: PublicationReader;
  /** Topics to subscribe to; undefined = all publications. */
  topics: ReadonlySet<string> | undefined;
  /** Called with each job load that is authentic and new. */
  onPublication(load: Record<string, unknown>): void;
  /** Makes the message that tells the publisher who subscribes, on transports that need it. @param again true after a reconnect */
  introduction(again: boolean): Promise<Uint8Array>;
  /** Called when the stream of publications was lost, or is connected again. */
  onState?: ((connected: boolean) => void) | undefined;
  /** Aborts when the connection is closed. */
  signal: AbortSignal;
}

export class Publications {
  readonly #options: PublicationsOptions;
  #connectedTo: string | undefined;

  constructor(options: PublicationsOptions) {
    this.#options = options;
    const { sub, topics } = options;
    for (const topic of topics ?? [""]) sub.subscribe(topic);
    this.#read();
  }

  #read(): void {
    const { log, sub, reader, onPublication, signal } = this.#options;
    // In order: a publication that makes the minion sign in again must not be overtaken by the next one.
    let last: Promise<void> = Promise.resolve();
    sub.onMessage((frames) => {
      const read = reader.read(frames);
      last = last.then(async () => {
        const load = await read;
        if (load !== undefined && !signal.aborted) onPublication(load);
      }).catch((error) => log.error("publication could not be handled", { error: messageOf(error) }));
    });
  }

  /**
   * Connects to the publisher. Resolves when connected; rejects with the signal's reason if the connection is closed, or
   * `waiting` aborts, before.
   */
  async connect(uri: string, waiting?: AbortSignal): Promise<void> {
    if (this.#connectedTo === uri) return;
    this.#connectedTo = uri;
    const { clock, log, address: master, sub, onState, signal } = this.#options;
    const connected = deferred<void>();
    let again = false;
    const away = new LastingTrouble({ clock, log });
    const late = clock.after(FIRST_MS, () => {
      if (!signal.aborted) {
        away.begin("the publisher of the master cannot be reached: no jobs arrive", { master, publisher: uri });
      }
    });
    signal.addEventListener("abort", () => {
      late();
      away.forget();
    }, { once: true });
    sub.onConnect(() => {
      late();
      away.end("the master is back", { master });
      if (sub.introduces) void this.#introduce(again);
      again = true;
      connected.resolve();
      onState?.(true);
    });
    sub.onDisconnect(() => {
      if (signal.aborted) return;
      away.begin("connection to the master lost: reconnecting", { master });
      onState?.(false);
    });
    sub.connect(uri);
    await abortable(connected.promise, waiting === undefined ? signal : AbortSignal.any([signal, waiting]));
  }

  async #introduce(again: boolean): Promise<void> {
    const { sub, introduction, log, signal } = this.#options;
    try {
      sub.introduce(await introduction(again));
    } catch (error) {
      if (!signal.aborted) {
        log.warning("the subscription could not be sent to the publisher", { reason: messageOf(error) });
      }
    }
  }

  /** Closes the stream; to be called after the signal was aborted. */
  close(): Promise<void> {
    return this.#options.sub.close();
  }
}

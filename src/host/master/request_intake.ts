import type { Clock } from "../../base/async/clock.ts";
import { type Deferred, deferred } from "../../base/async/deferred.ts";
import type { RequestServer } from "../../protocol/channel/req_server.ts";
import { FairQueue, SHORT_MESSAGE } from "../../protocol/channel/fair_queue.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import type { PeerHandle, Router } from "../../protocol/zmtp/mod.ts";

interface RequestIntakeOptions {
  socket: Router;
  server: RequestServer;
  clock: Clock;
  log: Logger;
  /** Calls back in the next turn of the event loop. */
  later(callback: () => void): void;
}

/**
 * How long requests are begun before sockets are read again, in milliseconds. A job for one minion takes five turns of the loop, so it
 * waits five times that long if a fleet keeps the master busy.
 */
const SLICE_MS = 4;

const NOTHING = new Uint8Array(0);
/** How clear requests begin, after the byte for the map; Salt and Brine both write `enc` first. */
const CLEAR = Uint8Array.of(0xa3, ...utf8("enc"), 0xa5, ...utf8("clear"));
const SIGN_IN = Uint8Array.of(0xa3, ...utf8("cmd"), 0xa5, ...utf8("_auth"));
const PUBLISH = Uint8Array.of(0xa3, ...utf8("cmd"), 0xa7, ...utf8("publish"));

function holds(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  for (let index = 0; index < part.length; index++) if (bytes[at + index] !== part[index]) return false;
  return true;
}

/**
 * True if a request looks like a publication, by its first bytes: it is decoded only when its turn comes. Anybody can send such
 * bytes; they decide only about the order of requests.
 */
export function asksToPublish(bytes: Uint8Array): boolean {
  return bytes.length <= SHORT_MESSAGE && asksTo(PUBLISH, bytes);
}

/** True if a clear request seems to have this command. */
function asksTo(command: Uint8Array, bytes: Uint8Array): boolean {
  if (!holds(bytes, CLEAR, 1)) return false;
  for (let at = bytes.indexOf(command[0]!, CLEAR.length); at >= 0; at = bytes.indexOf(command[0]!, at + 1)) {
    if (holds(bytes, command, at)) return true;
  }
  return false;
}

/** Takes requests from the socket, has the request server answer them, and counts those that are being answered. */
export class RequestIntake {
  readonly #options: RequestIntakeOptions;
  readonly #queue: FairQueue<PeerHandle>;
  #inProgress = 0;
  #idle: Deferred<void> | undefined;
  #stopped = false;

  constructor(options: RequestIntakeOptions) {
    this.#options = options;
    const { socket, clock, later } = options;
    const queue = this.#queue = new FairQueue<PeerHandle>({
      // A monotonic clock: if the clock were set back, a turn would go on and on.
      now: () => clock.elapsed(),
      sliceMs: SLICE_MS,
      later,
      isUrgent: (frames) => asksToPublish(frames.at(-1) ?? NOTHING),
      begin: (peer, frames) => void this.#answer(peer, frames),
      pause: (peer) => peer.pause?.(),
      resume: (peer) => peer.resume?.(),
    });
    socket.onMessage((peer, frames) => queue.add(peer, frames));
  }

  /** The bytes of the requests that wait to be begun, and how many bytes may wait. */
  get waiting(): { bytes: number; limit: number } {
    const { size, limit } = this.#queue;
    return { bytes: size, limit };
  }

  /** Puts requests over these connections before others for a moment: a caller waits for a few minions. */
  hurry(remotes: Iterable<string>): void {
    this.#queue.hurry(remotes);
  }

  /** The number of requests that are being answered. */
  get inProgress(): number {
    return this.#inProgress;
  }

  /**
   * Takes no more requests: their senders ask the next master again. A request taken after the session keys were saved for
   * that master could be taken a second time there.
   */
  stop(): void {
    this.#stopped = true;
  }

  /** Resolves once no request is being answered, at the latest after so many milliseconds. */
  async idle(limitMs: number): Promise<void> {
    if (this.#inProgress === 0) return;
    const { clock, log } = this.#options;
    const done = this.#idle = deferred<void>();
    const cancel = clock.after(limitMs, () => done.resolve());
    await done.promise;
    cancel();
    if (this.#inProgress > 0) log.warning("stopped with unanswered requests", { requests: this.#inProgress });
  }

  async #answer(peer: PeerHandle, frames: Uint8Array[]): Promise<void> {
    if (this.#stopped) return;
    const { socket, server, log } = this.#options;
    this.#inProgress++;
    try {
      const bytes = frames.at(-1) ?? NOTHING;
      // Only sign-ins keep this process busy until they are answered: others may wait for a worker or a disk.
      if (!asksTo(SIGN_IN, bytes)) socket.settle?.(peer);
      const reply = await server.handle(bytes, peer);
      if (reply === undefined) socket.settle?.(peer);
      // A REQ socket sends an empty frame before the body, a DEALER may send more frames: they lead the reply back.
      if (reply !== undefined && peer.open) socket.send(peer, frames.with(-1, reply));
    } catch (error) {
      log.error("reply not sent", { error: messageOf(error) });
    }
    if (--this.#inProgress === 0) this.#idle?.resolve();
  }
}

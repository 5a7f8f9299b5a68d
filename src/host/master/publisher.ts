import type { PublicationSealer } from "../../protocol/channel/pub_server.ts";
import { messageOf } from "../../base/errors.ts";
import { publicationTopic } from "../../protocol/crypto/hex.ts";
import type { Logger } from "../../base/log.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import type { Pub } from "../../protocol/zmtp/mod.ts";

interface PublisherOptions {
  socket: Pub;
  sealer: PublicationSealer;
  crypto: Crypto;
  log: Logger;
  /** True to send each publication under topics, so that minions receive only publications for them: `zmq_filtering`. */
  filtering: boolean;
  /** True to publish to syndics as well: `order_masters`. */
  orderMasters: boolean;
  /** Called with the targets of each job, before it is sent. @default not called */
  onSend?(minions: readonly string[]): void;
}

const text = new TextEncoder();

/** Sends jobs to the minions. Publications are signed off the event loop, and sent in the order of the calls. */
export class Publisher {
  readonly #options: PublisherOptions;
  #sent: Promise<void> = Promise.resolve();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Number of the last publication under the present master key. */
  get serial(): number {
    return this.#options.sealer.serial;
  }

  /**
   * Encrypts a job load and sends it.
   *
   * @param minions its targets, for the topics of `zmq_filtering`
   * @param number the number of the publication, in a cluster
   */
  send(load: Record<string, unknown>, minions: readonly string[], number?: number): void {
    const { socket, sealer, log, onSend } = this.#options;
    onSend?.(minions);
    const sealing = sealer.seal(load, number);
    const topics = this.#topicsOf(load, minions);
    this.#sent = Promise.all([sealing, this.#sent]).then(([sealed]) => {
      if (topics === undefined) socket.send(sealed);
      else for (const topic of topics) socket.send([text.encode(topic), sealed]);
    }).catch((error) => log.error("publication could not be sent", { jid: load.jid, error: messageOf(error) }));
  }

  /** Resolves once every publication up to now has been sent. */
  drained(): Promise<void> {
    return this.#sent;
  }

  /** Returns the topics of a publication; undefined without `zmq_filtering`: then every minion receives it. */
  #topicsOf({ tgt_type }: Record<string, unknown>, minions: readonly string[]): string[] | undefined {
    const { crypto, filtering, orderMasters } = this.#options;
    if (!filtering) return undefined;
    if (!["glob", "pcre", "list"].includes(String(tgt_type))) return ["broadcast"];
    return [...minions.map((id) => publicationTopic(crypto, id)), ...(orderMasters ? ["syndic"] : [])];
  }
}

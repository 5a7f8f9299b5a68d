import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { BusEvent } from "../../model/event/bus.ts";
import type { Logger } from "../../base/log.ts";
import { str, truthy } from "../../language/python/values.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { ANSWERS, isManageTag, managedRequest, type ManageOperation, requestProof } from "./manage_requests.ts";
import type { Reactor } from "./reactor.ts";

interface ReactorManagerOptions {
  log: Logger;
  clock: Pick<Clock, "now">;
  crypto: Pick<Crypto, "hmac" | "equal">;
  reactor: Reactor;
  id: string;
  /** The key of the master's user, which the sender of a request must be able to read. */
  key(): string;
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
}

/** How long a proof is valid, in milliseconds. */
const PROOF_MS = 60_000;
/** The most used proofs that are remembered, so that none is used twice. */
const MAX_PROOFS = 1000;

/** Answers the requests of `salt-run reactor.*`: lists and changes the reactors, and reports whether this reactor is the leader. */
export class ReactorManager {
  readonly #options: ReactorManagerOptions;
  readonly #used = new Set<string>();

  constructor(options: ReactorManagerOptions) {
    this.#options = options;
  }

  /** Answers a request. @returns true for every event that is a request or an answer */
  take({ tag, data }: BusEvent): boolean {
    if (!isManageTag(tag)) return false;
    const request = managedRequest(tag);
    if (request === undefined) return true;
    const { log, fire } = this.#options;
    try {
      if (!this.#isProven(tag, request.jid, data)) {
        log.error("request to the reactor refused: it has no proof of the master's key", { tag });
        return true;
      }
      const answer = this.#answer(request.operation, data);
      void fire(ANSWERS[request.operation], answer);
    } catch (error) {
      log.error("request to the reactor not answered", { tag, error: messageOf(error) });
    }
    return true;
  }

  /** True if a request proves that its sender has the key: by the key itself, as in Salt, or by the proof that Brine's programs send. */
  #isProven(tag: string, jid: string | undefined, data: Record<string, unknown>): boolean {
    const { crypto, clock, key } = this.#options;
    const same = (a: string, b: string) => crypto.equal(utf8(a), utf8(b));
    if (typeof data.key === "string" && same(data.key, key())) return true;
    const { proof, at } = data;
    if (jid === undefined || typeof proof !== "string" || typeof at !== "number") return false;
    if (Math.abs(clock.now() - at) > PROOF_MS || this.#used.has(proof)) return false;
    if (!same(proof, requestProof(crypto, key(), tag, data))) return false;
    if (this.#used.size >= MAX_PROOFS) this.#used.delete(this.#used.values().next().value!);
    this.#used.add(proof);
    return true;
  }

  #answer(operation: ManageOperation, data: Record<string, unknown>): Record<string, unknown> {
    const { reactor, id, log } = this.#options;
    const reactors = () => reactor.rules.list();
    switch (operation) {
      case "add": {
        const result = reactor.rules.add(str(data.event), data.reactors);
        log.info("reactor added by request", { event: str(data.event), status: result.status });
        return { reactors: reactors(), result };
      }
      case "delete": {
        const result = reactor.rules.delete(str(data.event));
        log.info("reactor deleted by request", { event: str(data.event), status: result.status });
        return { reactors: reactors(), result };
      }
      case "list":
        return { reactors: reactors() };
      case "set_leader":
        if (data.id === id) reactor.isLeader = truthy(data.value);
        return { result: reactor.isLeader };
      case "is_leader":
        return { result: reactor.isLeader };
      case "status": {
        const { counts, latest } = reactor.record;
        return { counts: { ...counts }, waiting: reactor.waiting, is_leader: reactor.isLeader, latest: [...latest] };
      }
    }
  }
}

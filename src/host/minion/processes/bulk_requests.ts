import { SealedRequests, type SessionSeal } from "../../../protocol/channel/req_client.ts";
import { Crypticle } from "../../../protocol/crypto/crypticle.ts";
import type { MasterRequestOptions } from "../../../model/loader/family.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { openTransport } from "../../../protocol/transport/open_transport.ts";
import type { Req } from "../../../protocol/zmtp/mod.ts";

/** The data with which the process of a job sends requests to the master itself. */
export interface JobSession {
  /** The address of the master's request server: `tcp://host:port`. */
  address: string;
  id: string;
  key: string;
  /** The token that proves the minion's key. */
  proof: Uint8Array;
  algorithms: { encryption: string; signing: string };
}

interface BulkRequestsOptions {
  runtime: Runtime;
  log: Logger;
  /** The minion's configuration. */
  opts: Record<string, unknown>;
  session: JobSession;
  /** Returns a session with another key than the given one, which the master does not accept any more. */
  renew(key: string): Promise<JobSession>;
}

/** How many requests are sent at a time: while one reply is read, the master prepares the next. */
const CONNECTIONS = 2;

/**
 * Opens connections of a job to the master, under the session of its minion: large files then do not pass through the minion,
 * which would read, copy and write them once more. The connections end with the process.
 */
export function bulkRequests(
  { runtime, log, opts, session, renew }: BulkRequestsOptions,
): (load: Record<string, unknown>, options?: MasterRequestOptions) => Promise<unknown> {
  const { crypto, clock } = runtime;
  const sockets = openTransport({ runtime, log, opts });
  const free: Req[] = [];
  for (let count = 0; count < CONNECTIONS; count++) {
    const req = sockets.req({ sendHighWaterMark: 0, lingerMs: 0 });
    req.connect(session.address);
    free.push(req);
  }
  const all = [...free];
  const opened = ({ key, proof, algorithms }: JobSession): SessionSeal & { key: string } => ({
    key,
    crypticle: new Crypticle(crypto, key),
    proof,
    algorithms,
  });
  let current = opened(session);
  let renewing: Promise<void> | undefined;
  const requests = new SealedRequests({
    crypto,
    clock,
    log,
    id: session.id,
    async exchange(bytes, how) {
      const req = free.shift();
      // With all of them busy it waits at one of them.
      if (req === undefined) return (await all[0]!.request(bytes, how))[0]!;
      try {
        return (await req.request(bytes, how))[0]!;
      } finally {
        free.push(req);
      }
    },
    session: () => Promise.resolve(current),
    renew: () =>
      renewing ??= renew(current.key)
        .then((fresh) => void (current = opened(fresh)))
        .finally(() => renewing = undefined),
  });
  return (load, options) => requests.send(load, options);
}

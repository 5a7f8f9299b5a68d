import type { Exchange } from "../protocol/channel/req_client.ts";
import { codeOf } from "../base/errors.ts";
import type { Req } from "../protocol/zmtp/mod.ts";
import { ClientError } from "./client_error.ts";

/** Salt's own message for a master that does not answer: scripts compare it. */
const TIMED_OUT =
  "Salt request timed out. The master is not responding. You may need to run your command with `--async` in order " +
  "to bypass the congested event bus. With `--async`, the CLI tool will print the job id (jid) and exit " +
  "immediately without listening for responses. You can then use `salt-run jobs.lookup_jid` to look up the " +
  "results of the job in the job cache later.";

/** One connection to the master's request port, for one request at a time. */
class Connection {
  readonly #req: Req;
  /** The number of requests that are sent or queued on the connection. */
  pending = 0;

  constructor(req: Req) {
    this.#req = req;
  }

  /** Exchanges one request for its reply. @throws {ClientError} `TIMEOUT` if the master does not answer within `timeoutMs` */
  readonly exchange: Exchange = async (bytes, how) => {
    this.pending++;
    try {
      return (await this.#req.request(bytes, how))[0]!;
    } catch (error) {
      if (codeOf(error) !== "TIMEOUT") throw error;
      throw new ClientError("TIMEOUT", TIMED_OUT, { cause: error });
    } finally {
      this.pending--;
    }
  };

  close(): Promise<void> {
    return this.#req.close();
  }
}

/** The connections of a client to the master's request port, opened as they are needed. */
export class RequestConnections {
  readonly #open: () => Req;
  readonly #most: number;
  readonly #connections: Connection[] = [];

  /**
   * Opens the first connection at once, so that the first request need not wait for it.
   *
   * @param open opens a connection
   * @param most the largest number of connections
   */
  constructor(open: () => Req, most: number) {
    this.#open = open;
    this.#most = most;
    this.leastBusy();
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** The connection with the fewest requests; a new one if all are busy and there may be more. */
  leastBusy(): Connection {
    let [best] = this.#connections;
    for (const connection of this.#connections) if (connection.pending < best!.pending) best = connection;
    if (best === undefined || (best.pending > 0 && this.#connections.length < this.#most)) {
      best = new Connection(this.#open());
      this.#connections.push(best);
    }
    return best;
  }
}

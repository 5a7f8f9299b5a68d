import { LONG_MESSAGE } from "../../../protocol/crypto/crypticle.ts";
import { SaltError } from "../../../base/errors.ts";
import type { FileRequest } from "../../../content/fileserver/file_request.ts";
import type { Logger } from "../../../base/log.ts";
import { isMap } from "../../../language/python/values.ts";
import { release } from "../../../runtime/bytes.ts";
import type { PartHost } from "../../../feature/supervise/serve_part.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { JobSession } from "./bulk_requests.ts";

/** After how many bytes a job opens its own connections to the master: opening them takes longer than fetching fewer bytes. */
const RELAYED_BYTES = 512 * 1024;

/** A reply with bytes of a file. */
type Piece = { data: Uint8Array };

function isPiece(reply: unknown): reply is Piece {
  return isMap(reply) && "data" in reply && reply.data instanceof Uint8Array;
}

/**
 * Requests about files from the process of a job. They pass through the minion at first, and go straight to the master once a
 * job has fetched half a MiB.
 */
export class JobFiles {
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #opts: Record<string, unknown>;
  readonly #minion: PartHost;
  /** How many bytes of files came through the minion. */
  #relayed = 0;
  #bulk: Promise<FileRequest | undefined> | undefined;
  /** Replies whose memory is used by this job alone. */
  readonly #ownReplies = new WeakSet<object>();

  /** @param opts the minion's configuration */
  constructor(runtime: Runtime, log: Logger, opts: Record<string, unknown>, minion: PartHost) {
    this.#runtime = runtime;
    this.#log = log;
    this.#opts = opts;
    this.#minion = minion;
  }

  readonly request: FileRequest = async (load, how = {}) => {
    if (how.raw && this.#relayed >= RELAYED_BYTES) {
      const send = await (this.#bulk ??= this.#openBulk());
      if (send !== undefined) {
        const reply = await send(load, how);
        if (isPiece(reply) && reply.data.length >= LONG_MESSAGE) this.#ownReplies.add(reply);
        return reply;
      }
    }
    const reply = await this.#minion.ask("master", load, how);
    if (how.raw && isPiece(reply)) this.#relayed += reply.data.length;
    return reply;
  };

  /** Releases the memory of a reply that is not needed any more. */
  readonly done = (reply: unknown): void => {
    // A reply that came through the minion may share its memory with the message after it.
    if (this.#ownReplies.delete(reply as object)) release((reply as Piece).data);
  };

  /** Opens connections to the master; undefined if the minion has no session to share. */
  async #openBulk(): Promise<FileRequest | undefined> {
    const ask = async (stale?: string) => await this.#minion.ask("session", stale) as JobSession | null ?? undefined;
    const session = await ask();
    if (session === undefined) return undefined;
    // Loaded here because most jobs do not need it.
    const { bulkRequests } = await import("./bulk_requests.ts");
    const renew = async (stale: string) => {
      const fresh = await ask(stale);
      if (fresh === undefined) throw new SaltError("NO_SESSION", "The minion no longer has a session with the master");
      return fresh;
    };
    return bulkRequests({ runtime: this.#runtime, log: this.#log, opts: this.#opts, session, renew });
  }
}

import { backoffDelay } from "../../base/async/backoff.ts";
import { type AuthClient, MasterKeyError, type SignedIn } from "../../protocol/channel/auth_client.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/**
 * The master has refused the minion for good; the process should end with this exit code, as Salt's does.
 *
 * @example
 * ```ts
 * import { type RejectedError, startMinion } from "brine/minion";
 *
 * const onRejected = ({ exitCode, message }: RejectedError) => console.error(exitCode, message);
 * export const start = () => startMinion({ rootDir: "/srv/web1", onRejected });
 * ```
 */
export class RejectedError extends SaltError {
  /** The exit code for a program that ends over it. */
  readonly exitCode: number;

  /** Its `exitCode` is the one with which the program ends. @param exitCode for a program that ends over it */
  constructor(message: string, exitCode: number) {
    super("REJECTED", message);
    this.exitCode = exitCode;
  }
}

/** The error that ends the program because the master is not the one that `master_finger` names; undefined for any other. */
function forGood(error: unknown): RejectedError | undefined {
  return error instanceof MasterKeyError && "expected" in error ? new RejectedError(error.message, 42) : undefined;
}

interface SignInOptions {
  runtime: Pick<Runtime, "clock" | "random">;
  opts: MinionOpts;
  log: Logger;
  auth: AuthClient;
  /** The master's address, for the log. */
  address: string;
  /** Sends one request and resolves with the reply. */
  request(bytes: Uint8Array, options: { timeoutMs: number; signal: AbortSignal }): Promise<Uint8Array>;
  /** Aborts when the connection is closed. */
  signal: AbortSignal;
}

/** Time between two warnings of the same trouble, in milliseconds: a log that was rotated says it, too. */
const WARN_AGAIN_MS = 10 * 60_000;

/** How often {@link SignIn.once} is told to come later. */
const MAX_DELAYS = 3;

/** Signs in to one master, and tries again until the master accepts the minion's key. */
export class SignIn {
  readonly #options: SignInOptions;
  #running: Promise<SignedIn> | undefined;
  #trouble: string | undefined;
  /** The warning that was logged last, and when. */
  #warned: { message: string; atMs: number } | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Why the sign-in has not succeeded so far. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Signs in; calls at the same time share one sign-in. @throws {RejectedError} if there is no point in trying again */
  run(): Promise<SignedIn> {
    return this.#running ??= this.#untilAccepted().finally(() => this.#running = undefined);
  }

  /**
   * Signs in, and gives up when the master does not accept the key now. A master that has many sign-ins to do is asked again
   * when it says.
   *
   * @throws {RejectedError} if there is no point in trying again; {@link SaltError} for any other refusal
   */
  async once(signal: AbortSignal): Promise<SignedIn> {
    const { runtime: { clock }, log, address } = this.#options;
    for (let attempt = 1;; attempt++) {
      const outcome = await this.#attempt(signal).catch((error) => {
        throw forGood(error) ?? error;
      });
      if (outcome.state === "accepted") {
        log.info("signed in to the master", { master: address });
        return outcome.signedIn;
      }
      if (outcome.state !== "later") throw this.#refusal(outcome.state);
      if (attempt === MAX_DELAYS) throw new SaltError("BUSY", "the master is signing in many minions");
      log.info("the master is busy with sign-ins: this minion signs in later", { ms: outcome.afterMs });
      await clock.sleep(outcome.afterMs, signal);
    }
  }

  async #untilAccepted(): Promise<SignedIn> {
    const { runtime: { clock, random }, log, address, signal } = this.#options;
    this.#warned = undefined;
    for (let attempt = 0, failures = 0;; attempt++) {
      signal.throwIfAborted();
      let pauseMs = this.#pauseAfter(attempt);
      try {
        const outcome = await this.#attempt();
        if (outcome.state === "accepted") {
          // An operator who has read the warning must learn that its cause has ended.
          log[this.#warned === undefined ? "info" : "warning"]("signed in to the master", { master: address });
          return outcome.signedIn;
        }
        if (outcome.state === "later") {
          log.info("the master is busy with sign-ins: this minion signs in later", { ms: outcome.afterMs });
          pauseMs = outcome.afterMs;
        } else {
          const refusal = this.#refusal(outcome.state);
          if (refusal instanceof RejectedError) throw refusal;
          this.#warn(refusal.message);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RejectedError) throw error;
        const fatal = forGood(error);
        if (fatal !== undefined) throw fatal;
        if (error instanceof MasterKeyError) this.#warn(error.message, {}, "error");
        else {
          this.#warn("cannot sign in to the master, trying again", { reason: messageOf(error) });
          // The master may just be restarting, so the first pauses are short.
          const bounds = { initialMs: 200, maxMs: Math.max(pauseMs, 200) };
          pauseMs = Math.min(pauseMs, backoffDelay(failures++, bounds, random()));
        }
      }
      await clock.sleep(pauseMs, signal);
    }
  }

  /** Returns the time between attempts in milliseconds: `acceptance_wait_time`, doubled up to `acceptance_wait_time_max`. */
  #pauseAfter(attempt: number): number {
    const { acceptance_wait_time, acceptance_wait_time_max } = this.#options.opts;
    const pauseMs = acceptance_wait_time * 1000;
    const longestMs = Math.max(pauseMs, acceptance_wait_time_max * 1000);
    return Math.min(longestMs, pauseMs * 2 ** Math.min(attempt, acceptance_wait_time_max > 0 ? 16 : 0));
  }

  async #attempt(signal = this.#options.signal): Promise<ReturnType<AuthClient["outcome"]>> {
    const { auth, request, opts } = this.#options;
    const asked = auth.request();
    const reply = await request(asked.bytes, { timeoutMs: opts.auth_timeout * 1000, signal });
    return auth.outcome(reply, asked);
  }

  /** Why the master has not accepted the key; a {@link RejectedError} if it is rejected and `rejected_retry` is not set. */
  #refusal(state: "pending" | "full" | "rejected"): SaltError {
    const { auth: { id }, opts } = this.#options;
    if (state === "pending") {
      return new SaltError(
        "PENDING",
        `the master has not accepted the key yet: accept it there with salt-key -a ${id}`,
      );
    }
    if (state === "full") {
      return new SaltError(
        "FULL",
        "the master has reached its limit of minions or pending keys (max_minions, max_pending_keys)",
      );
    }
    const why = `The master refuses the key of "${id}". Check on the master: if salt-key -l rej lists the id, an ` +
      "operator has rejected the key. If salt-key -l den lists it, another host uses this id: give one " +
      "host another id. Delete a key only if its host was reinstalled or is gone";
    return opts.rejected_retry ? new SaltError("REJECTED", why) : new RejectedError(why, 77);
  }

  /** Logs a warning once and then every ten minutes, not with every attempt: a fleet that waits for a day must not fill its disks. */
  #warn(message: string, fields: Record<string, unknown> = {}, level: "warning" | "error" = "warning"): void {
    const { runtime: { clock }, log, address } = this.#options;
    this.#trouble = typeof fields.reason === "string" ? fields.reason : message;
    const nowMs = clock.elapsed();
    const { message: last, atMs = -Infinity } = this.#warned ?? {};
    if (last === message && nowMs - atMs < WARN_AGAIN_MS) return;
    log[level](message, { master: address, ...fields });
    this.#warned = { message, atMs: nowMs };
  }
}

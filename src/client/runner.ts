import { within } from "../base/async/within.ts";
import { deferred } from "../base/async/deferred.ts";
import { type Clock, systemClock } from "../base/async/clock.ts";
import { TimeoutError } from "../base/errors.ts";
import type { BusEvent } from "../model/event/bus.ts";
import { runReturn } from "../model/event/tag.ts";
import { refuseUnknownKeys } from "../base/nearest_name.ts";
import { refusal } from "./client_error.ts";
import { askClear } from "./clear.ts";
import type { Credentials, JobOrigin } from "./publish_request.ts";
import type { MasterLink } from "./bus_feed.ts";

/** A call of a runner function. */
export interface RunnerRequest {
  /** The runner function, such as `"manage.up"`. */
  fun: string;
  /** Positional arguments. */
  arg: readonly unknown[];
  /** Keyword arguments. */
  kwarg: Record<string, unknown>;
  /** The caller's credentials, such as `ownCredentials` of a client. */
  credentials: Credentials;
  /** The cause of the call, in addition to the caller; Brine masters only. */
  origin?: JobOrigin;
}

/** A runner that the master has started; its result comes as the event `<tag>/ret`. */
export interface RunnerJob {
  /** The prefix of the tags of the runner's events: `salt/run/<jid>`. */
  tag: string;
  /** The runner's job id, 20 digits. */
  jid: string;
}

/**
 * Starts a runner in the master.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const request = { fun: "manage.up", arg: [], kwarg: {}, credentials: salt.ownCredentials };
 * const { tag } = await startRunner(salt, request);
 * console.log(`its return comes as the event ${tag}/ret`);
 * ```
 * @throws {ClientError} `REFUSED`
 * @throws {TypeError} for unknown keys of the request
 */
export async function startRunner(client: MasterLink, request: RunnerRequest): Promise<RunnerJob> {
  refuseUnknownKeys("a runner's call", request, ["fun", "arg", "kwarg", "credentials", "origin"]);
  const { fun, arg, kwarg, credentials, origin } = request;
  const asked = { ...credentials, cmd: "runner", fun, kwarg: { arg, kwarg } };
  const reply = await askClear(client, origin === undefined ? asked : { ...asked, __origin__: origin });
  const { tag, jid } = (reply ?? {}) as Record<string, unknown>;
  if (typeof tag !== "string" || typeof jid !== "string") {
    throw refusal(`The master did not start the runner "${fun}"`);
  }
  return { tag, jid };
}

/**
 * Starts a runner and waits for its end: the event that carries its `return`.
 *
 * @example
 * ```ts
 * await using salt = await connect();
 * const request = { fun: "manage.up", arg: [], kwarg: {}, credentials: salt.ownCredentials };
 * const { data } = await callRunner(salt, request, { timeoutMs: 60_000 });
 * console.log(data.return);
 * ```
 * @throws {ClientError} as {@link startRunner}, and when the connection to the master is lost
 * @throws {TimeoutError} after `timeoutMs`; the runner continues
 */
export async function callRunner(
  client: MasterLink,
  request: RunnerRequest,
  options: { timeoutMs: number; clock?: Clock; signal?: AbortSignal },
): Promise<{ tag: string; data: Record<string, unknown> }> {
  const { timeoutMs, clock = systemClock, signal } = options;
  const ended = deferred<BusEvent>();
  const early = new Map<string, BusEvent>();
  let wanted: string | undefined;
  // Listen before asking: a runner can end before the master's reply is here.
  const off = client.onEvent((event) => {
    if (!event.tag.startsWith("salt/run/") || !event.tag.endsWith("/ret")) return;
    if (wanted === undefined) early.set(event.tag, event);
    else if (event.tag === wanted) ended.resolve(event);
  });
  try {
    const { jid } = await startRunner(client, request);
    wanted = runReturn(jid);
    const already = early.get(wanted);
    if (already !== undefined) ended.resolve(already);
    const { tag, data } = await within(clock, timeoutMs, signal, Promise.race([ended.promise, client.lost]), () => {
      throw new TimeoutError(`The runner "${request.fun}" has not ended within ${timeoutMs} ms`, { jid });
    });
    return { tag, data };
  } finally {
    off();
  }
}

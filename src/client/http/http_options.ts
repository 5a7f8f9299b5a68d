/** The options of a connection over HTTP, and what is refused of them. */
import type { Clock } from "../../base/async/clock.ts";
import { refuseUnknownKeys } from "../../base/nearest_name.ts";
import type { Logger } from "../../base/log.ts";
import type { Login } from "./session.ts";

/** How a program reaches a master over HTTP. One of `token` and `login` is needed. */
export interface HttpOptions {
  /** A token of a login elsewhere, a JSON Web Token, or an API key. It is not ended with the client. */
  token?: string;
  /** Logs in, again when that has expired, and out when the client is closed. */
  login?: Login;
  /** Allows plain HTTP to another machine, where the network itself is safe. @default false */
  insecure?: boolean;
  /** Of one request, in milliseconds, where the call does not say. @default 60000 */
  timeoutMs?: number;
  /** How often a request is repeated that may be: one that reads, or a job by its own id. @default 3 */
  retries?: number;
  /** For how long the server may be away while events or a job are followed, in milliseconds. @default 60000 */
  patienceMs?: number;
  /** The largest answer and the largest event, in bytes; outcomes that wait to be read may have four times as much. @default 67108864, 64 MiB */
  maxBytes?: number;
  /** Ends the connecting with the signal's reason; once it is connected it has no effect. */
  signal?: AbortSignal;
  /** Makes the requests. @default the host's own */
  fetch?: (request: Request) => Promise<Response>;
  /** The clock by which it waits. @default the host's own */
  clock?: Clock;
  /** In [0, 1), to spread retries. @default Math.random */
  random?: () => number;
  /** Where the client logs. @default no log */
  log?: Logger;
}

const OPTIONS: readonly (keyof Required<HttpOptions>)[] = [
  "token",
  "login",
  "insecure",
  "timeoutMs",
  "retries",
  "patienceMs",
  "maxBytes",
  "signal",
  "fetch",
  "clock",
  "random",
  "log",
];
const NEED_LOGIN = 'login: { username: "…", password: "…", eauth: "…" }';
const REMEDIES = {
  username: `write it inside ${NEED_LOGIN}`,
  password: `write it inside ${NEED_LOGIN}`,
  eauth: `write it inside ${NEED_LOGIN}`,
  credentials: `use ${NEED_LOGIN}`,
  timeout: "durations are in milliseconds here: use timeoutMs",
  apiKey: "an API key is a token: use token",
};

/**
 * Checks options before anything is sent.
 *
 * @throws {TypeError} for unknown keys, and unless there is one of token and login
 */
export function checkOptions(options: HttpOptions): void {
  refuseUnknownKeys("the options of connect()", options, OPTIONS, REMEDIES);
  checkNumbers(options);
  const { token, login } = options;
  if ((token === undefined) === (login === undefined)) {
    const which = token === undefined ? "both are missing" : "both are given";
    throw new TypeError(`Cannot connect without credentials (${which}): expected token: "…", or ${NEED_LOGIN}`);
  }
  if (token !== undefined && typeof token !== "string") throw new TypeError("Cannot connect: token is not a string");
  if (login === undefined) return;
  for (const name of ["username", "password", "eauth"] as const) {
    if (typeof login[name] !== "string") throw new TypeError(`Cannot log in: login.${name} is missing`);
  }
}

function checkNumbers({ timeoutMs, patienceMs, maxBytes, retries }: HttpOptions): void {
  for (const [name, value] of Object.entries({ timeoutMs, maxBytes })) {
    if (value !== undefined && !(value > 0)) {
      throw new RangeError(`Cannot connect: ${name} is ${value}, expected more than 0`);
    }
  }
  for (const [name, value] of Object.entries({ patienceMs, retries })) {
    if (value !== undefined && !(value >= 0)) {
      throw new RangeError(`Cannot connect: ${name} is ${value}, expected 0 or more`);
    }
  }
}

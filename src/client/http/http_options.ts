/** The options of a connection over HTTP, and their checks. */
import type { Clock } from "../../base/async/clock.ts";
import { refuseUnknownKeys } from "../../base/nearest_name.ts";
import type { Logger } from "../../base/log.ts";
import type { HttpLogin } from "./session.ts";

/** The options of a connection over HTTP. One of `token` and `login` is required. */
export interface HttpOptions {
  /** A token of another login, a JSON Web Token, or an API key. It stays valid when the client is closed. */
  token?: string;
  /** The login. The client logs in again when the login has expired, and logs out when it is closed. */
  login?: HttpLogin;
  /** Allows plain HTTP to another machine, for a network that is itself secure. @default false */
  insecure?: boolean;
  /** The default time for one request, in milliseconds. @default 60000 */
  timeoutMs?: number;
  /** How often a request is repeated, if that is safe: reads, and jobs with an id of the client. @default 3 */
  retries?: number;
  /** How long the server may be unreachable while events or a job are followed, in milliseconds. @default 60000 */
  patienceMs?: number;
  /** The largest answer and the largest event, in bytes; outcomes that wait to be read may have four times as many. @default 67108864, 64 MiB */
  maxBytes?: number;
  /** Aborts the connection attempt with the signal's reason. Has no effect on an open connection. */
  signal?: AbortSignal;
  /** Makes the requests. @default the global `fetch` */
  fetch?: (request: Request) => Promise<Response>;
  /** The clock for waits. @default the host's clock */
  clock?: Clock;
  /** Returns a random number in [0, 1), to spread retries. @default Math.random */
  random?: () => number;
  /** The log of the client. @default no log */
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
 * @throws {TypeError} for unknown keys, and unless exactly one of `token` and `login` is given
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

/** What returners that post to web servers share. */
import { messageOf } from "../../base/errors.ts";
import { EventsRefused, type ReturnerContext } from "../../model/loader/family.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { takeUser } from "../../runtime/http_head.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { startOfBody } from "../../runtime/http_body.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";

/** Bytes of an answer that are looked at. */
const MOST_READ = 65_536;
/** Answers that another try may better: the server is overloaded, or something before it is. */
const PASSING = new Set([408, 425, 429]);

/** @param option names the map in errors */
export function headersOf(given: unknown, token: unknown, option = "http_json.headers"): Headers {
  const headers = new Headers({ "content-type": "application/json" });
  if (isMap(given)) {
    for (const [name, value] of entriesOf(given)) headers.set(str(name), str(value));
  } else if (given !== undefined) {
    throw new TypeError(`Cannot use ${option}: expected a map of names and values`);
  }
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return headers;
}

/** The address as the log may show it: user, password and query may be secrets. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

export interface PostAttempt {
  /** Undefined if there was no answer. */
  status?: number;
  /** Undefined if it went well. */
  failure?: string;
  /** False if the same request would fail again. */
  again: boolean;
}

interface Post {
  method?: string;
  headers: Headers;
  /** @default the request has none */
  body?: string;
  timeoutMs: number;
  /** What to do with the answer. @default nothing */
  read?: (text: string) => void;
}

/** Sends one request, through the proxy of the configuration. A redirection is a failure: a post goes nowhere else. */
export async function postAttempt(
  context: Pick<ReturnerContext, "runtime" | "opts">,
  url: URL,
  { method = "POST", headers, body, timeoutMs, read }: Post,
): Promise<PostAttempt> {
  try {
    const proxy = proxiesOf(context)(url);
    const response = await context.runtime.http.request(url.href, {
      method,
      headers,
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      signal: AbortSignal.timeout(timeoutMs),
      connectMs: timeoutMs,
      ...(proxy === undefined ? {} : { proxy }),
    });
    const { status } = response;
    if (response.ok && read !== undefined) read(await startOfBody(response.body, MOST_READ));
    else await response.body?.cancel();
    if (response.ok) return { status, again: false };
    const passing = response.status >= 500 || PASSING.has(response.status);
    return { status, failure: `it answered ${response.status} ${response.statusText}`.trimEnd(), again: passing };
  } catch (error) {
    if (error instanceof EventsRefused) throw error;
    return { failure: messageOf(error), again: true };
  }
}

/** A secret of the configuration: itself, or the only line of a file. @throws {TypeError} if the file is empty */
export function secretOf(fs: FileSystem, value: unknown, file: unknown, option: string): string | undefined {
  if (file === undefined) return value === undefined ? undefined : String(value);
  const secret = fs.readText(String(file)).trim();
  if (secret === "") throw new TypeError(`Cannot use ${option} "${file}": it is empty; write the secret into it`);
  return secret;
}

/** An address that can be posted to, its user and password moved into the headers. @throws {TypeError} saying what to set */
export function postAddress(text: string, headers: Headers, advice: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError(advice);
  const authorization = takeUser(url);
  if (authorization !== undefined && !headers.has("authorization")) headers.set("authorization", authorization);
  return url;
}

/** Answers by which a server says that the content is wrong, and not who sends it or where. */
const REFUSALS = new Set([400, 413, 415, 422]);

/**
 * Posts events once: whoever calls tries again.
 *
 * @throws {EventsRefused} if the server will never take them; {Error} otherwise
 */
export async function postEvents(
  context: Pick<ReturnerContext, "runtime" | "opts">,
  url: URL,
  post: Post,
): Promise<void> {
  const { failure, status = 0 } = await postAttempt(context, url, post);
  if (failure === undefined) return;
  const text = `Cannot post events to ${shown(url)}: ${failure}`;
  throw REFUSALS.has(status) ? new EventsRefused(text) : new Error(text);
}

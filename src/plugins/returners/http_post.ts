/** What returners that post to web servers share. */
import { messageOf } from "../../errors.ts";
import { EventsRefused } from "../../loader/family.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { entriesOf, isMap, str } from "../../python/mod.ts";

/** Characters of an answer that are looked at. */
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

export interface Attempt {
  /** Undefined if there was no answer. */
  status?: number;
  /** Undefined if it went well. */
  failure?: string;
  /** False if the same request would fail again. */
  again: boolean;
}

/** Sends one request. @param read what to do with the answer; by default nothing */
export async function attempt(
  url: URL,
  request: RequestInit,
  timeoutMs: number,
  read?: (text: string) => void,
): Promise<Attempt> {
  try {
    const response = await fetch(url, { ...request, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    const { status } = response;
    if (response.ok && read !== undefined) read((await response.text()).slice(0, MOST_READ));
    else await response.body?.cancel();
    if (response.ok) return { status, again: false };
    const passing = response.status >= 500 || PASSING.has(response.status);
    return { status, failure: `it answered ${response.status} ${response.statusText}`.trimEnd(), again: passing };
  } catch (error) {
    if (error instanceof EventsRefused) throw error;
    const { cause } = error as { cause?: unknown };
    return { failure: cause === undefined ? messageOf(error) : messageOf(cause), again: true };
  }
}

/** A secret of the configuration: itself, or the only line of a file. @throws {TypeError} if the file is empty */
export function secretOf(fs: FileSystem, value: unknown, file: unknown, option: string): string | undefined {
  if (file === undefined) return value === undefined ? undefined : String(value);
  const secret = fs.readText(String(file)).trim();
  if (secret === "") throw new TypeError(`Cannot use ${option} "${file}": it is empty; write the secret into it`);
  return secret;
}

/**
 * An address that can be posted to, its user and password moved into the headers: fetch() takes none in the address.
 *
 * @throws {TypeError} saying what to set
 */
export function postAddress(text: string, headers: Headers, advice: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError(advice);
  if (url.username !== "" && !headers.has("authorization")) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${btoa(credentials)}`);
  }
  url.username = url.password = "";
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
  url: URL,
  { headers, body, timeoutMs, read }: {
    headers: Headers;
    body: string;
    timeoutMs: number;
    read?: (text: string) => void;
  },
): Promise<void> {
  const { failure, status = 0 } = await attempt(url, { method: "POST", headers, body }, timeoutMs, read);
  if (failure === undefined) return;
  const text = `Cannot post events to ${shown(url)}: ${failure}`;
  throw REFUSALS.has(status) ? new EventsRefused(text) : new Error(text);
}

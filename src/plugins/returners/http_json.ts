import { backoffDelay } from "../../async/backoff.ts";
import { messageOf } from "../../errors.ts";
import type { ReturnerContext, ReturnerModule } from "../../loader/family.ts";
import { entriesOf, isMap, str } from "../../python/mod.ts";
import { toJson } from "./json.ts";
import { numberOption, returnerOptions } from "./options.ts";

/** Answers that another try may better: the server is overloaded, or something before it is. */
const PASSING = new Set([408, 425, 429]);

function headersOf(given: unknown, token: unknown): Headers {
  const headers = new Headers({ "content-type": "application/json" });
  if (isMap(given)) {
    for (const [name, value] of entriesOf(given)) headers.set(str(name), str(value));
  } else if (given !== undefined) {
    throw new TypeError("Cannot use http_json.headers: expected a map of names and values");
  }
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return headers;
}

/** The address as the log may show it: user, password and query may be secrets. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

interface Attempt {
  /** Undefined if it went well. */
  failure?: string;
  /** False if the same request would fail again. */
  again: boolean;
}

async function attempt(url: URL, request: RequestInit, timeoutMs: number): Promise<Attempt> {
  try {
    const response = await fetch(url, { ...request, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    if (response.ok) return { again: false };
    const passing = response.status >= 500 || PASSING.has(response.status);
    return { failure: `it answered ${response.status} ${response.statusText}`.trimEnd(), again: passing };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return { failure: cause === undefined ? messageOf(error) : messageOf(cause), again: true };
  }
}

/**
 * Posts each return as JSON to a web server. Options: `http_json.url`; `.method`, by default POST; `.headers`, a map;
 * `.token`, sent as a bearer's; `.timeout` in seconds, by default 10; `.tries`, by default 3, one second and more apart.
 */
export const returner: ReturnerModule = {
  async returner(context: ReturnerContext, ret) {
    const options = returnerOptions(context, "http_json", {
      url: undefined as unknown,
      method: "POST" as unknown,
      headers: undefined as unknown,
      token: undefined as unknown,
      timeout: 10 as unknown,
      tries: 3 as unknown,
    });
    const text = String(options.url ?? "");
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new TypeError("Cannot post a return: set http_json.url to an address that begins with http:// or https://");
    }
    const headers = headersOf(options.headers, options.token);
    // fetch() refuses an address with a user in it.
    if (url.username !== "" && !headers.has("authorization")) {
      headers.set(
        "authorization",
        `Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`,
      );
    }
    url.username = url.password = "";
    const request = { method: String(options.method).toUpperCase(), headers, body: toJson(ret) };
    const timeoutMs = numberOption("http_json.timeout", options.timeout) * 1000;
    const tries = Math.max(1, numberOption("http_json.tries", options.tries));
    const { clock } = context.runtime;
    for (let made = 1;; made++) {
      const { failure, again } = await attempt(url, request, timeoutMs);
      if (failure === undefined) return;
      if (!again || made >= tries) {
        throw new Error(`Cannot post a return to ${shown(url)} in ${made} ${made === 1 ? "try" : "tries"}: ${failure}`);
      }
      context.log.debug("return not accepted, trying again", { url: shown(url), failure });
      await clock.sleep(backoffDelay(made - 1, { initialMs: 1000, maxMs: 10_000 }, context.runtime.random()));
    }
  },
};

import { backoffDelay } from "../../base/async/backoff.ts";
import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { headersOf, postAddress, postAttempt, postEvents, secretOf, shown } from "./http_post.ts";
import { toJson } from "./json.ts";
import { numberOption, returnerOptions } from "./options.ts";

/** Where to post to, and with which headers. */
function placeOf(
  { runtime: { fs } }: ReturnerContext,
  name: string,
  url: unknown,
  { headers: given, token, token_file: file }: { headers: unknown; token: unknown; token_file: unknown },
): { headers: Headers; url: URL } {
  const headers = headersOf(given, secretOf(fs, token, file, "http_json.token_file"));
  const advice = `Cannot post: set ${name} to an address that begins with http:// or https://`;
  return { headers, url: postAddress(String(url ?? ""), headers, advice) };
}

/**
 * Posts each return as JSON to a web server. Options: `http_json.url`; `.method`, by default POST; `.headers`, a map;
 * `.token` or `.token_file`, sent as a bearer's; `.timeout` in seconds, by default 10; `.tries`, by default 3, one second and more apart.
 *
 * Events of a master are posted together, as a list of maps, to `http_json.event_url`, or to `.url`, until the server has taken them; the
 * header `Idempotency-Key` is the same for the same events.
 */
export const returner: ReturnerModule = {
  fromJob: ["timeout", "tries"],
  async returner(context: ReturnerContext, ret) {
    const options = returnerOptions(context, "http_json", {
      url: undefined as unknown,
      method: "POST" as unknown,
      headers: undefined as unknown,
      token: undefined as unknown,
      token_file: undefined as unknown,
      timeout: 10 as unknown,
      tries: 3 as unknown,
    });
    const { headers, url } = placeOf(context, "http_json.url", options.url, options);
    const timeoutMs = numberOption("http_json.timeout", options.timeout) * 1000;
    const post = { method: String(options.method).toUpperCase(), headers, body: toJson(ret), timeoutMs };
    const tries = Math.max(1, numberOption("http_json.tries", options.tries));
    const { clock } = context.runtime;
    for (let made = 1;; made++) {
      const { failure, again } = await postAttempt(context, url, post);
      if (failure === undefined) return;
      if (!again || made >= tries) {
        throw new Error(`Cannot post a return to ${shown(url)} in ${made} ${made === 1 ? "try" : "tries"}: ${failure}`);
      }
      context.log.debug("return not accepted, trying again", { url: shown(url), failure });
      await clock.sleep(backoffDelay(made - 1, { initialMs: 1000, maxMs: 10_000 }, context.runtime.random()));
    }
  },
  async eventReturn(context, { id, events }) {
    const options = returnerOptions(context, "http_json", {
      url: undefined as unknown,
      event_url: undefined as unknown,
      headers: undefined as unknown,
      token: undefined as unknown,
      token_file: undefined as unknown,
      timeout: 10 as unknown,
    });
    const name = options.event_url === undefined ? "http_json.url" : "http_json.event_url";
    const { headers, url } = placeOf(context, name, options.event_url ?? options.url, options);
    headers.set("idempotency-key", id);
    const body = toJson(events.map((event) => ({ id: event.id, tag: event.tag, data: event.data })));
    const timeoutMs = numberOption("http_json.timeout", options.timeout) * 1000;
    await postEvents(context, url, { headers, body, timeoutMs });
  },
};

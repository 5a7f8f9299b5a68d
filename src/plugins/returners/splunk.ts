import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { postAddress, postAttempt, postEvents, shown } from "./http_post.ts";
import { toJson } from "./json.ts";

const OPTION = "splunk_http_forwarder";
const PATH = "/services/collector/event";
const TIMEOUT_MS = 120_000;

type Option = (name: string) => unknown;

function optionsOf({ opts }: ReturnerContext): Option {
  const all = [opts, opts.grains, opts.pillar].filter(isMap).map((source) => lookup(source, OPTION)).filter(isMap);
  return (name) => all.map((one) => lookup(one, name)).find((value) => value !== undefined && value !== null);
}

/** The collector of the option `indexer`, a host, or an address where it does not listen for HTTPS on port 8088. */
function placeOf(option: Option): { url: URL; headers: Headers } {
  const [indexer, token] = [option("indexer"), option("token")];
  if (option("verify_ssl") === false) {
    throw new TypeError(
      `Cannot use ${OPTION}:verify_ssl: False: name the authority by NODE_EXTRA_CA_CERTS or DENO_CERT`,
    );
  }
  if (token === undefined) throw new TypeError(`Cannot post to Splunk: set ${OPTION}:token`);
  const headers = new Headers({ authorization: `Splunk ${token}`, "content-type": "application/json" });
  const text = String(indexer ?? "");
  const advice = `Cannot post to Splunk: set ${OPTION}:indexer to a host`;
  if (text === "") throw new TypeError(advice);
  return {
    url: postAddress(/^https?:/.test(text) ? `${text}${PATH}` : `https://${text}:8088${PATH}`, headers, advice),
    headers,
  };
}

/** An event as the collector takes it. */
function envelope({ runtime }: ReturnerContext, option: Option, event: unknown): string {
  return toJson({
    time: String(Math.floor(runtime.clock.now() / 1000)),
    index: option("index") ?? null,
    sourcetype: option("sourcetype") ?? null,
    event,
    host: runtime.host.hostname(),
  });
}

/**
 * Posts each return, and the events of a master, to a Splunk HTTP event collector. Options: a map `splunk_http_forwarder` of `token`,
 * `indexer`, `sourcetype` and `index`.
 *
 * @see salt/returners/splunk.py
 */
export const returner: ReturnerModule = {
  async returner(context, ret) {
    const option = optionsOf(context);
    const { url, headers } = placeOf(option);
    const post = { headers, body: envelope(context, option, ret), timeoutMs: TIMEOUT_MS };
    const { failure } = await postAttempt(context, url, post);
    if (failure !== undefined) throw new Error(`Cannot post a return to ${shown(url)}: ${failure}`);
  },
  async eventReturn(context, { events }) {
    const option = optionsOf(context);
    const { url, headers } = placeOf(option);
    const body = events.map(({ data, tag }) => envelope(context, option, { data, tag })).join("\n");
    await postEvents(context, url, { headers, body, timeoutMs: TIMEOUT_MS });
  },
};

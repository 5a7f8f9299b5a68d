import { urlSegment } from "../../model/config/url.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { traverse } from "../../language/python/traverse.ts";
import { basicAuth, decodedPart } from "../../runtime/http_head.ts";
import { textOfBody } from "../../runtime/http_body.ts";
import { followRedirects } from "../../runtime/http_redirects.ts";
import { parsed } from "./parsed.ts";

export const ARGUMENTS = "url, with_grains=False, header_dict=None, auth=None, username=None, password=None";

/** Time that a server has to answer. */
const LIMIT_MS = 60_000;
/** The most bytes that it may send. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Escapes a value that a minion has chosen for an address: in a path it must stay one segment. */
function placed(value: string, before: string): string {
  return before.includes("?") ? encodeURIComponent(value) : urlSegment(value);
}

/** The address for a minion: `%s` is its id, and `<os>` its grain of that name where grains are asked for. */
function addressFor(context: PillarContext, url: string, withGrains: boolean): URL {
  const text = url.replace(/%s|<([^>]*)>/g, (part, name: string | undefined, at: number) => {
    const before = url.slice(0, at);
    if (name === undefined) return placed(context.id, before);
    if (!withGrains) return part;
    const value = traverse(context.grains, name);
    if (!truthy(value ?? false)) throw new Error(`the minion has no grain ${name}, which the address uses`);
    return placed(str(value), before);
  });
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new Error("its url does not begin with http:// or https://");
  }
  return address;
}

function headersFor(address: URL, args: Args): Headers {
  const headers = new Headers();
  if (isMap(args.header_dict)) {
    for (const [name, value] of entriesOf(args.header_dict)) headers.set(str(name), str(value));
  }
  const [user, password] = Array.isArray(args.auth)
    ? args.auth.map(str)
    : [args.username ?? decodedPart(address.username), args.password ?? decodedPart(address.password)];
  if (truthy(user)) headers.set("authorization", basicAuth(str(user), str(password ?? "")));
  address.username = address.password = "";
  return headers;
}

/** Sends a GET, and reads what is answered, within bounds of time and size. @throws {Error} naming the server alone */
export async function answerOf(
  context: PillarContext,
  address: URL,
  headers: Headers,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await followRedirects(context.runtime.http, address.href, {
      headers,
      signal: AbortSignal.timeout(LIMIT_MS),
      connectMs: LIMIT_MS,
      proxyFor: proxiesOf(context),
    });
    return { response, text: await textOfBody(response.body, MAX_BYTES) };
  } catch (error) {
    throw new Error(`${address.origin} could not be reached: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * The response of a web server for a minion.
 *
 * @throws {Error} naming the server and never the whole address, which may hold a secret
 */
export async function fetchPillar(
  context: PillarContext,
  args: Args,
  format: "json" | "yaml",
): Promise<unknown> {
  const address = addressFor(context, str(args.url), truthy(args.with_grains));
  const headers = headersFor(address, args);
  const { response, text } = await answerOf(context, address, headers);
  if (!response.ok) throw new Error(`${address.origin} answered ${response.status} ${response.statusText}`.trimEnd());
  return await parsed(context, text, format, address.origin);
}

/** The JSON that a web server returns for a minion; `namespace` is a key to put it under. */
export const httpJson: ExtPillar = {
  signature: `${ARGUMENTS}, namespace=None`,
  async run(context, args) {
    const data = await fetchPillar(context, args, "json");
    return truthy(args.namespace) ? new Map([[str(args.namespace), data]]) : data;
  },
};

/** The YAML that a web server returns for a minion. */
export const httpYaml: ExtPillar = {
  signature: ARGUMENTS,
  run: (context, args) => fetchPillar(context, args, "yaml"),
};

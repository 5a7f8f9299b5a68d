import { urlSegment } from "../../config/url.ts";
import type { PillarContext } from "../../loader/ext_pillar.ts";
import type { BoundArguments } from "../../loader/signature.ts";
import { entriesOf, isMap } from "../../python/containers.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { traverse } from "../../python/traverse.ts";
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

function headersFor(address: URL, args: BoundArguments): Headers {
  const headers = new Headers();
  if (isMap(args.header_dict)) {
    for (const [name, value] of entriesOf(args.header_dict)) headers.set(str(name), str(value));
  }
  const [user, password] = Array.isArray(args.auth)
    ? args.auth.map(str)
    : [args.username ?? decodeURIComponent(address.username), args.password ?? decodeURIComponent(address.password)];
  if (truthy(user)) {
    const bytes = new TextEncoder().encode(`${str(user)}:${str(password ?? "")}`);
    headers.set("authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`);
  }
  // fetch() refuses an address with a user in it.
  address.username = address.password = "";
  return headers;
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the server sent more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Sends a GET, and reads what is answered, within bounds of time and size.
 *
 * @throws {Error} naming the server alone
 */
export async function answerOf(address: URL, headers: Headers): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(LIMIT_MS) });
    return { response, text: await textOf(response) };
  } catch (error) {
    const { cause } = error as { cause?: { code?: unknown } };
    const why = typeof cause?.code === "string" ? cause.code : (error as Error).name;
    throw new Error(`${address.origin} could not be reached: ${why}`, { cause: error });
  }
}

/**
 * The response of a web server for a minion.
 *
 * @throws {Error} naming the server and never the whole address, which may hold a secret
 */
export async function fetchPillar(
  context: PillarContext,
  args: BoundArguments,
  format: "json" | "yaml",
): Promise<unknown> {
  const address = addressFor(context, str(args.url), truthy(args.with_grains));
  const headers = headersFor(address, args);
  const { response, text } = await answerOf(address, headers);
  if (!response.ok) throw new Error(`${address.origin} answered ${response.status} ${response.statusText}`.trimEnd());
  return await parsed(context, text, format, address.origin);
}

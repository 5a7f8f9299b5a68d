import { codeOf, messageOf } from "../errors.ts";
import type { Net } from "./net.ts";

const REFUSED = "[Errno 111] Connection refused";
/** How the runtimes say that their fetch() asks no such port, whoever may listen there. */
const BLOCKED = /^bad port$|Requests to port \d+ are blocked/;
const CONNECT_MS = 5000;

/**
 * Why a request failed that `fetch()` has not even tried, since browsers keep away from its port: mostly nobody listens
 * there, as anybody else would say.
 *
 * @param error what `fetch()` threw
 * @returns undefined if that was not the reason
 */
export async function blockedPort(error: unknown, url: string, net: Pick<Net, "dial">): Promise<string | undefined> {
  const cause = error instanceof Error ? error.cause : undefined;
  if (![error, cause].some((one) => one instanceof Error && BLOCKED.test(one.message))) return undefined;
  const { hostname, port } = new URL(url);
  try {
    const host = hostname.replace(/^\[|\]$/g, "");
    (await net.dial({ kind: "tcp", host, port: Number(port) }, { timeoutMs: CONNECT_MS })).destroy();
  } catch (failure) {
    return codeOf(failure) === "ECONNREFUSED" ? REFUSED : messageOf(failure);
  }
  return `this runtime asks nothing of port ${port}, as browsers do: have the server listen on another one`;
}

import { codeOf, messageOf } from "../errors.ts";
import type { Net } from "./net.ts";

const REFUSED = "[Errno 111] Connection refused";
/** The runtimes' errors for ports that their fetch() blocks, whether a server listens there or not. */
const BLOCKED = /^bad port$|Requests to port \d+ are blocked/;
const CONNECT_MS = 5000;

/**
 * Finds out why a request failed that `fetch()` did not even send, since browsers block its port. Mostly no server listens
 * there, and other clients would report that.
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
  return `this runtime sends no requests to port ${port}, as browsers do: let the server listen on another port`;
}

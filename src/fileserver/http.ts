import { CommandExecutionError } from "../loader/family.ts";
import { messageOf } from "../errors.ts";
import { blockedPort } from "../runtime/blocked_port.ts";
import type { HttpRequest, HttpTrust } from "../runtime/http.ts";
import type { Net } from "../runtime/net.ts";

/** Sends a request, and follows redirections; the body is as it was sent. */
export type Fetch = (url: string, request: HttpRequest) => Promise<Response>;

export interface DownloadOptions {
  fetch: Fetch;
  net: Pick<Net, "dial">;
  /** Time for the connection and the head of the response, in milliseconds. */
  connectMs: number;
  /** Time for the whole download, in milliseconds. */
  totalMs: number;
  /** The ETag of the copy on this host: nothing is fetched if it is still good. */
  etag?: string;
  tls?: HttpTrust;
  /** Called with the bytes as they arrive; the next ones wait until it returns. */
  take(piece: Uint8Array): void;
}

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*(?:@[^/?#@]*)*)@/i;

/** The URL as logs and messages may show it. */
export function withoutPassword(url: string): string {
  return url.replace(CREDENTIALS, "$1");
}

/** Credentials in the URL go into a header: fetch() takes none in the URL. */
function request(url: string): { url: string; headers: Record<string, string> } {
  const [, , credentials] = CREDENTIALS.exec(url) ?? [];
  if (credentials === undefined) return { url, headers: {} };
  const plain = credentials.split(":").map(decodeURIComponent).join(":");
  const bytes = Array.from(new TextEncoder().encode(plain), (byte) => String.fromCharCode(byte)).join("");
  return { url: withoutPassword(url), headers: { authorization: `Basic ${btoa(bytes)}` } };
}

/**
 * Fetches a file over http or https, following redirections.
 *
 * @returns the ETag of the file, empty if it has none; undefined if the copy with the tag `etag` is still good
 * @throws {CommandExecutionError} saying what went wrong, without the URL's password
 */
export async function download(address: string, options: DownloadOptions): Promise<{ etag: string } | undefined> {
  const { connectMs, totalMs, etag, take } = options;
  const fail = (why: string, cause?: unknown): never => {
    throw new CommandExecutionError(`Cannot fetch "${withoutPassword(address)}": ${why}`, { cause });
  };
  const { url, headers } = request(address);
  const connecting = new AbortController();
  const cancel = AbortSignal.timeout(connectMs);
  const late = () => connecting.abort(new Error(`no answer within ${connectMs / 1000} s`));
  cancel.addEventListener("abort", late, { once: true });
  const total = AbortSignal.timeout(totalMs);
  try {
    const response = await options.fetch(url, {
      headers: new Headers({ ...headers, ...(etag === undefined ? {} : { "if-none-match": etag }) }),
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      signal: AbortSignal.any([connecting.signal, total]),
    });
    cancel.removeEventListener("abort", late);
    if (response.status === 304 && etag !== undefined) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      fail(`the server answered ${`${response.status} ${response.statusText}`.trimEnd()}`);
    }
    let count = 0;
    if (response.body !== null) {
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        count += piece.length;
        take(piece);
      }
    }
    const length = response.headers.get("content-length");
    if (length !== null && Number(length) !== count) {
      fail(`${length} bytes were announced and ${count} came`);
    }
    return { etag: response.headers.get("etag") ?? "" };
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    if (total.aborted) fail(`not done within ${totalMs / 1000} s`);
    const { cause } = error as { cause?: unknown };
    return fail(await blockedPort(error, url, options.net) ?? withoutPassword(messageOf(cause ?? error)), error);
  } finally {
    cancel.removeEventListener("abort", late);
  }
}

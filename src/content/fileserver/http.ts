import { CommandExecutionError } from "../../model/loader/family.ts";
import { messageOf } from "../../base/errors.ts";
import type { WebLimits } from "../../model/config/web_limits.ts";
import { takeUser } from "../../runtime/http_head.ts";
import type { HttpRequest, HttpTrust } from "../../runtime/http.ts";

/** Sends a request, and follows redirections; the body is as it was sent. */
export type Fetch = (url: string, request: HttpRequest) => Promise<Response>;

interface DownloadOptions {
  fetch: Fetch;
  limits: WebLimits;
  /** The ETag of the copy on this host: if the server says that the copy is current, nothing is fetched. */
  etag?: string;
  tls?: HttpTrust;
  /** Called with the bytes as they arrive; the next bytes wait until the call returns. */
  take(piece: Uint8Array): void;
}

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*(?:@[^/?#@]*)*)@/i;

/** The URL without its password, for logs and messages. */
export function withoutPassword(url: string): string {
  return url.replace(CREDENTIALS, "$1");
}

/**
 * Fetches a file over http or https, following redirections.
 *
 * @returns the ETag of the file, empty if it has none; undefined if the copy with the tag `etag` is still good
 * @throws {CommandExecutionError} saying what went wrong, without the URL's password
 */
export async function download(address: string, options: DownloadOptions): Promise<{ etag: string } | undefined> {
  const { limits: { connectMs, totalMs, maxBytes }, etag, take, tls } = options;
  const fail = (why: string, cause?: unknown): never => {
    throw new CommandExecutionError(`Cannot fetch "${withoutPassword(address)}": ${why}`, { cause });
  };
  if (!URL.canParse(address)) fail("it is not a URL: expected http://HOST/PATH or https://HOST/PATH");
  const url = new URL(address);
  const authorization = takeUser(url);
  const total = AbortSignal.timeout(totalMs);
  try {
    const response = await options.fetch(url.href, {
      headers: new Headers({
        ...(authorization === undefined ? {} : { authorization }),
        ...(etag === undefined ? {} : { "if-none-match": etag }),
      }),
      ...(tls === undefined ? {} : { tls }),
      signal: total,
      connectMs,
    });
    const { status, statusText, headers, body } = response;
    if (status === 304 && etag !== undefined) {
      await body?.cancel();
      return undefined;
    }
    const length = headers.get("content-length");
    const problem = !response.ok
      ? `the server answered ${`${status} ${statusText}`.trimEnd()}`
      // Only a whole file is accepted: a part of it stored under the file's name would be a damaged file.
      : status === 206
      ? "the server answered 206 with a part of the file, without a request for a part"
      : Number(length) > maxBytes
      ? tooLarge(`it has ${length} bytes`, maxBytes)
      : undefined;
    if (problem !== undefined) {
      await body?.cancel();
      fail(problem);
    }
    let count = 0;
    // Leaving the loop ends the connection.
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      count += piece.length;
      if (count > maxBytes) fail(tooLarge("it has more", maxBytes));
      take(piece);
    }
    if (length !== null && body !== null && Number(length) !== count) {
      fail(`${length} bytes were announced and ${count} arrived`);
    }
    return { etag: headers.get("etag") ?? "" };
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    if (total.aborted) fail(`not complete within ${totalMs / 1000} s: raise http_request_timeout`);
    const { cause } = error as { cause?: unknown };
    return fail(withoutPassword(messageOf(error instanceof TypeError ? cause ?? error : error)), error);
  }
}

const tooLarge = (what: string, maxBytes: number) =>
  `${what}, and http_max_body is ${maxBytes}: raise it if you trust that server`;

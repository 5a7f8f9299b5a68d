import { concat } from "./bytes.ts";

/** A body has more bytes than its reader accepts. */
export class BodyTooLargeError extends RangeError {
  override name = "BodyTooLargeError";

  constructor(most: number) {
    super(`The server sent more than ${most} bytes`);
  }
}

/**
 * Reads a body into memory. The connection is closed if the body is too large.
 *
 * @param most bytes that are taken
 * @throws {BodyTooLargeError} for more
 */
export async function bodyBytes(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let count = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    count += piece.length;
    // Leaving the loop cancels the stream.
    if (count > most) throw new BodyTooLargeError(most);
    pieces.push(piece);
  }
  return concat(pieces);
}

/** Reads a body into memory as UTF-8: see {@link bodyBytes}. */
export async function textOfBody(body: ReadableStream<Uint8Array> | null, most: number): Promise<string> {
  return new TextDecoder().decode(await bodyBytes(body, most));
}

/** The first bytes of a body as UTF-8; the connection is closed if there are more. */
export async function startOfBody(body: ReadableStream<Uint8Array> | null, most: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let count = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    count += piece.length;
    if (count >= most) break;
  }
  return new TextDecoder().decode(concat(pieces).subarray(0, most));
}

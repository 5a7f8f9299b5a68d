import { ProtocolError } from "../../errors.ts";

/**
 * The text of a response.
 *
 * @throws {ProtocolError} if it is longer than `most` bytes; the rest is not read
 */
export async function bodyText(response: Response, most: number, what: string): Promise<string> {
  const { body } = response;
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new ProtocolError(
        `The answer to ${what} has more than ${most} bytes: ask for less at once, or raise maxBytes`,
        { most },
      );
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join("");
}

/** Lets go of a response that nobody reads. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}

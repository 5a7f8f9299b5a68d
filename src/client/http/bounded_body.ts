import { ProtocolError } from "../../base/errors.ts";

/**
 * The text of a response.
 *
 * @throws {ProtocolError} if the text is longer than `most` bytes; the rest is not read
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
        `The answer to ${what} has more than ${most} bytes: request less at a time, or raise maxBytes`,
        { most },
      );
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join("");
}

/** The most bytes that are read of an error's body, which holds only a message. */
const MAX_ERROR_BYTES = 65_536;

/** The beginning of the text of an error; the rest is not read. */
export async function errorBody({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < MAX_ERROR_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => {});
  return text.slice(0, MAX_ERROR_BYTES);
}

/** Cancels the body of a response that is not read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}

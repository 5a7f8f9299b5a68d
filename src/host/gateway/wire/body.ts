import { bodyReader, type BodyRules, type ReadValue } from "./body_formats.ts";
import { HttpError } from "./errors.ts";
import { mediaType } from "./negotiate.ts";
import { receiveBody, type ReceiveOptions } from "./receive_body.ts";

/** The body of a request; `data` is null if there was none. */
export interface RequestBody extends ReadValue {
  /** The size of the body in bytes. @default 0 */
  size?: number;
}

interface ReadOptions extends ReceiveOptions {
  rules: BodyRules;
}

/**
 * Reads the body of a request by its `Content-Type`.
 *
 * @throws {HttpError} 400 malformed, 406 unknown type, 408 too slow, 413 too large, 503 too many bodies at once
 */
export async function readBody(request: Request, options: ReadOptions): Promise<RequestBody> {
  const length = request.headers.get("Content-Length");
  const chunked = request.headers.get("Transfer-Encoding") !== null;
  if (length === "0" || (length === null && !chunked && request.body === null)) return { data: null, raw: "" };
  const reader = bodyReader(mediaType(request.headers.get("Content-Type")));
  if (reader === undefined) throw new HttpError(406, "Content type not supported");
  const bytes = await receiveBody(request, options);
  if (bytes.length === 0) return { data: null, raw: "" };
  return { ...await reader(bytes, options.rules), size: bytes.length };
}

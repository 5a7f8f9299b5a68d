import type { Clock } from "../../../base/async/clock.ts";
import { concat } from "../../../runtime/bytes.ts";
import { HttpError, RETRY_AFTER } from "./errors.ts";

/** The most bytes of arriving bodies: of all callers, and of one address. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_BYTES_OF_ADDRESS = 64 * 1024 * 1024;

/** Counts the bytes of bodies that are still arriving, so that many slow ones cannot fill the memory. */
export class ArrivingBodies {
  #total = 0;
  readonly #ofAddress = new Map<string, number>();

  /** Adds arriving bytes. @throws {HttpError} 503 if there would be too many */
  take(address: string, bytes: number): void {
    const ofAddress = (this.#ofAddress.get(address) ?? 0) + bytes;
    if (this.#total + bytes > MAX_BYTES || ofAddress > MAX_BYTES_OF_ADDRESS) {
      throw new HttpError(503, "Too many bodies arrive at once", { "Retry-After": RETRY_AFTER, Connection: "close" });
    }
    this.#total += bytes;
    this.#ofAddress.set(address, ofAddress);
  }

  release(address: string, bytes: number): void {
    this.#total -= bytes;
    const left = (this.#ofAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}

export interface ReceiveOptions {
  clock: Clock;
  maxBytes: number;
  timeoutMs: number;
  /** The counter of arriving bytes, for this address. */
  arriving: ArrivingBodies;
  address: string;
}

/** The most announced bytes of a body that is not counted while it arrives. */
const SMALL = 65_536;

/** The bytes of a request's body. @throws {HttpError} 408 too slow, 413 too large, 503 too many bodies at once */
export async function receiveBody(request: Request, options: ReceiveOptions): Promise<Uint8Array> {
  const { clock, maxBytes, timeoutMs } = options;
  const announced = request.headers.get("Content-Length");
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const cancel = clock.after(timeoutMs, () => {
    late.reject(new HttpError(408, "The body did not arrive in time", { Connection: "close" }));
  });
  try {
    // Servers never read more than the announced length.
    if (announced !== null && Number(announced) <= SMALL) {
      return new Uint8Array(await Promise.race([request.arrayBuffer(), late.promise]));
    }
    return await receiveCounted(request.body!, late.promise, options);
  } finally {
    cancel();
  }
}

const tooLarge = (maxBytes: number) =>
  new HttpError(413, `The body is larger than ${maxBytes} bytes`, { Connection: "close" });

async function receiveCounted(
  body: ReadableStream<Uint8Array>,
  late: Promise<never>,
  { maxBytes, arriving, address }: ReceiveOptions,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const reader = body.getReader();
  let counted = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return concat(parts);
      try {
        if (counted + value.length > maxBytes) throw tooLarge(maxBytes);
        arriving.take(address, value.length);
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error;
      }
      counted += value.length;
      parts.push(value);
    }
  } finally {
    if (counted > 0) arriving.release(address, counted);
  }
}

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

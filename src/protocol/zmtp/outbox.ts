import { COPY_LIMIT, headerSize, type Message, MORE, writeHeader } from "./frame.ts";

/** The size in bytes at which a batch is closed and written without waiting for the end of the turn. */
export const BATCH_SIZE = 65_536;
const FIRST_SIZE = 512;

/** Whole messages, encoded for the wire. A closed batch never changes, since it may wait in many outboxes. */
export interface OutboxBatch {
  /** The bytes to write, in order. */
  parts: Uint8Array[];
  /** The number of bytes of all parts. */
  size: number;
  count: number;
}

/** The size of a message on the wire in bytes, or -1 if it has a frame to be sent by reference. */
function copySize(frames: Message): number {
  let size = 0;
  for (let i = 0; i < frames.length; i++) {
    const length = frames[i]!.length;
    if (length > COPY_LIMIT) return -1;
    size += headerSize(length) + length;
  }
  return size > BATCH_SIZE ? -1 : size;
}

function writeMessage(target: Uint8Array, at: number, frames: Message): void {
  const last = frames.length - 1;
  for (let i = 0; i <= last; i++) {
    const frame = frames[i]!;
    at = writeHeader(target, at, i < last ? MORE : 0, frame.length);
    target.set(frame, at);
    at += frame.length;
  }
}

function encodeByReference(frames: Message): OutboxBatch {
  const parts: Uint8Array[] = [];
  let size = 0;
  let small: Message = [];
  const closeSmall = (more: boolean, next?: Uint8Array) => {
    // The frames copied so far, and the header of the one that goes by reference, share one part.
    const bytes = new Uint8Array(
      small.reduce((sum, frame) => sum + headerSize(frame.length) + frame.length, 0) +
        (next === undefined ? 0 : headerSize(next.length)),
    );
    let at = 0;
    for (const [index, frame] of small.entries()) {
      const isLast = next === undefined && index === small.length - 1;
      at = writeHeader(bytes, at, isLast ? 0 : MORE, frame.length);
      bytes.set(frame, at);
      at += frame.length;
    }
    if (next !== undefined) writeHeader(bytes, at, more ? MORE : 0, next.length);
    small = [];
    parts.push(bytes);
    size += bytes.length;
  };
  for (const [index, frame] of frames.entries()) {
    if (frame.length <= COPY_LIMIT) {
      small.push(frame);
      continue;
    }
    closeSmall(index < frames.length - 1, frame);
    parts.push(frame);
    size += frame.length;
  }
  if (small.length > 0) closeSmall(false);
  return { parts, size, count: 1 };
}

/** Encodes one message as a separate batch, to be shared by many outboxes. */
export function encodeMessage(frames: Message): OutboxBatch {
  const size = copySize(frames);
  if (size < 0) return encodeByReference(frames);
  const bytes = new Uint8Array(size);
  writeMessage(bytes, 0, frames);
  return { parts: [bytes], size, count: 1 };
}

/** The last join of batches, kept because the next subscriber most likely waits for the same ones. */
export class JoinCache {
  #batches: OutboxBatch[] = [];
  #bytes: Uint8Array | undefined;

  join(queue: readonly OutboxBatch[], from: number, to: number, size: number): Uint8Array {
    const count = to - from;
    if (this.#bytes !== undefined && this.#batches.length === count && this.#bytes.length === size) {
      let same = 0;
      while (same < count && this.#batches[same] === queue[from + same]) same++;
      if (same === count) return this.#bytes;
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    for (let i = from; i < to; i++) {
      for (const part of queue[i]!.parts) {
        bytes.set(part, at);
        at += part.length;
      }
    }
    this.#batches = queue.slice(from, to);
    this.#bytes = bytes;
    return bytes;
  }

  /** Drops the last join, to free the memory of batches that have been sent. */
  clear(): void {
    this.#batches = [];
    this.#bytes = undefined;
  }
}

/** The batches to be sent to one peer: closed ones, then one that is being filled. */
export class Outbox {
  #queue: OutboxBatch[] = [];
  #open: Uint8Array | undefined;
  #used = 0;
  #openCount = 0;
  /** The size at which the last batch was closed, in bytes: the next one begins with this size, so that it need not grow. */
  #hint = FIRST_SIZE;

  /** The number of waiting messages. */
  messages = 0;
  /** The number of waiting bytes. */
  bytes = 0;

  /** Copies a message, or queues it by reference if it has large frames. The frames MUST NOT be changed afterwards. */
  add(frames: Message): void {
    const size = copySize(frames);
    if (size < 0) return this.share(encodeByReference(frames));
    const needed = this.#used + size;
    if (this.#open === undefined || needed > this.#open.length) {
      if (this.#open !== undefined && needed > BATCH_SIZE) this.#close();
      this.#grow(this.#used + size);
    }
    writeMessage(this.#open!, this.#used, frames);
    this.#used += size;
    this.#openCount++;
    this.messages++;
    this.bytes += size;
  }

  /** Queues a batch that may be in other outboxes as well. */
  share(batch: OutboxBatch): void {
    if (this.#open !== undefined) this.#close();
    this.#queue.push(batch);
    this.messages += batch.count;
    this.bytes += batch.size;
  }

  /**
   * Writes batches to `to` until its `write` returns false. The current batch is always completed, so that whole messages
   * remain.
   */
  flush(to: { write(chunk: Uint8Array): boolean }, cache: JoinCache): void {
    if (this.#open !== undefined) this.#close();
    const queue = this.#queue;
    let at = 0;
    let more = true;
    while (at < queue.length && more) {
      const first = queue[at]!;
      let end = at + 1;
      let { size, count } = first;
      if (size <= COPY_LIMIT) {
        while (end < queue.length && size + queue[end]!.size <= BATCH_SIZE) {
          size += queue[end]!.size;
          count += queue[end]!.count;
          end++;
        }
      }
      if (end > at + 1) more = to.write(cache.join(queue, at, end, size));
      else for (const part of first.parts) more = to.write(part);
      at = end;
      this.messages -= count;
      this.bytes -= size;
    }
    if (at >= queue.length) this.#queue = [];
    else if (at > 0) this.#queue = queue.slice(at);
  }

  /** Removes and returns the batches that were not written. */
  take(): OutboxBatch[] {
    if (this.#open !== undefined) this.#close();
    const queue = this.#queue;
    this.#queue = [];
    this.messages = 0;
    this.bytes = 0;
    return queue;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, Math.min(BATCH_SIZE, this.#open === undefined ? this.#hint : this.#open.length * 2));
    const larger = new Uint8Array(size);
    if (this.#open !== undefined) larger.set(this.#open.subarray(0, this.#used));
    this.#open = larger;
  }

  #close(): void {
    this.#queue.push({ parts: [this.#open!.subarray(0, this.#used)], size: this.#used, count: this.#openCount });
    this.#hint = Math.max(FIRST_SIZE, Math.min(BATCH_SIZE, this.#used + (this.#used >> 3)));
    this.#open = undefined;
    this.#used = 0;
    this.#openCount = 0;
  }
}

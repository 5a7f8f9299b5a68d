import type { DescriptorStreams } from "../node/pipes.ts";
import { builtin } from "../node/builtin.ts";

interface BunFile {
  stream(): AsyncIterable<Uint8Array>;
}

const fileOf = (descriptor: number) =>
  (globalThis as unknown as { Bun: { file(descriptor: number): BunFile } }).Bun.file(descriptor);

const { closeSync } = builtin("node:fs");

/** Bun's own streams of descriptors: its `net.Socket` takes none. */
export const bunStreams: DescriptorStreams = {
  async deliver(descriptor, to, known) {
    // Nothing is lost by waiting: the kernel keeps the output, also if the program has ended meanwhile.
    await known;
    try {
      for await (const chunk of fileOf(descriptor).stream()) {
        try {
          await to?.(chunk);
        } catch {
          // The receiver reports its own failures, and still gets the next piece.
        }
      }
    } finally {
      closeSync(descriptor);
    }
  },
};

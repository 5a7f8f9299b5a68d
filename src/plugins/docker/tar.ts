/** Archives of one file, as the daemon takes and gives them. */
import { TAR_BLOCK, tarFilling, tarHead } from "../../runtime/tar.ts";

/** An archive of one file. */
export function* tarOf(name: string, size: number, content: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHead(name, size);
  yield* content;
  yield new Uint8Array(tarFilling(size) + 2 * TAR_BLOCK);
}

const decoder = new TextDecoder();

/** The content of the first plain file in an archive; undefined at its end says that there was none. */
export async function* firstFile(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = new Uint8Array(0);
  /** Bytes of the current file, and those that fill its last block. */
  let [size, filling, wanted] = [0, 0, false];
  for await (const chunk of archive) {
    const all = new Uint8Array(left.length + chunk.length);
    all.set(left);
    all.set(chunk, left.length);
    let at = 0;
    while (at < all.length) {
      if (size > 0) {
        const taken = Math.min(size, all.length - at);
        if (wanted) yield all.subarray(at, at + taken);
        [size, at] = [size - taken, at + taken];
        if (size === 0 && wanted) return;
      } else if (filling > 0) {
        const taken = Math.min(filling, all.length - at);
        [filling, at] = [filling - taken, at + taken];
      } else {
        if (all.length - at < TAR_BLOCK) break;
        const length = parseInt(decoder.decode(all.subarray(at + 124, at + 135)), 8);
        const type = all[at + 156];
        at += TAR_BLOCK;
        if (Number.isNaN(length)) continue;
        [size, filling, wanted] = [length, tarFilling(length), type === 0x30 || type === 0];
        if (wanted && size === 0) return;
      }
    }
    left = all.slice(at);
  }
  throw new Error("there is no plain file in the archive");
}

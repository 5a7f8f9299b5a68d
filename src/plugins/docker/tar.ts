/** Archives of one file, as the daemon takes and gives them. */
const BLOCK = 512;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;

/** The head of a file in an archive, for a name of at most 100 bytes. */
export function tarHead(name: string, size: number, mode = 0o644): Uint8Array {
  const head = new Uint8Array(BLOCK);
  const bytes = new TextEncoder().encode(name);
  if (bytes.length > 100) throw new RangeError(`the name of a file in an archive has at most 100 bytes: ${name}`);
  head.set(bytes);
  const put = (text: string, at: number) => head.set(new TextEncoder().encode(text), at);
  put(octal(mode, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(0, 12), 136);
  put("        0", 148);
  put("ustar\0" + "00", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** An archive of one file. */
export function* tarOf(name: string, size: number, content: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHead(name, size);
  yield* content;
  yield new Uint8Array((BLOCK - size % BLOCK) % BLOCK + 2 * BLOCK);
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
        if (all.length - at < BLOCK) break;
        const length = parseInt(decoder.decode(all.subarray(at + 124, at + 135)), 8);
        const type = all[at + 156];
        at += BLOCK;
        if (Number.isNaN(length)) continue;
        [size, filling, wanted] = [length, (BLOCK - length % BLOCK) % BLOCK, type === 0x30 || type === 0];
        if (wanted && size === 0) return;
      }
    }
    left = all.slice(at);
  }
  throw new Error("there is no plain file in the archive");
}

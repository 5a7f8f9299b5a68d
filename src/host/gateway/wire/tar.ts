import { concat } from "../../../runtime/bytes.ts";
import { TAR_BLOCK, tarFilling, tarHead } from "../../../runtime/tar.ts";

/** The size to which an archive is padded, in bytes: twenty blocks, as tar does. */
const RECORD = 20 * TAR_BLOCK;

/**
 * An archive of a few texts, mode 0644.
 *
 * @param seconds the time of the files, in seconds since the epoch
 */
export function tar(files: readonly { name: string; text: string }[], seconds: number): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap(({ name, text }) => {
    const body = new TextEncoder().encode(text);
    const head = tarHead(name, body.length, { seconds: Math.floor(seconds) });
    return [head, body, new Uint8Array(tarFilling(body.length))];
  });
  const size = parts.reduce((sum, part) => sum + part.length, 2 * TAR_BLOCK);
  const whole = Math.ceil(size / RECORD) * RECORD;
  return concat([...parts, new Uint8Array(whole - size + 2 * TAR_BLOCK)]);
}

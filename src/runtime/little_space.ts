import type { FileSystem } from "./fs.ts";

/** Free space below which writes will fail soon: bytes, and the part of the whole. */
const LITTLE_BYTES = 256 * 1024 ** 2;
const LITTLE_PART = 0.02;

/** Free space of a file system. */
export interface SpaceLeft {
  available: number;
  total: number;
  /** Writes will fail soon. */
  isLittle: boolean;
  /** `71.7 GiB`, or as MiB where that is less than one. */
  text: string;
}

/** How much is left where a path is; undefined where that cannot be read, as of a directory that does not exist. */
export function spaceLeft(fs: Pick<FileSystem, "space">, path: string): SpaceLeft | undefined {
  try {
    const { total, available } = fs.space(path);
    return {
      available,
      total,
      isLittle: available < Math.max(LITTLE_BYTES, total * LITTLE_PART),
      text: sizeText(available),
    };
  } catch {
    return undefined;
  }
}

/** Bytes as `71.7 GiB`, or as MiB where that is less than one. */
export const sizeText = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;

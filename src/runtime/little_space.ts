import type { FileSystem } from "./fs.ts";

/** Free space below which writes will fail soon: in bytes, and as a share of the file system. */
const LITTLE_BYTES = 256 * 1024 ** 2;
const LITTLE_PART = 0.02;

/** Free space of a file system. */
interface SpaceLeft {
  available: number;
  total: number;
  /** True if writes will fail soon. */
  isLittle: boolean;
  /** The free space as text: `71.7 GiB`, or in MiB if it is less than one GiB. */
  text: string;
}

/** The free space on the file system of a path; undefined if it cannot be read, as for a directory that does not exist. */
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

/** Formats a number of bytes: `71.7 GiB`, or in MiB if it is less than one GiB. */
export const sizeText = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;

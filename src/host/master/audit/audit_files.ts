import { joinPath } from "../../../base/paths.ts";
import type { FileSystem } from "../../../runtime/fs.ts";

const NAME = /^audit-(\d{8,12})\.jsonl$/;
/** The file beside the log that holds the last checkpoint: a log that ends before that checkpoint was cut off. */
export const HEAD_FILE = "audit.head";
/** How many bytes are read at a time. */
const CHUNK = 2 ** 20;
/** The most bytes of a line; the master writes no longer line. */
export const MAX_LINE_BYTES = 2 ** 17;

export function auditFileName(number: number): string {
  return `audit-${String(number).padStart(8, "0")}.jsonl`;
}

/** The numbers of the log files in a directory, ascending. */
export function auditFileNumbers(fs: FileSystem, directory: string): number[] {
  if (fs.stat(directory)?.kind !== "directory") return [];
  return fs.list(directory).map((name) => Number(NAME.exec(name)?.[1] ?? NaN)).filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

/** A line of a log file as bytes, without its end. */
export interface RawLine {
  file: string;
  /** The number of the line in its file, from 1. */
  number: number;
  bytes: Uint8Array;
  /** Where this line ends, in bytes from the begin of the file. */
  endsAt: number;
  /** False for a last line without a line feed, and for a line that is too long. */
  whole: boolean;
}

/** Yields the lines of one file, which is read in pieces: a file of any size takes little memory. */
export function* auditLines(fs: FileSystem, directory: string, number: number): Generator<RawLine> {
  const file = auditFileName(number);
  const path = joinPath(directory, file);
  const size = fs.stat(path)?.size ?? 0;
  let rest = new Uint8Array(0);
  let count = 0;
  let offset = 0;
  while (offset < size) {
    const chunk = fs.readAt(path, offset, CHUNK);
    if (chunk.length === 0) break;
    offset += chunk.length;
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const line = bytes.subarray(from, end);
      from = end + 1;
      const endsAt = offset - bytes.length + from;
      yield { file, number: ++count, bytes: line, endsAt, whole: line.length <= MAX_LINE_BYTES };
    }
    rest = bytes.slice(from);
    if (rest.length > MAX_LINE_BYTES) break;
  }
  if (rest.length > 0) yield { file, number: count + 1, bytes: rest, endsAt: offset, whole: false };
}

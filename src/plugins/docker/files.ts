import type { JobContext } from "../../model/loader/family.ts";

const PIECE = 1 << 18;

/** The content of a file, piece by piece. */
export function* fileBytes({ runtime: { fs } }: Pick<JobContext, "runtime">, path: string): Generator<Uint8Array> {
  for (let at = 0;;) {
    const piece = fs.readAt(path, at, PIECE);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

import { hex } from "../../protocol/crypto/hex.ts";
import type { HashName } from "../../runtime/crypto.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";

const HASHES: readonly HashName[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

export function isHashName(name: unknown): name is HashName {
  return (HASHES as readonly unknown[]).includes(name);
}

/** The hash with that number of hexadecimal digits; undefined if there is none. */
function hashOfLength(digits: number): HashName | undefined {
  return ({ 32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512" } as const)[digits];
}

/** Bytes that are hashed in one turn of the event loop: one or two milliseconds. */
const PIECE = 1024 * 1024;

/**
 * The digest of a file in hexadecimal, with turns of the event loop between its pieces.
 *
 * @throws {SystemError} if it cannot be read
 */
export async function digestFile(
  { fs, crypto, later }: Pick<Runtime, "fs" | "crypto" | "later">,
  name: HashName,
  path: string,
): Promise<string> {
  let piece = fs.readAt(path, 0, PIECE);
  // Nearly every file is one piece.
  if (piece.length < PIECE) return crypto.hexHash(name, piece);
  const hasher = crypto.hasher(name);
  for (let offset = 0;;) {
    hasher.update(piece);
    offset += piece.length;
    if (piece.length < PIECE) return hex(hasher.digest());
    await new Promise<void>((resolve) => later(resolve));
    piece = fs.readAt(path, offset, PIECE);
  }
}

/** A digest that the caller expects the file to have. */
export interface SourceHash {
  name: HashName;
  /** The digest in hexadecimal. */
  hsum: string;
}

/** Parses a `source_hash`: bare, or after the name of its hash (`sha256=…`). @throws {SaltInvocationError} for any other */
export function parseSourceHash(given: string): SourceHash {
  const hsum = given.slice(given.lastIndexOf("=") + 1).trim().toLowerCase();
  const name = /^[0-9a-f]+$/.test(hsum) ? hashOfLength(hsum.length) : undefined;
  if (name !== undefined) return { name, hsum };
  throw new SaltInvocationError(
    `Cannot use "${given}" as source_hash: expected the hexadecimal digits of md5, sha1, sha224, sha256, sha384 or sha512`,
  );
}

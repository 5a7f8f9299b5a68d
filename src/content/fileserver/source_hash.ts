import { SaltInvocationError } from "../../model/loader/family.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { hashOfLength } from "./digest.ts";

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

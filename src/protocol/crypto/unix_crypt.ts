import { atOnce, type SliceSteps } from "../../base/async/slices.ts";
import { concat } from "../../runtime/bytes.ts";
import type { Crypto } from "../../runtime/crypto.ts";

/** The password hashes of `/etc/shadow` that are supported; `apr1` is Apache's variant of `md5`. */
export type CryptMethod = "sha512" | "sha256" | "md5" | "apr1";

const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ROUNDS = { few: 1000, usual: 5000, many: 999_999_999 } as const;
const IDENT: Record<CryptMethod, string> = { sha512: "$6$", sha256: "$5$", md5: "$1$", apr1: "$apr1$" };
const LONGEST_SALT: Record<CryptMethod, number> = { sha512: 16, sha256: 16, md5: 8, apr1: 8 };

/** The most bytes of a password, as in `crypt(3)`: each round hashes all of them. */
export const MAX_PASSWORD_BYTES = 512;
/** The rounds of one step, about a millisecond, after which other work can run. */
const ROUNDS_OF_STEP = 256;

const utf8 = new TextEncoder();

/** Joins bytes into one array. */
const joined = (...parts: readonly Uint8Array[]): Uint8Array => concat(parts);

/** The first `length` bytes of a block that is repeated endlessly. */
function repeated(block: Uint8Array, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => block[at % block.length]!);
}

/** Encodes the bytes at some positions: the first position has the highest bits; the lowest six bits become the first character. */
function encode(digest: Uint8Array, places: readonly (readonly number[])[]): string {
  return places.map((group) => {
    let bits = group.reduce((sum, place) => (sum << 8) | (place < 0 ? 0 : digest[place]!), 0);
    const known = group.filter((place) => place >= 0).length;
    let text = "";
    for (let count = 0; count <= known; count++) {
      text += ALPHABET[bits & 63];
      bits >>>= 6;
    }
    return text;
  }).join("");
}

/** The order of the bytes of a SHA digest: groups of three positions that rotate from group to group. */
function shaPlaces(size: 32 | 64): number[][] {
  const third = Math.floor(size / 3);
  const groups = Array.from({ length: third }, (_, at) => {
    const turned = [at, at + third, at + third * 2];
    const turn = size === 64 ? at % 3 : (3 - at % 3) % 3;
    return [...turned.slice(turn), ...turned.slice(0, turn)];
  });
  return [...groups, size === 64 ? [-1, -1, 63] : [-1, 31, 30]];
}

const MD5_PLACES = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [-1, -1, 11]];

/** The methods `sha256` and `sha512`. @see https://www.akkadia.org/drepper/SHA-crypt.txt */
function* shaCrypt(
  crypto: Crypto,
  method: "sha512" | "sha256",
  key: Uint8Array,
  setting: string,
  mostRounds: number,
): SliceSteps<string> {
  const [, given, rest = ""] = /^(?:rounds=(\d+)\$)?([^$]*)/.exec(setting)!;
  const rounds = given === undefined ? ROUNDS.usual : Math.min(ROUNDS.many, Math.max(ROUNDS.few, Number(given)));
  if (rounds > mostRounds) {
    throw new RangeError(`Cannot hash a password in ${rounds} rounds: at most ${mostRounds} are allowed`);
  }
  const salt = utf8.encode(rest).slice(0, LONGEST_SALT[method]);
  const hash = (...parts: Uint8Array[]) => crypto.hash(method, joined(...parts));
  const size = method === "sha512" ? 64 : 32;
  const alternate = hash(key, salt, key);
  const mixed: Uint8Array[] = [key, salt, repeated(alternate, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) mixed.push(bits & 1 ? alternate : key);
  let digest = hash(...mixed);
  const p = repeated(hash(...Array.from(key, () => key)), key.length);
  const s = repeated(hash(...Array.from({ length: 16 + digest[0]! }, () => salt)), salt.length);
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_OF_STEP === 0) yield;
    digest = hash(
      round & 1 ? p : digest,
      round % 3 === 0 ? new Uint8Array(0) : s,
      round % 7 === 0 ? new Uint8Array(0) : p,
      round & 1 ? digest : p,
    );
  }
  const head = given === undefined ? "" : `rounds=${rounds}$`;
  return `${IDENT[method]}${head}${new TextDecoder().decode(salt)}$${encode(digest, shaPlaces(size))}`;
}

function* md5Crypt(crypto: Crypto, method: "md5" | "apr1", key: Uint8Array, setting: string): SliceSteps<string> {
  const salt = utf8.encode(setting.split("$", 1)[0]).slice(0, LONGEST_SALT.md5);
  const hash = (...parts: Uint8Array[]) => crypto.hash("md5", joined(...parts));
  const mixed: Uint8Array[] = [key, utf8.encode(IDENT[method]), salt, repeated(hash(key, salt, key), key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) mixed.push(bits & 1 ? Uint8Array.of(0) : key.slice(0, 1));
  let digest = hash(...mixed);
  for (let round = 0; round < 1000; round++) {
    if (round % ROUNDS_OF_STEP === 0) yield;
    digest = hash(
      round & 1 ? key : digest,
      round % 3 === 0 ? new Uint8Array(0) : salt,
      round % 7 === 0 ? new Uint8Array(0) : key,
      round & 1 ? digest : key,
    );
  }
  return `${IDENT[method]}${new TextDecoder().decode(salt)}$${encode(digest, MD5_PLACES)}`;
}

/** Characters for a salt, drawn at random. */
export function randomSalt(crypto: Crypto, length: number): string {
  return Array.from(crypto.randomBytes(length), (byte) => ALPHABET[byte & 63]).join("");
}

/** A random salt in the form that `crypt(3)` takes. */
export function cryptSalt(crypto: Crypto, method: CryptMethod): string {
  return randomSalt(crypto, LONGEST_SALT[method]);
}

/**
 * Hashes a password for `/etc/shadow` in steps, so that other work can run in between: see {@link Slices}.
 *
 * @param setting the salt; for the SHA methods `rounds=<number>$` may stand before it
 * @param mostRounds the most rounds that are accepted. @default 999999999, as in `crypt(3)`
 * @throws {RangeError} for a password of more than {@link MAX_PASSWORD_BYTES} bytes, as `crypt(3)` does, or too many rounds
 */
export function unixCryptSteps(
  crypto: Crypto,
  method: CryptMethod,
  password: string,
  setting: string,
  mostRounds: number = ROUNDS.many,
): SliceSteps<string> {
  const key = utf8.encode(password);
  if (key.length > MAX_PASSWORD_BYTES) {
    throw new RangeError(`Cannot hash a password of ${key.length} bytes: expected at most ${MAX_PASSWORD_BYTES}`);
  }
  return method === "md5" || method === "apr1"
    ? md5Crypt(crypto, method, key, setting)
    : shaCrypt(crypto, method, key, setting, mostRounds);
}

/** As {@link unixCryptSteps}, but without interruption. */
export function unixCrypt(crypto: Crypto, method: CryptMethod, password: string, setting: string): string {
  return atOnce(unixCryptSteps(crypto, method, password, setting));
}

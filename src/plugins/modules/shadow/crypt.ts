import type { Crypto } from "../../../runtime/crypto.ts";

/** Salts and hashes are written in these, six bits a character, the low ones first. */
const ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const utf8 = new TextEncoder();

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `length` octets of a digest, over and over. */
function repeated(digest: Uint8Array, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => digest[at % digest.length]!);
}

/** Groups of three octets, in the order of `order`, as characters. */
function encode(digest: Uint8Array, order: readonly number[][]): string {
  return order.map((group) => {
    let bits = group.reduce((sum, at) => sum << 8 | digest[at]!, 0);
    let text = "";
    // Three octets are four characters, two are three, one is two.
    for (let count = group.length + 1; count > 0; count--) {
      text += ALPHABET[bits & 63];
      bits >>>= 6;
    }
    return text;
  }).join("");
}

/** How the octets of a digest are mixed: each column is `step` after the one before, and the rows turn. */
function mixed(size: number, turn: (row: number[]) => number[]): number[][] {
  const third = Math.floor(size / 3);
  const order: number[][] = [];
  let row = [0, third, 2 * third];
  for (let count = 0; count < third; count++) {
    order.push(row);
    row = turn(row);
  }
  return order;
}

const SHA512_ORDER = [...mixed(64 - 1, ([a = 0, b = 0, c = 0]) => [b + 1, c + 1, a + 1]), [63]];
const SHA256_ORDER = [...mixed(32 - 2, ([a = 0, b = 0, c = 0]) => [c + 1, a + 1, b + 1]), [31, 30]];
const MD5_ORDER = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];

const DEFAULT_ROUNDS = 5000;
const LEAST_ROUNDS = 1000;
const MOST_ROUNDS = 999_999_999;

/**
 * SHA-crypt, as glibc has it.
 *
 * @param salt up to 16 characters, `rounds=…$` before them if it is not 5000
 * @see https://www.akkadia.org/drepper/SHA-crypt.txt
 */
export function shaCrypt(crypto: Crypto, size: 256 | 512, password: string, setting: string): string {
  const name = size === 512 ? "sha512" : "sha256";
  const asked = /^rounds=(\d+)\$/.exec(setting);
  const rounds = asked === null ? DEFAULT_ROUNDS : Math.min(MOST_ROUNDS, Math.max(LEAST_ROUNDS, Number(asked[1])));
  const saltText = setting.slice(asked?.[0].length ?? 0).split("$", 1)[0]!.slice(0, 16);
  const [key, salt] = [utf8.encode(password), utf8.encode(saltText)];
  const hash = (parts: Uint8Array[]) => crypto.hash(name, concat(parts));
  const second = hash([key, salt, key]);
  const first: Uint8Array[] = [key, salt, repeated(second, key.length)];
  for (let bits = key.length; bits > 0; bits >>>= 1) first.push((bits & 1) === 1 ? second : key);
  let digest = hash(first);
  const keys = repeated(hash(Array<Uint8Array>(key.length).fill(key)), key.length);
  const salts = repeated(hash(Array<Uint8Array>(16 + digest[0]!).fill(salt)), salt.length);
  for (let round = 0; round < rounds; round++) {
    const odd = round % 2 === 1;
    const parts = [odd ? keys : digest];
    if (round % 3 !== 0) parts.push(salts);
    if (round % 7 !== 0) parts.push(keys);
    parts.push(odd ? digest : keys);
    digest = hash(parts);
  }
  const prefix = `$${size === 512 ? 6 : 5}$${asked === null ? "" : `rounds=${rounds}$`}${saltText}$`;
  return prefix + encode(digest, size === 512 ? SHA512_ORDER : SHA256_ORDER);
}

/** The crypt of FreeBSD over MD5: old, weak, and still read everywhere. */
export function md5Crypt(crypto: Crypto, password: string, setting: string): string {
  const saltText = setting.split("$", 1)[0]!.slice(0, 8);
  const [key, salt] = [utf8.encode(password), utf8.encode(saltText)];
  const hash = (parts: Uint8Array[]) => crypto.hash("md5", concat(parts));
  const second = hash([key, salt, key]);
  const first: Uint8Array[] = [key, utf8.encode(`$1$`), salt, repeated(second, key.length)];
  for (let bits = key.length; bits > 0; bits >>>= 1) {
    first.push((bits & 1) === 1 ? new Uint8Array(1) : key.subarray(0, 1));
  }
  let digest = hash(first);
  for (let round = 0; round < 1000; round++) {
    const odd = round % 2 === 1;
    const parts = [odd ? key : digest];
    if (round % 3 !== 0) parts.push(salt);
    if (round % 7 !== 0) parts.push(key);
    parts.push(odd ? digest : key);
    digest = hash(parts);
  }
  return `$1$${saltText}$${encode(digest, MD5_ORDER)}`;
}

/** Characters for a salt. */
export function randomSalt(crypto: Crypto, length: number): string {
  return Array.from(crypto.randomBytes(length), (octet) => ALPHABET[octet & 63]).join("");
}

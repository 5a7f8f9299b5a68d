import { hex } from "../../protocol/crypto/hex.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  executionFunction,
  executionFunctions,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { encodeBase64 } from "../../language/python/binascii.ts";
import { isFloat, isInteger, repr, str, toInteger, truthy } from "../../language/python/values.ts";
import { PythonRandom, seedOfText } from "../../language/python/random.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { passwordHash } from "../password_hash.ts";
import { pythonError } from "../python_errors.ts";

const HASHES: readonly string[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"] satisfies HashName[];

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const WHITESPACE = " \t\n\r\v\f";
/** What a random text is made of, by the arguments that ask for it. */
const CLASSES: Record<string, string> = {
  lowercase: LOWER,
  uppercase: LOWER.toUpperCase(),
  digits: DIGITS,
  punctuation: PUNCTUATION,
  whitespace: WHITESPACE,
};

const noBuffer = () => new InvalidArgumentsError("object supporting the buffer API required");

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === "string") return new TextEncoder().encode(value);
  if (value instanceof Uint8Array) return value;
  throw noBuffer();
}

function hash(context: JobContext, value: unknown, algorithm: unknown): string {
  const bytes = bytesOf(value);
  const name = str(algorithm);
  if (!HASHES.includes(name)) throw pythonError("SaltException", "You must specify a valid algorithm.");
  return hex(context.runtime.crypto.hash(name as HashName, bytes));
}

/** Random numbers: reproducible with a seed, else unpredictable. */
function generator(context: JobContext, seed: unknown): PythonRandom {
  const { crypto } = context.runtime;
  const sha512 = (data: Uint8Array) => crypto.hash("sha512", data);
  if (seed === null || seed === undefined) return new PythonRandom(BigInt(`0x${hex(crypto.randomBytes(32))}`));
  if (typeof seed === "boolean") return new PythonRandom(seed ? 1n : 0n);
  if (isInteger(seed)) return new PythonRandom(BigInt(seed));
  if (isFloat(seed)) return new PythonRandom(hashOfFloat(Number(seed)));
  if (typeof seed === "string" || seed instanceof Uint8Array) {
    return new PythonRandom(seedOfText(bytesOf(seed), sha512));
  }
  throw new InvalidArgumentsError(
    "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.",
  );
}

/** Python's hash of a float: the number it is, modulo 2^61 - 1. */
function hashOfFloat(value: number): bigint {
  const modulus = (1n << 61n) - 1n;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 0n : value > 0 ? 314159n : 2n ** 64n - 314159n;
  let mantissa = Math.abs(value);
  let halves = 0n;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halves += 1n;
  }
  // To divide by 2 is to turn the bits by one place.
  const turned = (BigInt(mantissa) % modulus) << (61n - halves % 61n);
  const hash = turned % modulus;
  // A seed has no sign: the hash is taken as the bytes it has in memory.
  return value < 0 ? 2n ** 64n - (hash === 1n ? 2n : hash) : hash;
}

/** A generator for lists: whatever the seed is, its SHA-512 is what counts. */
function listGenerator(context: JobContext, seed: unknown): PythonRandom {
  return generator(context, seed === null || seed === undefined ? null : hash(context, seed, "sha512"));
}

function sample(context: JobContext, value: unknown, size: unknown, seed: unknown): unknown[] {
  if (!Array.isArray(value) && typeof value !== "string") {
    throw new InvalidArgumentsError("Population must be a sequence.  For dicts or sets, use sorted(d).");
  }
  const random = listGenerator(context, seed);
  try {
    return random.sample([...value], Number(size));
  } catch (error) {
    throw pythonError("ValueError", (error as Error).message);
  }
}

function integer(value: unknown): bigint {
  if (isInteger(value)) return BigInt(value);
  throw new InvalidArgumentsError(`${repr(value)} cannot be interpreted as an integer`);
}

function randomInteger(context: JobContext, start: bigint, end: bigint, seed: unknown): number | bigint {
  const width = end + 1n - start;
  if (width < 1n) throw pythonError("ValueError", `empty range for randrange() (${start}, ${end + 1n}, ${width})`);
  return toInteger(start + generator(context, seed).below(width));
}

/** A text of characters drawn evenly. */
function randomText(context: JobContext, args: Record<string, unknown>): string {
  const chosen = Object.keys(CLASSES).filter((name) => truthy(args[name])).map((name) => CLASSES[name]);
  const characters = [
    ...(truthy(args.printable)
      ? DIGITS + LOWER + LOWER.toUpperCase() + PUNCTUATION + WHITESPACE
      : truthy(args.chars)
      ? str(args.chars)
      : chosen.join("")),
  ];
  const text = str(args.length).trim();
  if (!/^[+-]?\d+$/.test(text)) {
    throw new CommandExecutionError(`invalid literal for int() with base 10: ${repr(args.length)}`);
  }
  const length = Number(text);
  if (length > 0 && characters.length === 0) {
    throw new CommandExecutionError("Cannot make a text of no characters: choose some");
  }
  return Array.from({ length: Math.max(0, length) }, () => characters[draw(context, characters.length)]).join("");
}

/** A number below `bound` that is fit for passwords. */
function draw(context: JobContext, bound: number): number {
  const even = 2 ** 32 - 2 ** 32 % bound;
  for (;;) {
    const [a = 0, b = 0, c = 0, d = 0] = context.runtime.crypto.randomBytes(4);
    const number = a * 2 ** 24 + (b << 16) + (c << 8) + d;
    if (number < even) return number % bound;
  }
}

/** Random numbers, texts and choices; the same for the same seed, as Salt makes them. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "hash(value, algorithm='sha512')": {
      doc: "The hash of a text, as hexadecimal digits.\n\n    salt '*' random.hash 'I am a string' md5",
      run: (context, { value, algorithm }) => hash(context, value, algorithm),
    },
    "str_encode(value, encoder='base64')": {
      doc: "A text in base64.\n\n    salt '*' random.str_encode 'I am a new string'",
      run(_context, { value, encoder }) {
        if (encoder !== "base64" || typeof value !== "string") {
          throw new SaltInvocationError("Value must be an encode-able string");
        }
        return encodeBase64(bytesOf(value));
      },
    },
    get_str: executionFunction({
      signature: `length=20, chars=None, lowercase=True, uppercase=True, digits=True, punctuation=True,
        whitespace=False, printable=False`,
      doc:
        "A random text, fit for passwords. Its characters are `chars`, or those of the classes that are wanted.\n\n" +
        "    salt '*' random.get_str 128\n    salt '*' random.get_str 16 chars='abc123.!()'",
      run: randomText,
    }),
    "shadow_hash(crypt_salt=None, password=None, algorithm='sha512')": {
      doc: "A hash for /etc/shadow: sha512, sha256 or md5. Salt and password are drawn where none is given.\n\n" +
        "    salt '*' random.shadow_hash 'My5alT' 'MyP@asswd' sha256",
      async run(context, args): Promise<string> {
        const password = args.password === null
          ? randomText(context, { length: 20, lowercase: true, uppercase: true, digits: true, punctuation: true })
          : str(args.password);
        const salt = args.crypt_salt === null ? undefined : str(args.crypt_salt);
        return await passwordHash(context, str(args.algorithm ?? "sha512"), password, salt);
      },
    },
    "rand_int(start=1, end=10, seed=None)": {
      doc: "A random number, both bounds included; the same for the same seed.\n\n    salt '*' random.rand_int 1 10",
      run: (context, { start, end, seed }) => randomInteger(context, integer(start), integer(end), seed),
    },
    "seed(range=10, hash=None)": {
      doc: "A number below `range` that is always the same for this minion, or for a value.\n\n" +
        "    salt '*' random.seed 60",
      run(context, { range, hash: seed }) {
        const bound = integer(range);
        if (bound < 1n) throw pythonError("ValueError", "empty range for randrange()");
        return toInteger(generator(context, seed ?? context.grains.id ?? context.opts.id).below(bound));
      },
    },
    "sample(value, size, seed=None)": {
      doc: "Some members of a list, drawn at random; the same for the same seed.\n\n" +
        `    salt '*' random.sample '["one", "two"]' 1 seed="something"`,
      run: (context, { value, size, seed }) => sample(context, value, size, seed),
    },
    "shuffle(value, seed=None)": {
      doc: "A list in random order; the same for the same seed.\n\n" +
        `    salt '*' random.shuffle '["one", "two"]' seed="something"`,
      run: (context, { value, seed }) => sample(context, value, Array.isArray(value) ? value.length : 0, seed),
    },
  }),
};

/** Number of words in the generator's state, and the distance between the words that are combined into a new one. */
const SIZE = 624;
const SHIFT = 397;

/**
 * Python's random number generator, the Mersenne Twister, for results that must equal Python's: the same seed returns the
 * same numbers. Never for secrets.
 *
 * @see http://www.math.sci.hiroshima-u.ac.jp/m-mat/MT/MT2002/emt19937ar.html
 */
export class PythonRandom {
  readonly #state = new Uint32Array(SIZE);
  #at = SIZE;

  /** @param seed any whole number; for a text see {@link seedOfText} */
  constructor(seed: bigint) {
    const key: number[] = [];
    for (let rest = seed < 0n ? -seed : seed; rest > 0n; rest >>= 32n) key.push(Number(rest & 0xffffffffn));
    if (key.length === 0) key.push(0);
    const state = this.#state;
    state[0] = 19650218;
    for (let i = 1; i < SIZE; i++) state[i] = Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i;
    let [i, j] = [1, 0];
    const step = () => {
      i += 1;
      if (i < SIZE) return;
      state[0] = state[SIZE - 1]!;
      i = 1;
    };
    for (let count = Math.max(SIZE, key.length); count > 0; count--) {
      state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1664525)) + key[j]! + j;
      j = (j + 1) % key.length;
      step();
    }
    for (let count = SIZE - 1; count > 0; count--) {
      state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1566083941)) - i;
      step();
    }
    state[0] = 0x80000000;
  }

  #word(): number {
    const state = this.#state;
    if (this.#at === SIZE) {
      for (let i = 0; i < SIZE; i++) {
        const mixed = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
        state[i] = state[(i + SHIFT) % SIZE]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
      }
      this.#at = 0;
    }
    let word = state[this.#at++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  bits(count: number): bigint {
    let value = 0n;
    for (let at = 0; at < count; at += 32) {
      const left = Math.min(32, count - at);
      value |= BigInt(this.#word() >>> (32 - left)) << BigInt(at);
    }
    return value;
  }

  /** A random number from 0 to `bound` - 1. @param bound at least 1 */
  below(bound: bigint): bigint {
    const count = bound.toString(2).length;
    let value = this.bits(count);
    while (value >= bound) value = this.bits(count);
    return value;
  }

  /** Picks `count` items of a list, each index at most once. @throws {RangeError} if the list has fewer */
  sample<T>(population: readonly T[], count: number): T[] {
    const { length } = population;
    if (count < 0 || count > length) throw new RangeError("Sample larger than population or is negative");
    const draw = (bound: number) => Number(this.below(BigInt(bound)));
    // Python draws from a copy of the list or remembers the indexes used, whichever is smaller; the numbers drawn differ.
    const setSize = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0);
    if (length <= setSize) {
      const pool = [...population];
      return Array.from({ length: count }, (_, i) => {
        const at = draw(length - i);
        const chosen = pool[at]!;
        pool[at] = pool[length - i - 1]!;
        return chosen;
      });
    }
    const taken = new Set<number>();
    return Array.from({ length: count }, () => {
      let at = draw(length);
      while (taken.has(at)) at = draw(length);
      taken.add(at);
      return population[at]!;
    });
  }
}

/** The seed for a text or bytes: the number that the bytes, followed by their SHA-512, represent. */
export function seedOfText(text: Uint8Array, sha512: (data: Uint8Array) => Uint8Array): bigint {
  let seed = 0n;
  for (const byte of [...text, ...sha512(text)]) seed = (seed << 8n) | BigInt(byte);
  return seed;
}

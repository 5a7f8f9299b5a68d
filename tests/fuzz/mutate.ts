/** Inputs for decoders: made by chance, in the shapes that peers send, and then broken. */
import { type Random, seeded } from "../faults/history.ts";

/** Chance with a few words of its own. */
export class Chance {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  one(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  bytes(most: number): Uint8Array {
    return Uint8Array.from({ length: this.below(most + 1) }, () => this.below(256));
  }

  /** A number as decoders fear them: near a power of two, or its negative. */
  edge(): number {
    const power = 2 ** this.below(54);
    return (this.one(0.3) ? -1 : 1) * (power + this.below(3) - 1);
  }

  text(most = 12): string {
    const letters = "abz09_./*:%\\'\"{}[]<>&|!?-\n\t \u0000\u00e9\u2028\ud83d\ude00\ud800";
    return Array.from({ length: this.below(most + 1) }, () => this.pick([...letters])).join("");
  }

  /** A value of any shape. */
  value(depth = 4): unknown {
    const kind = this.below(depth > 0 ? 12 : 9);
    if (kind === 0) return null;
    if (kind === 1) return this.one(0.5);
    if (kind <= 3) return this.edge();
    if (kind === 4) return this.random() * this.edge();
    if (kind === 5) return BigInt(this.below(2 ** 30)) ** 2n;
    if (kind <= 7) return this.text(this.one(0.1) ? 400 : 12);
    if (kind === 8) return this.bytes(this.one(0.1) ? 400 : 12);
    const length = this.below(this.one(0.05) ? 40 : 5);
    if (kind <= 10) return Array.from({ length }, () => this.value(depth - 1));
    const keys = ["__proto__", "constructor", "enc", "load", "fun", "jid", "1", ""];
    const key = () => this.one(0.3) ? this.pick(keys) : this.text(6);
    return Object.fromEntries(Array.from({ length }, () => [key(), this.value(depth - 1)]));
  }

  /** A map with some fields of others' choosing, left out, of another kind, or as they should be. */
  fields(right: { [name: string]: unknown }): { [name: string]: unknown } {
    const made: { [name: string]: unknown } = {};
    for (const [name, value] of Object.entries(right)) {
      const how = this.random();
      if (how < 0.1) continue;
      made[name] = how < 0.3 ? this.value() : value;
    }
    while (this.one(0.2)) made[this.text(6)] = this.value();
    return made;
  }

  /** Bytes with a few of them changed, as a liar or a bad line would. */
  broken(bytes: Uint8Array, others: readonly Uint8Array[] = []): Uint8Array {
    let broken = bytes;
    for (let times = this.below(4); times > 0; times--) broken = this.#brokenOnce(broken, others);
    return broken;
  }

  #brokenOnce(bytes: Uint8Array, others: readonly Uint8Array[]): Uint8Array {
    const at = this.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + this.below(9));
    const [before, cut, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    switch (this.below(7)) {
      case 0:
        return joined(before, after);
      case 1:
        return joined(before, cut, cut, after);
      case 2:
        return joined(before, this.bytes(8), after);
      case 3: {
        const changed = bytes.slice();
        if (bytes.length > 0) changed[this.below(bytes.length)] = this.pick([0, 1, 0x7f, 0x80, 0xc1, 0xdf, 0xff]);
        return changed;
      }
      case 4: {
        const changed = bytes.slice();
        if (bytes.length > 0) changed[this.below(bytes.length)]! ^= 1 << this.below(8);
        return changed;
      }
      case 5:
        return joined(before, others.length > 0 ? this.pick(others) : cut);
      default:
        return before;
    }
  }

  /** Text made of words of a language, so that it comes past the first one. */
  sentence(words: readonly string[], most: number): string {
    const parts = Array.from({ length: 1 + this.below(most) }, () => this.one(0.05) ? this.text() : this.pick(words));
    return parts.join(this.pick(["", " ", ""]));
  }

  /** Cuts bytes into chunks, as a network does. */
  chunks(bytes: Uint8Array): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    const most = this.pick([1, 7, 64, 100_000]);
    for (let at = 0; at < bytes.length;) {
      const size = 1 + this.below(most);
      chunks.push(bytes.slice(at, at + size));
      at += size;
    }
    return chunks;
  }
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

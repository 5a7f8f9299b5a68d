/** Feeds a decoder inputs made by chance, and says which of them it did not bear. */
import type { Decoder } from "./decoders.ts";
import { Chance } from "./mutate.ts";

/** An input that a decoder did not bear. */
export interface Fault {
  decoder: string;
  /** With {@link inputOf}, makes the input again. */
  seed: number;
  /** In base64. */
  input: string;
  why: string;
}

/** Milliseconds that one input may take, on a machine that does much else. */
const LONGEST_MS = 2000;
/** Inputs that are kept to be mixed into others. */
const KEPT = 64;

declare const performance: { now(): number };

/** The input of a seed. @param others what parts of it may be taken from */
export function inputOf(decoder: Decoder, seed: number, others: readonly Uint8Array[] = []): Uint8Array {
  const chance = new Chance(seed);
  const made = decoder.make(chance);
  return chance.one(0.15) ? made : chance.broken(made, others);
}

/** Reads one input. Undefined if it was read, or refused as it should be. */
export async function faultOf(decoder: Decoder, bytes: Uint8Array, seed: number): Promise<string | undefined> {
  const longestMs = decoder.longestMs ?? LONGEST_MS;
  const first = await readOnce(decoder, bytes, seed);
  if (first.why !== undefined || first.tookMs <= longestMs) return first.why;
  // The machine may have done something else meanwhile.
  const { tookMs } = await readOnce(decoder, bytes, seed);
  return tookMs > longestMs ? `it took ${Math.round(first.tookMs)} and ${Math.round(tookMs)} ms` : undefined;
}

async function readOnce(
  decoder: Decoder,
  bytes: Uint8Array,
  seed: number,
): Promise<{ why: string | undefined; tookMs: number }> {
  const began = performance.now();
  let why: string | undefined;
  try {
    await decoder.read(bytes, new Chance(seed));
  } catch (error) {
    if (!decoder.refuses(error)) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      why = `${name}: ${message.slice(0, 300)}\n${String(stack).split("\n").slice(1, 6).join("\n")}`;
    }
  }
  return { why, tookMs: performance.now() - began };
}

/** Feeds a decoder. @param most faults after which it ends */
export async function fuzz(
  decoder: Decoder,
  { from = 1, inputs, most = 5 }: { from?: number; inputs: number; most?: number },
): Promise<{ faults: Fault[]; refused: number }> {
  const faults: Fault[] = [];
  const others: Uint8Array[] = [];
  let refused = 0;
  const counting = { ...decoder, refuses: (error: unknown) => decoder.refuses(error) && ++refused > 0 };
  for (let seed = from; seed < from + inputs && faults.length < most; seed++) {
    const bytes = inputOf(decoder, seed, others);
    const why = await faultOf(counting, bytes, seed);
    if (why !== undefined) faults.push({ decoder: decoder.name, seed, input: base64(bytes), why });
    others[(seed - from) % KEPT] = bytes.slice(0, 200);
  }
  return { faults, refused };
}

export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

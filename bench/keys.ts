/** RSA pairs for simulated minions: made once, in parallel, and kept outside the tree, for a thousand take a minute. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Crypto } from "../src/runtime/crypto.ts";

export interface StoredPair {
  privatePem: string;
  publicPem: string;
}

const BITS = 2048;
const file = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"),
  "brine",
  "bench",
  `minion-keys-${BITS}.json`,
);

function stored(): StoredPair[] {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // None yet, or cut off: they are made anew.
    return [];
  }
}

/** The first `count` pairs of the cache, of which those that are missing are made. They protect nothing. */
export async function minionKeys(crypto: Crypto, count: number, say: (line: string) => void): Promise<StoredPair[]> {
  const pairs = stored();
  if (pairs.length >= count) return pairs.slice(0, count);
  say(`making ${count - pairs.length} key pairs, once`);
  const workers = Array.from({ length: availableParallelism() }, async () => {
    while (pairs.length < count) {
      const pair = await crypto.generateKeyPair(BITS);
      if (pairs.length < count) pairs.push(pair);
    }
  });
  await Promise.all(workers);
  mkdirSync(path.dirname(file), { recursive: true });
  // Whole or not at all: another swarm may be reading.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(pairs), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return pairs;
}

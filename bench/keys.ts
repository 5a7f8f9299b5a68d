/** RSA key pairs for simulated minions: made once, in parallel, and cached outside the tree, since a thousand take a minute. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Crypto } from "../src/runtime/crypto.ts";

export interface StoredPair {
  privatePem: string;
  publicPem: string;
}

const fileOf = (bits: number) =>
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "brine", "bench", `minion-keys-${bits}.json`);

function stored(file: string): StoredPair[] {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Missing or truncated: all pairs are made again.
    return [];
  }
}

/** The first `count` key pairs of the cache; makes missing ones. They protect nothing. */
export async function minionKeys(
  crypto: Crypto,
  count: number,
  say: (line: string) => void,
  bits = 2048,
): Promise<StoredPair[]> {
  const file = fileOf(bits);
  const pairs = stored(file);
  if (pairs.length >= count) return pairs.slice(0, count);
  say(`making ${count - pairs.length} key pairs, once`);
  const workers = Array.from({ length: availableParallelism() }, async () => {
    while (pairs.length < count) {
      const pair = await crypto.generateKeyPair(bits);
      if (pairs.length < count) pairs.push(pair);
    }
  });
  await Promise.all(workers);
  mkdirSync(path.dirname(file), { recursive: true });
  // Replaced at once: another swarm may be reading the file.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(pairs), { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
  return pairs;
}

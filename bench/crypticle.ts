/**
 * Question: how many sealed requests and replies can one core process, and how much of that is the cipher?
 *
 * Control rows: the same two native operations with the bytes of the keys instead of loaded keys, and `@noble/ciphers`.
 * Run with node, bun or `deno run -A`.
 */
import { cpus } from "node:os";
import { cbc } from "@noble/ciphers/aes.js";
import { Crypticle, newKeyString } from "../src/protocol/crypto/crypticle.ts";
import { denoCrypto } from "../src/runtime/deno/crypto.ts";
import { decode, encode } from "../src/protocol/wire/msgpack.ts";
import { packPayload, unpackPayload } from "../src/protocol/wire/payload.ts";

declare const navigator: { userAgent: string };

const crypto = denoCrypto();

/** The fastest of some rounds, in µs a call: noise only ever adds. */
function fastest(work: () => unknown, count: number): number {
  let best = Infinity;
  for (let round = 0; round < 8; round++) {
    const start = performance.now();
    for (let index = 0; index < count; index++) work();
    // The first round is warm-up.
    if (round > 0) best = Math.min(best, (performance.now() - start) * 1000 / count);
  }
  return best;
}

console.log(`${navigator.userAgent}, ${cpus()[0]?.model.trim()}, µs a call, fastest of 7 rounds\n`);
console.log("    size     seal     open   | bytes as keys: AES + HMAC   noble AES   | calls a round");
for (const [size, count] of [[100, 5000], [500, 5000], [1024, 5000], [16384, 500], [102400, 50]] as const) {
  const keyString = newKeyString(crypto);
  const raw = Uint8Array.from(atob(keyString), (character) => character.charCodeAt(0));
  const aesKey = raw.slice(0, 24);
  const hmacKey = raw.slice(24);
  const iv = crypto.randomBytes(16);
  const crypticle = new Crypticle(crypto, keyString);
  const plain = Uint8Array.from({ length: size }, (_, at) => at);
  const blob = crypticle.seal(plain);
  const cells = [
    fastest(() => crypticle.seal(plain), count),
    fastest(() => crypticle.open(blob), count),
    fastest(() => {
      crypto.aes192CbcEncrypt(aesKey, iv, plain);
      crypto.hmac("sha256", hmacKey, plain);
    }, count),
    fastest(() => cbc(aesKey, iv).encrypt(plain), count),
  ].map((time) => time.toFixed(2).padStart(9));
  console.log(
    `${String(size).padStart(8)}${cells[0]}${cells[1]}   |${cells[2]!.padStart(28)}${cells[3]!.padStart(12)}   |${
      String(count).padStart(8)
    }`,
  );
}

// What a master does for each return: open, unpack with the return kept, pack and seal the reply.
const session = new Crypticle(crypto, newKeyString(crypto));
const nonce = "4c96565085c441dfa5ed33b1807323ed";
const load = { cmd: "_return", id: "web01", jid: "20261121000128725059", fun: "test.ping", fun_args: [], return: true };
const request = encode({
  enc: "aes",
  load: session.seal(
    packPayload({ ...load, retcode: 0, success: true, nonce, ts: 1795219288, tok: crypto.randomBytes(256) }),
  ),
  version: 3,
  id: "web01",
}, "wire");
const whole = fastest(() => {
  const envelope = decode(request, { mode: "wire" }) as { load: Uint8Array };
  unpackPayload(session.open(envelope.load), { keep: ["return"] });
  return encode(session.seal(packPayload(null, nonce)), "wire");
}, 5000);
console.log(
  `\none sealed request and its reply (${request.length} bytes): ${whole.toFixed(1)} µs, ${
    Math.round(1e6 / whole)
  } a second, without the RSA token`,
);
const key = crypto.loadPrivateKey((await crypto.generateKeyPair(2048)).privatePem);
const half = crypto.loadPublicKey(crypto.publicPem(key));
const token = crypto.rawPrivate(key, new Uint8Array(256).fill(1));
console.log(
  `raw public operation, 2048 bits (the token of a request): ${
    fastest(() => crypto.rawPublic(half, token), 500).toFixed(1)
  } µs`,
);

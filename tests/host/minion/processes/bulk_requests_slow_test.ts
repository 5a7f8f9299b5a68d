/** How a job comes by much of a file: see src/host/minion/processes/bulk_requests.ts. */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { Crypticle, newKeyString } from "../../../../src/protocol/crypto/crypticle.ts";
import { hex } from "../../../../src/protocol/crypto/hex.ts";
import type { MasterLink } from "../../../../src/model/loader/family.ts";
import type { JobSession } from "../../../../src/host/minion/processes/bulk_requests.ts";
import { encode } from "../../../../src/protocol/wire/msgpack.ts";
import { packPayload, parseEnvelope, unpackPayload } from "../../../../src/protocol/wire/payload.ts";
import { runtimeSockets } from "../../../../src/protocol/zmtp/mod.ts";
import { jobBed } from "./job_bed.ts";

const TIMEOUT = { timeout: 60_000 };
const PIECE = 512 * 1024;
const algorithms = { encryption: "OAEP-SHA1", signing: "PKCS1v15-SHA1" };

/** A master of one file, asked through the minion or directly. */
async function master(bytes: Uint8Array) {
  const relayed: unknown[] = [];
  const direct: unknown[] = [];
  /** Keys that the master takes. */
  const taken = new Set<string>();
  let address = "";
  const asked: (string | undefined)[] = [];
  const keys: string[] = [];
  const bed = await jobBed({
    session(stale): Promise<JobSession> {
      asked.push(stale);
      const key = newKeyString(bed.runtime.crypto);
      // The first one has been retired in the meantime.
      if (stale !== undefined) taken.add(key);
      keys.push(key);
      return Promise.resolve({ address, id: "alpha", key, proof: Uint8Array.of(1, 2, 0xff), algorithms });
    },
  });
  const serve = (load: Record<string, unknown>): unknown => {
    if (load.cmd === "_file_hash") {
      return { hash_type: "sha256", hsum: hex(bed.runtime.crypto.hash("sha256", bytes)) };
    }
    const loc = Number(load.loc);
    return { data: bytes.subarray(loc, loc + PIECE), dest: "large" };
  };
  const link: Pick<MasterLink, "request"> = {
    request(load) {
      if (load.cmd === "_serve_file") relayed.push(load.loc);
      return Promise.resolve(serve(load));
    },
  };
  Object.assign(bed.context.master as MasterLink, link);
  const router = runtimeSockets(bed.runtime, bed.captured.log).router();
  router.onMessage((peer, frames) => {
    const envelope = parseEnvelope(frames.at(-1)!);
    const key = keys.find((key) => taken.has(key));
    if (envelope.enc !== "aes" || key === undefined) {
      router.send(peer, [...frames.slice(0, -1), encode("bad load", "wire")]);
      return;
    }
    const crypticle = new Crypticle(bed.runtime.crypto, key);
    let reply: Uint8Array;
    try {
      const load = unpackPayload(crypticle.open(envelope.load)) as Record<string, unknown>;
      assert.equal(load.id, "alpha");
      direct.push(load.loc);
      reply = encode(crypticle.seal(packPayload(serve(load), String(load.nonce))), "wire");
    } catch {
      reply = encode("bad load", "wire");
    }
    router.send(peer, [...frames.slice(0, -1), reply]);
  });
  address = await router.bind("tcp://127.0.0.1:0");
  return {
    bed,
    relayed,
    direct,
    asked,
    async [Symbol.asyncDispose]() {
      await bed[Symbol.asyncDispose]();
      await router.close();
    },
  };
}

describe("files of a job", () => {
  test("come over connections of its own once they are much, under the session of the minion", TIMEOUT, async () => {
    const bytes = Uint8Array.from({ length: 6 * PIECE + 1234 }, (_, at) => at * 31 + (at >> 9));
    await using host = await master(bytes);
    const { bed, relayed, direct, asked } = host;
    const to = path.join(bed.directory, "fetched");
    const outcome = await bed.run("bad.fetch", ["salt://large", to]);
    assert.equal(outcome.return, to, JSON.stringify(outcome));
    assert.deepEqual(Uint8Array.from(bed.runtime.fs.read(to)), bytes);
    assert.deepEqual(relayed, [0]);
    const at = (index: number) => Math.min(index * PIECE, bytes.length);
    assert.deepEqual([...new Set(direct as number[])].sort((a, b) => a - b).slice(0, 7), [1, 2, 3, 4, 5, 6, 7].map(at));
    // The key that came first is not accepted: one renewal is enough for all that was under way.
    assert.equal(asked.length, 2);
    assert.equal(asked[0], undefined);
    assert.equal(typeof asked[1], "string");
  });

  test("come through the minion if they are few", TIMEOUT, async () => {
    const bytes = Uint8Array.from({ length: 1234 }, (_, at) => at * 31);
    await using host = await master(bytes);
    const to = path.join(host.bed.directory, "fetched");
    assert.equal((await host.bed.run("bad.fetch", ["salt://small", to])).return, to);
    assert.deepEqual(Uint8Array.from(host.bed.runtime.fs.read(to)), bytes);
    assert.deepEqual([host.relayed, host.direct, host.asked], [[0, 1234], [], []]);
  });
});

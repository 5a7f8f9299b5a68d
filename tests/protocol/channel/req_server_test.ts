import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestMetrics } from "../../../src/protocol/channel/request_metrics.ts";
import { RequestServer, type RequestServerOptions } from "../../../src/protocol/channel/req_server.ts";
import { Crypticle, LONG_MESSAGE, newKeyString } from "../../../src/protocol/crypto/crypticle.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { encode } from "../../../src/protocol/wire/msgpack.ts";
import { packPayload } from "../../../src/protocol/wire/payload.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("a request is counted as answered once its reply is sealed, however long that takes", async () => {
  const { crypto } = await currentRuntime();
  const crypticle = new Crypticle(crypto, newKeyString(crypto));
  const seen: string[] = [];
  const metrics = new RequestMetrics();
  metrics.answered = (command) => void seen.push(`answered ${command}`);
  metrics.failed = () => void seen.push("failed");
  let isFailing = false;
  crypticle.sealLong = async (...args) => {
    seen.push("sealing");
    if (isFailing) throw new Error("no memory");
    return await Crypticle.prototype.sealLong.apply(crypticle, args);
  };
  const server = new RequestServer({
    crypto,
    clock: new FakeClock(),
    log: captureLog().log,
    keys: {},
    sessionKeys: {},
    masterKey: () => ({ crypticle }),
    minimumVersion: 2,
    handler: { aes: () => Promise.resolve({ value: new Uint8Array(LONG_MESSAGE) }) },
    metrics,
  } as unknown as RequestServerOptions);
  const request = () =>
    encode(
      { enc: "aes", version: 2, load: crypticle.seal(packPayload({ cmd: "_file", nonce: "n".repeat(32) })) },
      "wire",
    );
  const sender = { remote: "tcp://10.0.0.1:1", open: true };
  assert.ok((await server.handle(request(), sender))!.length > LONG_MESSAGE);
  isFailing = true;
  await server.handle(request(), sender);
  assert.deepEqual(seen, ["sealing", "answered _file", "sealing", "failed"]);
});

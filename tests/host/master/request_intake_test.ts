/** Which requests go before others, by their bytes alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestServer } from "../../../src/protocol/channel/req_server.ts";
import { asksToPublish, RequestIntake } from "../../../src/host/master/request_intake.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { fromHex, vectors } from "../../support/vectors.ts";
import type { PeerHandle, Router } from "../../../src/protocol/zmtp/mod.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

interface Transcript {
  messages: { frames: string[] }[];
}

test("of all that real Salt has sent, publications are found and nothing else is", () => {
  const { messages } = vectors("transcript") as Transcript;
  const all = messages.map(({ frames }) => fromHex(frames.at(-1)!));
  const cmdOf = (bytes: Uint8Array) => {
    const { enc, load } = decode(bytes, { mode: "wire" }) as { enc?: unknown; load?: { cmd?: unknown } };
    return enc === "clear" ? load?.cmd : undefined;
  };
  const publications = all.filter((bytes) => bytes[0]! >> 4 === 8 && cmdOf(bytes) === "publish");
  assert.ok(publications.length >= 8);
  assert.deepEqual(all.filter(asksToPublish), publications);
});

test("neither its arguments nor its end make a request a publication, and a long one waits as any", () => {
  const envelope = (load: unknown) => encode({ enc: "clear", load, version: 3 }, "wire");
  const publish = { cmd: "publish", tgt: "*", fun: "test.ping", arg: [] as unknown[], key: "k" };
  assert.equal(asksToPublish(envelope(publish)), true);
  assert.equal(asksToPublish(envelope({ key: "k", cmd: "publish" })), true, "in any order");
  assert.equal(asksToPublish(envelope({ ...publish, arg: ["x".repeat(4000)] })), false);
  assert.equal(asksToPublish(envelope({ cmd: "runner", arg: ["publish"] })), false);
  assert.equal(asksToPublish(encode({ enc: "aes", load: encode(publish, "wire") }, "wire")), false);
  const whole = envelope(publish);
  for (let end = 0; end < 30; end++) assert.equal(asksToPublish(whole.subarray(0, end)), end >= 29, String(end));
  assert.equal(asksToPublish(new Uint8Array(0)), false);
});

test("a clock that is set back makes no turn longer", () => {
  const clock = new FakeClock();
  const due: (() => void)[] = [];
  let begun = 0;
  let take: (peer: PeerHandle, frames: Uint8Array[]) => void = () => {};
  new RequestIntake({
    socket: { onMessage: (handler: typeof take) => void (take = handler) } as unknown as Router,
    server: {
      handle() {
        if (begun++ === 10) clock.set(clock.now() - 3_600_000);
        clock.advance(1);
        return Promise.resolve(undefined);
      },
    } as unknown as RequestServer,
    clock,
    log: captureLog().log,
    later: (call) => void due.push(call),
  });
  for (let at = 0; at < 100; at++) take({ remote: `tcp://${at}`, open: true } as PeerHandle, [new Uint8Array(1)]);
  for (let turn = 0; begun < 100; turn++) {
    const before = begun;
    due.shift()!();
    assert.ok(begun - before <= 4, `turn ${turn}: ${begun - before}`);
  }
});

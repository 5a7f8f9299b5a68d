import assert from "node:assert/strict";
import { test } from "node:test";
import { Subscriptions } from "../../../src/protocol/zmtp/subscriptions.ts";
import { bytes } from "./context.ts";

interface Fake {
  name: string;
  topics: Set<string> | undefined;
}

test("Subscriptions matches as a plain prefix search does, through adding and removing", () => {
  const subscriptions = new Subscriptions<Fake>();
  const peers: Fake[] = Array.from({ length: 8 }, (_, index) => ({ name: `${index}`, topics: undefined }));
  const model = new Map<Fake, Set<string>>(peers.map((peer) => [peer, new Set()]));
  let seed = 7;
  const random = (limit: number) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % limit;
  const word = () => Array.from({ length: random(4) }, () => "ab\xff"[random(3)]).join("");
  for (let round = 0; round < 5000; round++) {
    const peer = peers[random(peers.length)]!;
    const topic = word();
    const topics = model.get(peer)!;
    switch (random(5)) {
      case 0:
        subscriptions.removePeer(peer);
        topics.clear();
        break;
      case 1:
      case 2:
        assert.equal(subscriptions.remove(bytes(topic), peer), topics.delete(topic));
        break;
      default:
        assert.equal(subscriptions.add(bytes(topic), peer), !topics.has(topic));
        topics.add(topic);
    }
    const frame = word() + word();
    const want = peers.filter((one) => [...model.get(one)!].some((prefix) => frame.startsWith(prefix)));
    const got = [...subscriptions.match(bytes(frame)) ?? []];
    assert.deepEqual(got.map(({ name }) => name).sort(), want.map(({ name }) => name).sort());
  }
});

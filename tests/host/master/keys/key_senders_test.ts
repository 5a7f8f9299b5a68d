import assert from "node:assert/strict";
import { test } from "node:test";
import { KeySenders } from "../../../../src/host/master/keys/key_senders.ts";

test("the last address of each key that was not admitted is kept, of a bounded number of keys", () => {
  const senders = new KeySenders();
  senders.heard("pend", "web1", "10.0.0.1");
  senders.heard("pend", "web1", "10.0.0.2");
  senders.heard("denied", "web1", "10.0.0.3");
  senders.heard("accept", "web2", "10.0.0.4");
  senders.heard("pend", 7, "10.0.0.5");
  const of = (status: string, id: string) => senders.addressOf(status, id);
  assert.deepEqual([of("minions_pre", "web1"), of("minions_denied", "web1"), of("minions_pre", "web2")], [
    "10.0.0.2",
    "10.0.0.3",
    undefined,
  ]);
  for (let at = 0; at < 9999; at++) senders.heard("pend", `m${at}`, "10.0.0.6");
  assert.deepEqual([of("minions_pre", "web1"), of("minions_denied", "web1")], [undefined, "10.0.0.3"]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { originOf } from "../../../src/protocol/zmtp/endpoint.ts";

describe("originOf()", () => {
  for (
    const [remote, origin] of [
      ["tcp://10.0.0.7:51312", "10.0.0.7"],
      ["tcp://[2001:db8:0:1:a:b:c:d]:51312", "2001:db8:0:1::/64"],
      ["tcp://[2001:db8:0:1::d]:4", "2001:db8:0:1::/64"],
      ["tcp://[2001:db8:0000:0001::]:4", "2001:db8:0:1::/64"],
      ["tcp://[::1]:4", "0:0:0:0::/64"],
      ["tcp://[fe80::1%eth0]:4", "fe80:0:0:0::/64"],
      ["tcp://[::ffff:10.0.0.7]:51312", "10.0.0.7"],
      ["ipc:///run/master.ipc", "ipc"],
      ["unix:///run/master.ipc", "unix"],
      ["", ""],
    ] as const
  ) test(`of "${remote}" is "${origin}"`, () => assert.equal(originOf(remote), origin));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSettings } from "../../../src/model/config/cluster.ts";

const postgres = "postgres://salt:secret@db:5432/salt";
const nats = "nats://mq:4222";

test("clusterSettings() reads what is given, and has defaults for the rest", () => {
  assert.equal(clusterSettings({}), undefined);
  assert.equal(clusterSettings({ cluster: {} }), undefined);
  assert.deepEqual(clusterSettings({ cluster: { postgres, nats } }), {
    postgres,
    nats: [nats],
    name: "default",
    leaseSeconds: 5,
  });
  assert.deepEqual(
    clusterSettings({
      cluster: { postgres, nats: [nats, "tls://u:p@mq2"], name: "eu-1", lease_seconds: 10, tls: { ca: "/ca.pem" } },
    }),
    { postgres, nats: [nats, "tls://u:p@mq2"], name: "eu-1", leaseSeconds: 10, tls: { ca: "/ca.pem" } },
  );
});

for (
  const [what, opts, message] of [
    ["a list", { cluster: [1] }, /expected a map/],
    ["an unknown setting", { cluster: { postgres, nats, port: 1 } }, /"port" is none of them/],
    ["no PostgreSQL", { cluster: { nats } }, /expected postgres:/],
    ["another database", { cluster: { postgres: "mysql://db/salt", nats } }, /expected postgres:/],
    ["no NATS", { cluster: { postgres } }, /expected nats:/],
    ["a token that would be shown", { cluster: { postgres, nats: "nats://token@mq" } }, /expected nats:/],
    ["a name that is no part of a subject", { cluster: { postgres, nats, name: "a.*" } }, /expected name:/],
    [
      "a lease that is too short",
      { cluster: { postgres, nats, lease_seconds: 0.5 } },
      /expected lease_seconds: from 2 to 300/,
    ],
    [
      "a password in a list of servers",
      { cluster: { postgres, nats: ["nats://salt:secret@mq1", "nats://salt:secret@mq2"], lease_seconds: 1 } },
      /expected lease_seconds:/,
    ],
    ["a password with a slash", { cluster: { postgres: "postgres://salt:p/secret@db/x", nats } }, /expected postgres:/],
    ["a token in a list", { cluster: { postgres, nats: ["nats://secret@mq"] } }, /expected nats:/],
    [
      "a password with a stray percent sign",
      { cluster: { postgres: "postgres://salt:secret%@db/x", nats } },
      /expected postgres:/,
    ],
    ["such a one of NATS", { cluster: { postgres, nats: "nats://salt:secret%zz@mq" } }, /expected nats:/],
    ["TLS without files", { cluster: { postgres, nats, tls: { ca: 1 } } }, /expected tls:/],
    ["older minions", { cluster: { postgres, nats }, minimum_auth_version: 0 }, /minimum_auth_version: 0/],
    ["syndics", { cluster: { postgres, nats }, order_masters: true }, /order_masters/],
  ] as const
) {
  test(`clusterSettings() refuses ${what}, and hides the password`, () => {
    assert.throws(
      () => clusterSettings(opts),
      (error: Error) => message.test(error.message) && !/secret/.test(error.message),
    );
  });
}

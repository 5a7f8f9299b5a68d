import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientAddress } from "../../../../src/host/gateway/requests/client_address.ts";
import { gatewaySettings } from "../../../../src/host/gateway/mod.ts";
import { parseIpTarget } from "../../../../src/model/target/ipcidr.ts";
import { openDoor, PASSWORD } from "../fake_backend.ts";

const TRUSTED = ["10.0.0.5", "10.1.0.0/16", "2001:db8::/32"].map((text) => parseIpTarget(text)!);

const ROWS: [peer: string, forwarded: string | undefined, client: string][] = [
  ["192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ["10.0.0.5", undefined, "10.0.0.5"],
  ["10.0.0.5", "198.51.100.7", "198.51.100.7"],
  // The client's own word stands first.
  ["10.0.0.5", "127.0.0.1, 198.51.100.7", "198.51.100.7"],
  ["10.0.0.5", "127.0.0.1, 198.51.100.7, 10.1.2.3", "198.51.100.7"],
  ["10.1.2.3", "10.1.9.9", "10.1.9.9"],
  ["10.0.0.5", "198.51.100.7, unknown", "10.0.0.5"],
  ["10.0.0.5", "198.51.100.7, unknown, 10.1.2.3", "10.1.2.3"],
  ["10.0.0.5", "198.51.100.7:4711", "198.51.100.7"],
  ["10.0.0.5", "[2001:db9::7]:4711", "2001:db9::7"],
  ["10.0.0.5", "2001:db9::7", "2001:db9::7"],
  ["10.0.0.5", "::ffff:198.51.100.7", "198.51.100.7"],
  ["2001:db8::5", "198.51.100.7", "198.51.100.7"],
  ["10.0.0.5", "", "10.0.0.5"],
  ["10.0.0.5", `198.51.100.7, ${"10.1.0.1, ".repeat(50)}10.1.0.2`, "10.1.0.1"],
  ["", "198.51.100.7", ""],
];

describe("the address of a client", () => {
  for (const [peer, forwarded, client] of ROWS) {
    test(`of a connection from ${JSON.stringify(peer)} with ${forwarded?.slice(0, 50)} is ${JSON.stringify(client)}`, () => {
      const headers = new Headers(forwarded === undefined ? {} : { "X-Forwarded-For": forwarded });
      assert.equal(clientAddress(peer, headers, TRUSTED), client);
      assert.equal(clientAddress(peer, headers, []), peer);
    });
  }

  test("is what logins are counted by: a stranger behind the same proxy locks nobody out", async () => {
    const door = await openDoor({ login_attempts: 3, trusted_proxies: ["10.0.0.5"] });
    const login = (client: string, username: string, password: string) =>
      door.send("POST", "/login", {
        from: "10.0.0.5",
        headers: { "X-Forwarded-For": client },
        body: { username, password, eauth: "pam" },
      });
    for (let count = 0; count < 5; count++) await login(`9.9.9.${count}, 198.51.100.7`, `nobody${count}`, "wrong");
    assert.equal((await login("198.51.100.7", "nobody", "wrong")).status, 429);
    assert.equal((await login("203.0.113.9", "alice", PASSWORD)).status, 200);
    const direct = await door.send("POST", "/login", {
      from: "198.51.100.7",
      headers: { "X-Forwarded-For": "203.0.113.10" },
      body: { username: "bob", password: PASSWORD, eauth: "pam" },
    });
    assert.equal(direct.status, 429, "the header of a client that is no proxy says nothing");
  });

  test("is what authorized_ips, api_acl and the events of webhooks have", async () => {
    const door = await openDoor({
      trusted_proxies: "10.0.0.0/8",
      authorized_ips: ["203.0.113.9"],
      webhook_disable_auth: true,
      api_acl: { users: { "*": ["203.0.113.9"] } },
    });
    const hook = async (client: string) =>
      (await door.send("POST", "/hook/x", { from: "10.0.0.5", headers: { "X-Forwarded-For": client }, body: {} }))
        .status;
    assert.deepEqual([await hook("203.0.113.9"), await hook("198.51.100.7")], [200, 403]);
    assert.equal((door.backend.fired[0]!.data.headers as Record<string, string>)["Remote-Addr"], "203.0.113.9");
    const body = { username: "ann", password: PASSWORD, eauth: "pam" };
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    assert.equal((await door.send("POST", "/login", { from: "10.0.0.5", headers, body })).status, 200);
  });

  test("needs networks that can be read", () => {
    const read = (trusted_proxies: unknown) =>
      gatewaySettings({ rest_cherrypy: { port: 1, disable_ssl: true, trusted_proxies } }, "rest_cherrypy");
    for (const wrong of ["proxy.example", "10.0.0.1/8", "", ["10.0.0.1", "x"]]) {
      assert.throws(() => read(wrong), /^ConfigError: trusted_proxies: ".*" is not an address or a network/);
    }
    assert.equal(read(["10.0.0.0/8", "::1"]).trustedProxies.length, 2);
  });
});

/** The option `ssl` under Salt's names. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError } from "../../../../src/base/errors.ts";
import { readSsl } from "../../../../src/protocol/transport/ssl/read_ssl.ts";
import { tlsNet } from "../../../../src/protocol/transport/open_transport.ts";
import { memoryNet } from "../../../../src/runtime/memory/net.ts";
import type { DialOptions, ListenOptions, Net } from "../../../../src/runtime/net.ts";

const FILES: Record<string, string> = { "/c.pem": "CERT", "/k.pem": "KEY", "/ca.pem": "CA" };
const fs = {
  readText(path: string): string {
    const found = FILES[path];
    if (found === undefined) throw new Error(`${path} is not there`);
    return found;
  },
};
const read = (value: unknown) => readSsl(value, fs);
const OWN = { certfile: "/c.pem", keyfile: "/k.pem" };

describe("readSsl()", () => {
  for (const value of [undefined, null, false]) {
    test(`${value} is no TLS`, () => assert.equal(read(value), undefined));
  }

  test("True verifies the master with the authorities of the runtime", () => {
    const { dial } = read(true)!;
    assert.equal(dial.verify, "name");
    assert.equal(dial.authorities, undefined);
    assert.equal(dial.certificate, undefined);
  });

  for (
    const { value, verify, clients } of [
      { value: { ...OWN, ca_certs: "/ca.pem" }, verify: "name", clients: "required" },
      { value: { ...OWN, ca_certs: "/ca.pem", cert_reqs: "CERT_REQUIRED" }, verify: "name", clients: "required" },
      { value: { ...OWN, ca_certs: "/ca.pem", cert_reqs: "CERT_OPTIONAL" }, verify: "name", clients: "optional" },
      { value: { ...OWN, cert_reqs: "CERT_NONE" }, verify: "nothing", clients: "not asked" },
    ]
  ) {
    test(`${JSON.stringify(value)}: a client checks ${verify}, a server has certificates ${clients}`, () => {
      const { dial, listen } = read(value)!;
      assert.equal(dial.verify, verify);
      assert.equal(listen().clients, clients);
      assert.equal(dial.certificate, "CERT");
      assert.equal(listen().key, "KEY");
    });
  }

  test("one file may hold certificate and key", () => assert.equal(read({ certfile: "/c.pem" })!.dial.key, "CERT"));

  test("ssl_version and ciphers are handed on", () => {
    const { dial } = read({ ssl_version: "PROTOCOL_TLSv1_2", ciphers: "ECDHE+AESGCM" })!;
    assert.equal(dial.minVersion, "TLSv1.2");
    assert.equal(dial.maxVersion, "TLSv1.2");
    assert.equal(dial.ciphers, "ECDHE+AESGCM");
  });

  for (
    const { value, want } of [
      { value: "yes", want: /expected a map of keyfile, certfile/ },
      { value: [], want: /expected a map/ },
      { value: { cert_file: "/c.pem" }, want: /unknown key "cert_file": did you mean "certfile"/ },
      { value: { check_hostname: false }, want: /unknown key "check_hostname": expected one of/ },
      { value: { certfile: "/gone.pem" }, want: /cannot read certfile "\/gone.pem": \/gone.pem is not there/ },
      { value: { ca_certs: 5 }, want: /ca_certs must be text, got 5/ },
      { value: { keyfile: "/k.pem" }, want: /keyfile needs a certfile/ },
      {
        value: { cert_reqs: "required" },
        want: /cert_reqs "required" is not available: expected one of CERT_REQUIRED/,
      },
      { value: { ssl_version: "PROTOCOL_TLSv1" }, want: /ssl_version "PROTOCOL_TLSv1" is not available/ },
      { value: { ssl_version: "constructor" }, want: /is not available/ },
    ]
  ) {
    test(`refuses ${JSON.stringify(value)}`, () =>
      assert.throws(() => read(value), (error) => error instanceof ConfigError && want.test(error.message)));
  }

  for (
    const { value, want } of [
      { value: true, want: /a master needs a certfile/ },
      { value: OWN, want: /a master needs ca_certs.*or cert_reqs: CERT_NONE/ },
    ]
  ) {
    test(`a master cannot do with ${JSON.stringify(value)}`, () =>
      assert.throws(() => read(value)!.listen(), (error) => error instanceof ConfigError && want.test(error.message)));
  }
});

describe("tlsNet()", () => {
  function recorded() {
    const seen: { dial?: DialOptions | undefined; listen?: ListenOptions | undefined } = {};
    const net: Net = {
      ...memoryNet(),
      dial: (_to, options) => (seen.dial = options, Promise.reject(new Error("no"))),
      listen: (_at, _accept, options) => (seen.listen = options, Promise.reject(new Error("no"))),
    };
    return { seen, net: tlsNet(net, read({ ...OWN, ca_certs: "/ca.pem" })!) };
  }

  for (
    const { host, verify } of [
      { host: "salt.example.com", verify: "name" },
      { host: "10.0.0.1", verify: "name" },
      { host: "127.0.0.1.example.com", verify: "name" },
      { host: "127.0.0.1", verify: "certificate" },
      { host: "::1", verify: "certificate" },
      { host: "localhost", verify: "certificate" },
    ]
  ) {
    test(`a master at ${host} has its ${verify} checked`, async () => {
      const { seen, net } = recorded();
      await assert.rejects(net.dial({ kind: "tcp", host, port: 4506 }));
      assert.equal(seen.dial?.tls?.verify, verify);
      assert.equal(seen.dial?.tls?.serverName, host);
    });
  }

  test("local sockets are left as they are", async () => {
    const { seen, net } = recorded();
    await assert.rejects(net.dial({ kind: "unix", path: "/run/x" }));
    await assert.rejects(net.listen({ kind: "unix", path: "/run/x" }, () => {}));
    assert.equal(seen.dial?.tls, undefined);
    assert.equal(seen.listen?.tls, undefined);
  });
});

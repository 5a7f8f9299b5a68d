import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import { readDer } from "../../src/plugins/modules/x509/der.ts";
import { readCertificate, readRequest, readRevocations } from "../../src/plugins/modules/x509/read.ts";
import { type JobContext, SaltInvocationError } from "../../src/model/loader/family.ts";
import { testMinion } from "../support/context.ts";

const FILES: Record<string, string> = JSON.parse(
  fs.readFileSync(new URL("../vectors/x509.json", import.meta.url), "utf8"),
);
const minion = await testMinion();
const context = minion.context as unknown as JobContext;
const derOf = (name: string) =>
  Uint8Array.from(atob(FILES[name]!.replace(/-----[^-]+-----|\s/g, "")), (character) => character.charCodeAt(0));

const READERS = { "leaf.crt": readCertificate, "leaf.csr": readRequest, "ca.crl": readRevocations };

for (const [name, read] of Object.entries(READERS)) {
  test(`${name}: PEM and DER are read alike`, () => {
    assert.deepEqual(read(context, derOf(name)), read(context, FILES[name]));
  });

  test(`${name}: truncated at any length, it is refused with an error`, () => {
    const der = derOf(name);
    for (let length = 0; length < der.length; length++) {
      assert.throws(() => read(context, der.slice(0, length)), SaltInvocationError, `${length} bytes`);
    }
  });

  test(`${name}: with any byte changed, it is read or refused, and nothing else happens`, () => {
    const der = derOf(name);
    for (let at = 0; at < der.length; at++) {
      for (const byte of [0x84, 0xff]) {
        const changed = der.slice();
        changed[at] = byte;
        try {
          read(context, changed);
        } catch (error) {
          assert.ok(error instanceof SaltInvocationError, `byte ${at} as ${byte}: ${error}`);
        }
      }
    }
  });
}

test("readDer() refuses unbounded lengths and endless numbers", () => {
  for (
    const bytes of [[], [0x30], [0x30, 0x80], [0x30, 0x85, 1, 1, 1, 1, 1], [0x1f, 0x01, 0x00], [0x30, 0x03, 0x00]]
  ) {
    assert.throws(() => readDer(Uint8Array.from(bytes)), SyntaxError);
  }
  const long = Uint8Array.from([0x02, 0x83, 0x01, 0x00, 0x00, ...new Uint8Array(0x10000)]);
  assert.throws(() => readDer(long).integer, SyntaxError);
});

test("x509.get_pem_entry keeps the headers of an encrypted key", async () => {
  const entry = await minion.value("x509.get_pem_entry", FILES["enc.key"]);
  assert.equal(new TextDecoder().decode(entry as Uint8Array), FILES["enc.key"]);
});

test("x509: a wrong passphrase opens no key", async () => {
  const { return: text } = await minion.run("x509.get_public_key", [FILES["enc.key"], "wrong"]);
  assert.match(String(text), /^ERROR: /);
});

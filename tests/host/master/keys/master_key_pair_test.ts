/** The signature over the master's public key: made at start, or stored beforehand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../../../src/base/errors.ts";
import { withKeySignature, withStoredSignature } from "../../../../src/host/master/keys/master_key_pair.ts";
import { denoCrypto } from "../../../../src/runtime/deno/crypto.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PAIRS, startCluster } from "../../../support/start_cluster.ts";

const crypto = denoCrypto();
const pairOf = ({ privatePem, publicPem }: { privatePem: string; publicPem: string }) => ({
  key: crypto.loadPrivateKey(privatePem),
  publicPem,
});

test("withStoredSignature() returns the signature of the file, for any requested algorithm", () => {
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto });
  const made = withKeySignature(runtime, pairOf(PAIRS.master), pairOf(PAIRS.other) as never).publicKeySignature!(
    "PKCS1v15-SHA1",
  );
  runtime.fs.mkdir("/pki");
  runtime.fs.write("/pki/master_pubkey_signature", made);
  const identity = withStoredSignature(runtime, pairOf(PAIRS.master), "/pki/master_pubkey_signature");
  assert.equal(identity.publicKeySignature!("PKCS1v15-SHA1"), made.trim());
  assert.throws(
    () => withStoredSignature(runtime, pairOf(PAIRS.master), "/pki/none"),
    (error: Error) => error instanceof ConfigError && /salt-key --gen-signature/.test(error.message),
  );
});

test("a master with master_use_pubkey_signature starts with the file alone, and no signing key", async () => {
  await using cluster = await startCluster({
    minions: [],
    master: { master_sign_pubkey: true, master_use_pubkey_signature: true },
    prepare: ({ fs }, root) => fs.write(`${root}/pki/master_pubkey_signature`, "c2ln\n"),
  });
  assert.equal(cluster.runtime.fs.stat(`${cluster.root}/pki/master_sign.pem`), undefined);
});

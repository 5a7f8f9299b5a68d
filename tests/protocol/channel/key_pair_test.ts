import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadPair } from "../../../src/protocol/channel/key_pair.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { PAIRS } from "../../support/start_cluster.ts";
import { vectors } from "../../support/vectors.ts";

const { crypto } = await currentRuntime();
const { generated_keys } = vectors("files").other_files;
const files = { pkiDir: "/pki", name: "minion", keySize: 2048 };

function host() {
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto });
  runtime.fs.mkdir("/pki", 0o700);
  return runtime;
}

describe("loadPair()", { timeout: 120_000 }, () => {
  test("makes a pair on first use, in Salt's form and modes, and finds it again", { timeout: 120_000 }, async () => {
    const runtime = host();
    const made = await loadPair(runtime, silentLogger, files);
    for (const name of ["minion.pem", "minion.pub"]) {
      const { mode, first_line, ends_with_newline } = generated_keys[name];
      const content = runtime.fs.readText(`/pki/${name}`);
      assert.equal(runtime.fs.stat(`/pki/${name}`)!.mode, Number(mode));
      assert.equal(content.split("\n")[0], first_line);
      assert.equal(content.endsWith("\n"), ends_with_newline);
    }
    const again = await loadPair(runtime, silentLogger, files);
    assert.equal(again.publicPem, made.publicPem);
    assert.equal(made.publicPem, cleanPem(made.publicPem));
  });

  test(
    "writes the public key again from the private one where it is missing or does not match",
    { timeout: 120_000 },
    async () => {
      for (const before of [undefined, "garbage", PAIRS.other.publicPem]) {
        const runtime = host();
        runtime.fs.write("/pki/minion.pem", PAIRS.minion.privatePem, { mode: 0o400 });
        if (before !== undefined) runtime.fs.write("/pki/minion.pub", before);
        const { publicPem } = await loadPair(runtime, silentLogger, files);
        assert.equal(publicPem, cleanPem(PAIRS.minion.publicPem));
        assert.equal(cleanPem(runtime.fs.readText("/pki/minion.pub")), publicPem);
      }
    },
  );

  test("an invalid private key is an error, not a reason for a new one", async () => {
    const runtime = host();
    runtime.fs.write("/pki/minion.pem", "garbage", { mode: 0o400 });
    await assert.rejects(loadPair(runtime, silentLogger, files));
    assert.equal(runtime.fs.readText("/pki/minion.pem"), "garbage");
  });

  test("key_pass encrypts the private half that it makes", { timeout: 120_000 }, async () => {
    const runtime = host();
    const made = await loadPair(runtime, silentLogger, { ...files, passphrase: "s3cret" });
    assert.match(runtime.fs.readText("/pki/minion.pem"), /ENCRYPTED/);
    assert.equal((await loadPair(runtime, silentLogger, { ...files, passphrase: "s3cret" })).publicPem, made.publicPem);
    await assert.rejects(loadPair(runtime, silentLogger, { ...files, passphrase: "wrong" }));
  });
});

/** What x509 makes: byte for byte what real Salt's x509_v2 made of the same arguments, and for real where keys are random. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { SaltInvocationError } from "../../src/model/loader/family.ts";
import { encodeBase64 } from "../../src/language/python/binascii.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { testJob } from "../support/job_context.ts";
import { inTemporary } from "./temporary.ts";

type Json = Record<string, unknown>;

const runtime = await currentRuntime();
const read = (name: string) => JSON.parse(runtime.fs.readText(new URL(`../vectors/${name}`, import.meta.url).pathname));
const FILES: Record<string, string> = read("x509.json");
const { files, policies, cases } = read("x509_create/cases.json") as {
  files: Record<string, string>;
  policies: Json;
  cases: [fun: string, kwargs: Json][];
};
const answers = read("x509_create/answers.json") as ({ return: unknown } | { raised: string })[];
const skip = programPath({ runtime }, "openssl") === undefined ? "there is no openssl" : false;
const MOMENT = Date.UTC(2026, 2, 4, 5, 6, 7);

/** Errors that are crashes of Python's in Salt, or of its library: here they have words of their own. */
const CRASH = /^(?:TypeError: argument|RuntimeError|UnsupportedAlgorithm|ValueError: (?:too many|not enough|excluded))/;
/** Errors whose words are the library's. */
const OWN_WORDS = /Codepoint|No <class/;

function placed(value: unknown, root: string): unknown {
  if (typeof value === "string") return value.replaceAll("{D}", root);
  if (Array.isArray(value)) return value.map((item) => placed(item, root));
  if (!isMap(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), placed(item, root)]));
}

function plain(value: unknown, root: string): unknown {
  if (typeof value === "string") return value.replaceAll(root, "{D}");
  if (value instanceof Uint8Array) return { bytes: encodeBase64(value) };
  if (Array.isArray(value)) return value.map((item) => plain(item, root));
  if (!isMap(value)) return value;
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), plain(item, root)]));
}

/** A job at the moment of the recording, with a directory of certificates and keys. */
async function inDirectory<T>(
  use: (call: (fun: string, kwargs: Json) => Promise<unknown>, root: string) => Promise<T>,
): Promise<T> {
  return await inTemporary(runtime, async (root) => {
    for (const [name, text] of Object.entries({ ...FILES, ...files })) runtime.fs.write(`${root}/${name}`, text);
    const clock = Object.assign(new FakeClock(), { now: () => MOMENT });
    const opts = { x509_signing_policies: placed(policies, root) };
    const { context } = await testJob({ opts, runtime: { clock } });
    return await use((fun, kwargs) => context.call(`x509.${fun}`, [], placed(kwargs, root) as Json), root);
  });
}

function checkError(error: unknown, raised: string): void {
  assert.ok(error instanceof Error);
  const [, kind = "", message] = /^(\w+): ([^]*)$/.exec(raised) ?? [];
  if (CRASH.test(raised)) return;
  if (/Password|Deserialization|SaltInvocation/.test(kind)) assert.ok(error instanceof SaltInvocationError, raised);
  if (!OWN_WORDS.test(raised)) assert.equal(error.message, message);
}

cases.forEach(([fun, kwargs], at) => {
  test(`x509.${fun} ${JSON.stringify(kwargs).slice(0, 300)} (${at})`, { skip }, async () => {
    await inDirectory(async (call, root) => {
      const want = answers[at]!;
      let got: unknown;
      try {
        got = await call(fun, kwargs);
      } catch (error) {
        assert.ok("raised" in want, `${error}`);
        checkError(error, want.raised);
        return;
      }
      if ("raised" in want && CRASH.test(want.raised)) return;
      assert.ok("return" in want, `${(want as { raised: string }).raised}, and not ${JSON.stringify(got)}`);
      assert.deepEqual(plain(got, root), want.return);
    });
  });
});

for (const algo of ["rsa", "ec", "ed25519", "ed448"]) {
  test(
    `x509: a key of the kind ${algo} signs certificates, requests and lists that verify`,
    { skip, timeout: 60_000 },
    async () => {
      await inDirectory(async (call, root) => {
        await call("create_private_key", { algo, path: "{D}/own.key" });
        assert.equal(runtime.fs.stat(`${root}/own.key`)?.mode, 0o600);
        const own = { signing_private_key: "{D}/own.key", CN: "ca", basicConstraints: "CA:TRUE", path: "{D}/own.crt" };
        await call("create_certificate", { ...own, subjectKeyIdentifier: "hash" });
        assert.equal(await call("verify_signature", { certificate: "{D}/own.crt" }), true);
        assert.equal(await call("verify_private_key", { private_key: "{D}/own.key", public_key: "{D}/own.crt" }), true);
        assert.equal(await call("verify_private_key", { private_key: "{D}/own.key", public_key: "{D}/ca.crt" }), false);
        await call("create_csr", { private_key: "{D}/own.key", CN: "asks", path: "{D}/own.csr" });
        const signed = { signing_private_key: "{D}/ca.key", signing_cert: "{D}/ca.crt", csr: "{D}/own.csr", CN: "got" };
        const certificate = await call("create_certificate", signed);
        assert.equal(await call("verify_signature", { certificate, signing_pub_key: "{D}/ca.crt" }), true);
        const crl = await call("create_crl", {
          signing_private_key: "{D}/own.key",
          signing_cert: "{D}/own.crt",
          revoked: [{ serial_number: "0A" }],
        });
        assert.equal(await call("verify_crl", { crl, cert: "{D}/own.crt" }), true);
        assert.equal(await call("verify_crl", { crl, cert: "{D}/ca.crt" }), false);
      });
    },
  );

  test(
    `x509: a key of the kind ${algo} keeps its value through encodings and passphrases`,
    { skip, timeout: 60_000 },
    async () => {
      await inDirectory(async (call) => {
        const made = await call("create_private_key", { algo, passphrase: "first" });
        assert.match(String(made), /BEGIN ENCRYPTED PRIVATE KEY/);
        const plain = await call("encode_private_key", { private_key: made, private_key_passphrase: "first" });
        for (const encoding of ["der", "pkcs12", "pem"]) {
          for (const passphrase of [null, "second"]) {
            const other = await call("encode_private_key", { private_key: plain, encoding, passphrase });
            const back = { private_key: other, private_key_passphrase: passphrase };
            assert.equal(await call("encode_private_key", back), plain, `${encoding} ${passphrase}`);
            if (passphrase === null) continue;
            await assert.rejects(call("encode_private_key", { ...back, private_key_passphrase: "wrong" }));
          }
        }
      });
    },
  );
}

test("x509: PKCS#12 keeps the certificate, its chain and its key", { skip }, async () => {
  await inDirectory(async (call) => {
    const certificate = await call("encode_certificate", { certificate: "{D}/leaf.crt" });
    const [chain, key] = [["{D}/ca.crt"], "{D}/leaf.key"];
    for (const compatible of [false, true]) {
      const bag = await call("encode_certificate", {
        certificate: "{D}/leaf.crt",
        encoding: "pkcs12",
        append_certs: chain,
        private_key: key,
        pkcs12_passphrase: "secret",
        pkcs12_friendlyname: "web",
        pkcs12_encryption_compat: compatible,
      });
      const inside = await call("encode_private_key", { private_key: bag, private_key_passphrase: "secret" });
      assert.equal(inside, await call("encode_private_key", { private_key: key }));
    }
    const open = { certificate: "{D}/leaf.crt", encoding: "pkcs12", append_certs: chain, private_key: key };
    const bag = await call("encode_certificate", open);
    assert.equal(await call("encode_certificate", { certificate: bag }), certificate);
  });
});

test("x509: a minion that asks for a signature names no file and no key of the one that signs", { skip }, async () => {
  await inDirectory(async (call, root) => {
    const ask = (kwargs: Json, policy = "open") =>
      call("sign_remote_certificate", { signing_policy: policy, kwargs }) as Promise<
        { data: unknown; errors: string[] }
      >;
    const own = { public_key: FILES["leaf.pub"], CN: "x", copypath: root, days_valid: 1 };
    const { data, errors } = await ask(own);
    assert.deepEqual(errors, []);
    assert.ok(data instanceof Uint8Array);
    assert.equal(runtime.fs.list(root).some((name) => /^[0-9a-f]{20,}\.crt$/.test(name)), false);
    for (const named of [{ csr: `${root}/leaf.csr` }, { public_key: `${root}/leaf.pub` }]) {
      assert.equal((await ask({ ...own, ...named })).data, null);
    }
    const other = await ask({ ...own, public_key: undefined, private_key: `${root}/leaf.key` });
    assert.equal(other.data, null);
    assert.equal((await ask({ CN: "x", signing_private_key: `${root}/leaf.key` }, "nope")).data, null);
  });
});

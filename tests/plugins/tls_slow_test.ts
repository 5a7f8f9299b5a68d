/** Certificate authorities, one call after the other in one directory, beside what real Salt answered there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testJob } from "../support/job_context.ts";
import { inTemporary } from "./temporary.ts";

type Json = Record<string, unknown>;

const runtime = await currentRuntime();
const read = (name: string) => JSON.parse(runtime.fs.readText(new URL(`../vectors/${name}`, import.meta.url).pathname));
const FILES: Record<string, string> = read("x509.json");
const calls = read("tls/cases.json") as [fun: string, kwargs: Json][];
const answers = read("tls/answers.json") as { return?: unknown; raised?: string }[];
const skip = programPath({ runtime }, "openssl") === undefined ? "there is no openssl" : false;

/** Crashes of Salt's: names that it cannot split, and a list of revoked ones that its two libraries do not share. */
const CRASH = /not enough values to unpack|has no attribute '_crl'/;
/** What keys and moments decide. */
const VARIES = ["fingerprint", "serial_number", "not_before", "not_after", "subjectKeyIdentifier", "error_cert"];

/** An answer without what differs from run to run; how OpenSSL lays out one extension differs by its release. */
function settled(value: unknown, root: string, isOwn: boolean): unknown {
  const text = JSON.stringify(value ?? null, (key, item) => {
    if (key === "subject_alt_names") return [...item].sort();
    if (key === "error_cert" || (isOwn && VARIES.includes(key))) return "…";
    if (typeof item === "bigint") return Number(item);
    if (key === "authorityKeyIdentifier" && typeof item === "string") return item.split("\n").length;
    if (typeof item !== "string") return item;
    return item.replaceAll(root, "{D}").replace(/serial number: [0-9A-F]+/, "serial number: …");
  });
  return JSON.parse(text);
}

test(
  "tls: authorities, requests, certificates and revocations answer as in Salt",
  { skip, timeout: 120_000 },
  async () => {
    await inTemporary(runtime, async (root) => {
      for (const [name, text] of Object.entries(FILES)) runtime.fs.write(`${root}/${name}`, text);
      const opts = { cachedir: `${root}/cache`, "ca.cert_base_path": `${root}/pki` };
      const { context } = await testJob({ opts });
      for (const [at, [fun, kwargs]] of calls.entries()) {
        const label = `${at}: tls.${fun} ${JSON.stringify(kwargs)}`;
        const placed = JSON.parse(JSON.stringify(kwargs).replaceAll("{D}", root)) as Json;
        const want = answers[at]!;
        const isOwn = String(kwargs.cert ?? "").includes("/pki/");
        try {
          const got = await context.call(`tls.${fun}`, [], placed);
          if (CRASH.test(want.raised ?? "")) continue;
          assert.ok(want.raised === undefined, `${label}: ${want.raised}`);
          assert.deepEqual(settled(got, root, isOwn), settled(want.return, root, isOwn), label);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          assert.ok(want.raised !== undefined, `${label}: ${(error as Error).stack}`);
          const { name, message } = error as Error;
          assert.equal(`${name}: ${message}`.replaceAll(root, "{D}"), want.raised, label);
        }
      }
      const validate = (cert: string, crl: string | null) =>
        context.call("tls.validate", [`${root}/${cert}`, "ca", crl === null ? null : `${root}/${crl}`]) as Promise<
          Json
        >;
      await context.call("tls.create_csr", ["ca"], { CN: "good.x" });
      await context.call("tls.create_ca_signed_cert", ["ca", "good.x"]);
      for (const crl of [null, "pki/ca/crl.pem"]) {
        assert.deepEqual(await validate("pki/ca/certs/good.x.crt", crl), { valid: true });
      }
      const revoked = await validate("pki/ca/certs/web.x.crt", null);
      assert.deepEqual([revoked.valid, revoked.error], [false, "certificate revoked"]);
      assert.equal((await validate("pki/ca/certs/web.x.crt", "pki/ca/crl.pem")).valid, false);
      assert.equal((await validate("leaf.crt", null)).valid, false);
      assert.equal(runtime.fs.stat(`${root}/pki/ca/ca_ca_cert.key`)?.mode, 0o600);
      const index = runtime.fs.readText(`${root}/pki/ca/index.txt`);
      assert.match(index, /^V\t\d{12}Z\t\t[0-9A-F]+\tunknown\t\/b'C'=b'US'/);
      assert.match(index, /^R\t\d{12}Z\t\d{12}Z\t[0-9A-F]+\tunknown\t/m);
    });
  },
);

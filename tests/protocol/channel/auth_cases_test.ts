/** The decisions of real Salt's master on each sign-in, from the same key directories and options. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AuthEvent, AuthServer } from "../../../src/protocol/channel/auth_server.ts";
import { hex } from "../../../src/protocol/crypto/hex.ts";
import { Crypticle } from "../../../src/protocol/crypto/crypticle.ts";
import { cleanPem } from "../../../src/protocol/crypto/rsa_key.ts";
import { rsaDecrypt, rsaVerify } from "../../../src/protocol/crypto/rsa.ts";
import { x931Recover } from "../../../src/protocol/crypto/x931.ts";
import { Autosign } from "../../../src/host/master/keys/autosign.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { SessionKeys } from "../../../src/host/master/keys/session_keys.ts";
import { CountedStrangerKeys } from "../../../src/host/master/keys/stranger_keys.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { decode, encode } from "../../../src/protocol/wire/msgpack.ts";
import { bytesOf } from "../../../src/protocol/wire/payload.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { canonical, type Json, unescape, vectors } from "../../support/vectors.ts";

const recorded = vectors("auth_cases");
const { crypto } = await currentRuntime();
const masterKey = crypto.loadPrivateKey(recorded.master_private_pem);
const masterPublic = crypto.loadPublicKey(recorded.master_public_key);
const minionKey = crypto.loadPrivateKey(recorded.minion_private_pem);
const minionPem = cleanPem(recorded.minion_public_key);
const text = (value: Uint8Array) => new TextDecoder().decode(value);

const CALLER = { remote: "tcp://10.0.0.7:51312", open: true };
const CONTENTS: Record<string, string> = { minion: minionPem, other: recorded.other_public_key, empty: "" };
const DIRECTORIES = ["minions", "minions_pre", "minions_rejected", "minions_denied", "minions_autosign"];

/** Replies that differ from Salt's on purpose. */
const DIFFERENT: Record<
  string,
  { ret?: unknown; reply?: unknown; events?: number; pki_after?: Record<string, string> }
> = {
  // Salt fails and sends the minion no reply.
  "unknown enc_algo without token": { reply: { enc: "clear", load: { ret: "bad enc algo" } } },
  // Salt has already accepted the minion when it fails.
  "no nonce v3": { reply: "bad load", events: 0 },
  "no id": { ret: false },
  // Salt leaves an empty key behind.
  "no pub new": { ret: false, pki_after: {} },
  // Salt stores any text.
  "empty public key, new": { ret: false, pki_after: {}, events: 0 },
  "empty public key, auto_accept": { pki_after: {} },
  "garbage public key, auto_accept": { pki_after: {} },
  // Salt fails: the mode that it means to serve was never finished. We serve it as mode 1.
  "auth_mode 2 with token": { events: 1 },
};

describe("auth_cases.json", () => {
  for (const row of recorded.cases) {
    test(row.name, async () => {
      const clock = new FakeClock();
      const fs = memoryFileSystem({ clock });
      const { log, records, text: logged } = captureLog();
      const keys = new KeyDirectories(fs, crypto, "/pki");
      keys.prepare();
      for (const [path, content] of Object.entries(row.pki_before as Record<string, string>)) {
        if (content === "<dir>") fs.mkdir(`/pki/${path}`);
        else fs.write(`/pki/${path}`, CONTENTS[content] ?? content);
      }
      for (const [path, { content, mode }] of Object.entries((row.files ?? {}) as Record<string, Json>)) {
        fs.mkdir(`/${path}`.replace(/\/[^/]+$/, "") || "/");
        fs.write(`/${path}`, content, { mode: Number(mode) });
      }
      const { options } = row;
      const file = (name: string) => options[name] === undefined ? "" : `/${options[name]}`;
      const events: AuthEvent[] = [];
      fs.mkdir("/cache");
      const sessionKeys = new SessionKeys({
        fs,
        crypto,
        clock,
        log,
        cacheDir: "/cache",
        masterPem: recorded.master_public_key,
        lifetimeSeconds: 86400,
      });
      const server = new AuthServer({
        crypto,
        clock,
        random: () => 0.5,
        identity: { key: masterKey, publicPem: cleanPem(recorded.master_public_key) },
        keys,
        strangers: new CountedStrangerKeys({ keys, clock, log, limit: 1000 }),
        sessionKeys,
        masterKey: () => ({
          keyString: recorded.master_aes_key_string,
          crypticle: new Crypticle(crypto, recorded.master_aes_key_string),
        }),
        publishPort: () => recorded.publish_port,
        serial: () => 0,
        minimumVersion: 0,
        openMode: options.open_mode ?? false,
        maxMinions: options.max_minions ?? 0,
        connected: () => new Set(row.connected_ids),
        policy: new Autosign({
          fs,
          clock,
          log,
          pkiDir: "/pki",
          autoAccept: options.auto_accept ?? false,
          autosignFile: file("autosign_file"),
          autorejectFile: file("autoreject_file"),
          autosignTimeout: 120,
          autosignGrainsDir: file("autosign_grains_dir"),
          autosignGrains: [],
          permissivePkiAccess: false,
          grainComparison: "raw",
        }),
        log,
        onEvent: (event) => options.auth_events !== false && events.push(event),
      });

      const request = unescape(row.request) as Record<string, unknown>;
      if (request.pub === "<minion public key>") request.pub = minionPem;
      const bytes = await (await server.answer(request, row.version, CALLER))!;
      const reply = decode(bytes, { mode: "wire" }) as Json;

      // The operator finds the host that sent the key.
      if (events.some(({ act }) => act === "denied")) {
        assert.match(logged(), /authentication denied.* from=10\.0\.0\.7/);
      }
      if (events.some(({ act }) => act === "pend") && row.pki_before[`minions_pre/${request.id}`] === undefined) {
        const pending = records.find(({ message }) => message === "new key pending");
        // A master with the default log_level writes it.
        assert.equal(pending?.level, "warning");
        assert.equal(pending?.fields.from, "10.0.0.7");
      }

      const expected = DIFFERENT[row.name] ?? {};
      const after: Record<string, string> = {};
      for (const directory of DIRECTORIES) {
        for (const id of fs.list(`/pki/${directory}`)) {
          const path = `${directory}/${id}`;
          if (fs.stat(`/pki/${path}`)!.kind === "directory") after[path] = "<dir>";
          else {
            const content = fs.readText(`/pki/${path}`);
            after[path] = Object.entries(CONTENTS).find(([, known]) => cleanPem(known) === content)?.[0] ?? content;
          }
        }
      }
      assert.deepEqual(after, expected.pki_after ?? row.pki_after);

      const wanted = row.events.map(({ tag, data }: Json) => {
        assert.equal(tag, "salt/auth");
        return data.pub === "<minion public key>" ? { ...data, pub: minionPem } : data;
      });
      if (expected.events === undefined) assert.deepEqual(events, wanted);
      else assert.equal(events.length, expected.events);

      if (expected.reply !== undefined) return assert.deepEqual(reply, expected.reply);
      const algorithm = String(request.sig_algo ?? "PKCS1v15-SHA1");
      if (row.signed_fields === undefined && expected.ret === undefined && row.reply.$map === undefined) {
        // Versions 0 and 1, and errors: nothing is signed.
        if (row.decrypted === undefined) return assert.deepEqual(canonical(reply), canonical(unescape(row.reply)));
        assert.deepEqual(Object.keys(reply), Object.keys(row.reply));
        return checkAccepted(reply, String(request.enc_algo ?? "OAEP-SHA1"));
      }
      assert.deepEqual(Object.keys(reply).sort(), ["enc", "load", "sig"]);
      assert.equal(reply.enc, "clear");
      const load = bytesOf(reply.load);
      assert.ok(rsaVerify(crypto, algorithm, masterPublic, load, bytesOf(reply.sig)));
      const fields = decode(load, { mode: "wire" }) as Json;
      if (expected.ret !== undefined) return assert.deepEqual(fields, { ret: expected.ret, nonce: request.nonce });
      if (row.signed_field_names !== undefined) assert.deepEqual(Object.keys(fields), row.signed_field_names);
      for (const [name, value] of Object.entries(row.signed_fields ?? {})) assert.deepEqual(fields[name], value, name);
      if (fields.aes === undefined) {
        assert.deepEqual(load, bytesOf((unescape(row.reply) as Json).load), "bytes of the signed map");
        assert.deepEqual(bytesOf(reply.sig), bytesOf((unescape(row.reply) as Json).sig), "bytes of the signature");
        assert.deepEqual(bytes, encode({ enc: "clear", load: reply.load, sig: reply.sig }, "wire"));
      } else checkAccepted(fields, String(request.enc_algo ?? "OAEP-SHA1"));

      function checkAccepted(fields: Json, encryption: string): void {
        assert.equal(fields.pub_key, cleanPem(recorded.master_public_key));
        const open = (name: string) => text(rsaDecrypt(crypto, encryption, minionKey, bytesOf(fields[name])));
        assert.equal(open("aes"), recorded.master_aes_key_string);
        assert.equal(open("session"), sessionKeys.get("auth-minion", fs.readText("/pki/minions/auth-minion")));
        assert.equal(text(x931Recover(crypto, masterPublic, bytesOf(fields.sig))), recorded.aes_sha256_hex);
        if (row.decrypted?.token !== undefined) assert.equal(open("token"), row.decrypted.token);
      }
    });
  }

  test("the X9.31 proof is over the hex of the key string's hash", () => {
    const digest = crypto.hash("sha256", new TextEncoder().encode(recorded.master_aes_key_string));
    assert.equal(hex(digest), recorded.aes_sha256_hex);
  });
});

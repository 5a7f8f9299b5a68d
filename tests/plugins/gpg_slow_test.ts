/** gpg on key rings of its own: beside answers recorded from real Salt, and what is more. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { cryptOutcome, verifyOutcome } from "../../src/plugins/modules/gpg/words.ts";
import { parseListing } from "../../src/plugins/modules/gpg/listing.ts";
import { states } from "../../src/plugins/states/gpg.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, type TestMinion, testMinion } from "../support/context.ts";
import { noGpg } from "../support/gpg_keys.ts";
import { stateMinion, withEnvironment, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

type Json = Record<string, unknown>;

interface Case {
  fun: string;
  kwargs: Json;
  pillar?: Json;
  server?: { stdout: string; stderr: string; code: number };
  /** What differs from real Salt, on purpose. */
  brine?: Recorded;
}

interface Recorded {
  return?: unknown;
  raised?: string;
}

const runtime = await currentRuntime();
const vector = (name: string) =>
  JSON.parse(runtime.fs.readText(new URL(`../vectors/gpg/${name}.json`, import.meta.url).pathname));
const FILE = vector("cases") as { pillar: Json; files: Record<string, string>; cases: Case[] };
const ALPHA = "B8FAC487190348CDE448ABC7068FE37C542B7E6C";
const SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----";

/** Calls `use` with a directory and an empty ring in it. */
async function withRing(use: (directory: string, home: string) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const home = `${directory}/account/.gnupg`;
    runtime.fs.mkdir(home, 0o700);
    for (const [name, text] of Object.entries(FILE.files)) runtime.fs.write(`${directory}/${name}`, text);
    try {
      await use(directory, home);
    } finally {
      spawnSync("gpgconf", ["--homedir", home, "--kill", "all"]);
    }
  });
}

/** A minion of a user whose home is there. */
async function minionOf(directory: string, pillar: Json, variables: Record<string, string> = {}): Promise<TestMinion> {
  const host = { ...runtime.host, user: () => ({ ...runtime.host.user(), home: `${directory}/account` }) };
  return await testMinion({ runtime: { ...withEnvironment(variables), host }, pillar });
}

const deep = (value: unknown, text: (one: string) => string): unknown => {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((one) => deep(one, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deep(one, text)]));
};

const hidden = (value: unknown, directory: string, home: string) =>
  deep(value, (text) =>
    text.replaceAll(home, "$HOME").replaceAll(directory, "$DIR").replace(
      /-----BEGIN PGP (.*?)-----[^]*?-----END PGP [^\n]*-----\n?/g,
      "<$1>",
    ));

async function answerOf(one: Case, directory: string, home: string): Promise<Recorded> {
  let variables: Record<string, string> = {};
  if (one.server !== undefined) {
    const { stdout, stderr, code } = one.server;
    runtime.fs.write(`${directory}/stdout`, stdout);
    runtime.fs.write(`${directory}/stderr`, stderr);
    const gpg = `cat ${directory}/stdout; cat ${directory}/stderr >&2; exit ${code}`;
    variables = withPrograms(`${directory}/bin`, { gpg });
  }
  const minion = await minionOf(directory, one.pillar ?? FILE.pillar, variables);
  const given = deep(one.kwargs, (text) => text.replaceAll("$HOME", home).replaceAll("$DIR", directory)) as Json;
  const outcome = await minion.run(`gpg.${one.fun}`, [kwargs(given)]);
  return hidden({ return: outcome.return }, directory, home) as Recorded;
}

/** A new key has another fingerprint each time. */
const comparable = (one: Case, answer: unknown) =>
  one.fun === "create_key" ? deep(answer, (text) => text.replace(/^[0-9A-F]{40}$/, "<fingerprint>")) : answer;

describe("gpg", { skip: noGpg }, () => {
  test("answers as real Salt's, one call after the other", { timeout: 120_000 }, async () => {
    const recorded = vector("answers") as Recorded[];
    assert.equal(recorded.length, FILE.cases.length);
    await withRing(async (directory, home) => {
      for (const [at, one] of FILE.cases.entries()) {
        const want = one.brine ?? recorded[at]!;
        const got = await answerOf(one, directory, home);
        const about = `${at} ${one.fun} ${JSON.stringify(one.kwargs).slice(0, 200)}`;
        if (want.raised === undefined) {
          assert.deepEqual(comparable(one, got.return), comparable(one, want.return), about);
        } else assert.ok(String(got.return).includes(want.raised.replace(/^\w+: /, "")), `${about}: ${got.return}`);
      }
      assert.equal(runtime.fs.readText(`${directory}/back`), "hello");
      assert.equal(runtime.fs.stat(`${directory}/back`)!.mode, 0o600);
    });
  });

  test("signatures: detached, of other keys, and of texts that were changed", { timeout: 60_000 }, async () => {
    await withRing(async (directory, home) => {
      const minion = await minionOf(directory, FILE.pillar);
      const ring = { gnupghome: home };
      const call = async (fun: string, args: Json) => await minion.value(`gpg.${fun}`, kwargs({ ...args, ...ring }));
      await call("import_key", { text: FILE.cases[1]!.kwargs.text });
      const signed = String(await call("sign", { text: "pay 10\n", keyid: ALPHA }));
      assert.ok(signed.startsWith(SIGNED));
      const good = await call("verify", { text: signed }) as Json;
      assert.deepEqual([good.res, good.trust_level, good.key_id], [true, "Undefined", ALPHA.slice(-16)]);
      const bad = await call("verify", { text: signed.replace("pay 10", "pay 99") }) as Json;
      assert.deepEqual(bad, { res: false, message: "The signature could not be verified." });
      assert.equal(await call("sign", { text: "x", keyid: "nobody@example.com" }), "");
      const words = ["--homedir", home, "--batch", "-u", ALPHA, "-o", `${directory}/sig`, "--detach-sign"];
      assert.equal(spawnSync("gpg", [...words, `${directory}/plain`]).status, 0);
      const place = { filename: `${directory}/plain`, signature: `${directory}/sig` };
      assert.equal((await call("verify", place) as Json).res, true);
      runtime.fs.write(`${directory}/plain`, "another text\n");
      assert.equal((await call("verify", place) as Json).res, false);
    });
  });

  test("a value is no option, no further line, and a pass phrase in no word or log", { timeout: 60_000 }, async () => {
    await withRing(async (directory, home) => {
      const log = `cat >> ${directory}/input; echo "$*" >> ${directory}/words`;
      const variables = withPrograms(`${directory}/bin`, { gpg: log });
      const minion = await minionOf(directory, FILE.pillar, variables);
      const run = async (fun: string, args: Json) =>
        String((await minion.run(`gpg.${fun}`, [kwargs({ gnupghome: home, ...args })])).return);
      assert.match(await run("export_key", { keyids: "--output=/tmp/x" }), /Cannot use "--output=\/tmp\/x" as a key/);
      assert.match(await run("receive_keys", { keys: ["A", "--yes"] }), /Cannot use "--yes" as a key/);
      assert.match(await run("encrypt", { text: "x", recipients: "-r" }), /Cannot use "-r" as a recipient/);
      assert.match(await run("create_key", { name_real: "A\n%pubring /tmp/x" }), /Name-Real must be one line/);
      assert.match(await run("trust_key", { fingerprint: "A:6\nB", trust_level: "fully" }), /A fingerprint has digits/);
      await run("decrypt", { text: "x", use_passphrase: true });
      await run("create_key", { use_passphrase: true });
      assert.match(runtime.fs.readText(`${directory}/input`), /^open sesame\nx[^]*\nPassphrase: open sesame\n/);
      assert.match(runtime.fs.readText(`${directory}/words`), /--passphrase-fd 0 --decrypt\n/);
      assert.ok(!runtime.fs.readText(`${directory}/words`).includes("sesame"));
      assert.ok(!JSON.stringify(minion.records).includes("sesame"));
    });
  });

  test("large files, and a gpg that does not read what it is given", { timeout: 60_000 }, async () => {
    await withRing(async (directory, home) => {
      const minion = await minionOf(directory, FILE.pillar);
      const run = async (fun: string, args: Json) =>
        (await minion.run(`gpg.${fun}`, [kwargs({ gnupghome: home, ...args })])).return;
      await run("import_key", { text: FILE.cases[1]!.kwargs.text });
      const [large, secret, back] = ["large", "secret", "back"].map((name) => `${directory}/${name}`) as [
        string,
        ...string[],
      ];
      runtime.fs.write(large!, new Uint8Array(17 * 1024 * 1024));
      const refused = await run("encrypt", { filename: large, recipients: "Nobody at all" });
      assert.deepEqual(refused, { res: false, comment: "invalid recipient.\nPlease check the salt-minion log." });
      const args = { filename: large, recipients: ALPHA, always_trust: true, output: secret };
      assert.deepEqual(await run("encrypt", args), {
        res: true,
        comment: `Encrypted data has been written to ${secret}`,
      });
      assert.match(String(await run("decrypt", { filename: secret })), /gpg gives more than 16777216 bytes/);
      assert.equal((await run("decrypt", { filename: secret, output: back }) as Json).res, true);
      assert.equal(runtime.fs.stat(back!)!.size, 17 * 1024 * 1024);
    });
  });

  test("the ring of the user salt is beside the configuration", async () => {
    await withRing(async (directory) => {
      runtime.fs.mkdir(`${directory}/gpgkeys`, 0o700);
      const minion = await testMinion({ opts: { conf_file: `${directory}/minion` } });
      assert.deepEqual(await minion.value("gpg.list_keys", kwargs({ user: "salt" })), []);
      assert.ok(runtime.fs.list(`${directory}/gpgkeys`).includes("pubring.kbx"));
    });
  });

  test("states: trust, keys that do not come, and keys that go", { timeout: 60_000 }, async () => {
    await withRing(async (directory, home) => {
      const minion = await minionOf(directory, FILE.pillar);
      await minion.value("gpg.import_key", kwargs({ text: FILE.cases[7]!.kwargs.text, gnupghome: home }));
      const { state } = await stateMinion({}, { gpg: states });
      const [key] = await minion.value("gpg.list_keys", kwargs({ gnupghome: home })) as Json[];
      const place = { name: String(key!.keyid), gnupghome: home };
      const trusted = { ...place, trust: "marginally" };
      assert.equal((await state("gpg.present", trusted, true)).result, null);
      assert.deepEqual((await state("gpg.present", trusted)).changes, { [place.name]: { trust: "marginally" } });
      const again = await state("gpg.present", trusted);
      assert.deepEqual([again.result, again.changes], [true, {}]);
      assert.match(String(again.comment), /already in correct trust state\n.*already in keychain $/);
      assert.equal((await state("gpg.absent", place, true)).result, null);
      assert.deepEqual((await state("gpg.absent", place)).changes, { [place.name]: { removed: true } });
      assert.equal((await state("gpg.absent", place)).comment, `${place.name} not found in GPG keychain`);
      const lost = await state("gpg.present", { ...place, keyserver: "hkp://127.0.0.1:1" });
      assert.deepEqual([lost.result, lost.changes], [false, {}]);
    });
  });

  const us = runtime.process.uid();
  test("root works on another user's ring as that user", { skip: us === 0 ? false : "not root" }, async () => {
    await withRing(async (directory, home) => {
      const nobody = runtime.process.env("BRINE_TEST_USER") ?? "nobody";
      const uid = Number(spawnSync("id", ["-u", nobody]).stdout.toString());
      runtime.fs.chown(home, uid, uid);
      const minion = await minionOf(directory, {});
      const text = FILE.cases[7]!.kwargs.text;
      const args = { text, gnupghome: home };
      const imported = await minion.value("gpg.import_key", kwargs({ ...args, user: nobody })) as Json;
      assert.equal(imported.res, true);
      for (const name of runtime.fs.list(home)) assert.equal(runtime.fs.stat(`${home}/${name}`)!.uid, uid, name);
      const other = await minion.run("gpg.import_key", [kwargs({ ...args, user: "root" })]);
      assert.match(String(other.return), /belongs to nobody, and not to root/);
      const none = await minion.run("gpg.list_keys", [kwargs({ user: "nobody-of-this-name" })]);
      assert.match(String(none.return), /User nobody-of-this-name does not exist/);
      spawnSync("gpgconf", ["--homedir", home, "--kill", "all"]);
    });
  });
});

test("a listing: escapes, subkeys and keys that are not valid", () => {
  const text = [
    "tru::1:1:0:3:1:5",
    "pub:i:2048:1:AAAAAAAA3FAD9F1E:1767268800:::-:::scESC::::::23::0:",
    "fpr:::::::::0000000000000000000000000000000000000001:",
    "uid:-::::1767268800::X::A\\x3a J\u00fcrgen \\x5cn::::::::::0:",
    "sub:-:2048:1:BBBBBBBB3FAD9F1E:1767268800::::::e::::::23:",
    "fpr:::::::::0000000000000000000000000000000000000002:",
  ].join("\n");
  assert.deepEqual(parseListing(text), [{
    keyid: "AAAAAAAA3FAD9F1E",
    fingerprint: "0000000000000000000000000000000000000001",
    uids: ["A: J\u00fcrgen \\n"],
    created: "2026-01-01",
    keyLength: "2048",
    ownerTrust: "Unknown",
    trust: "Invalid",
  }]);
});

for (
  const [lines, ok, status] of [
    [[["NO_SECKEY", "1"], ["BEGIN_DECRYPTION", ""], ["DECRYPTION_FAILED", ""]], false, "no secret key"],
    [[["INV_RECP", "1 x"], ["FAILURE", "encrypt 53"]], false, "invalid recipient"],
    [[["FAILURE", "encrypt 33587201"]], false, "encrypt: permission denied"],
    [[["FAILURE", "encrypt 53"]], false, "error - encrypt 53"],
    [[["FAILURE", "sign 67108875"]], false, "sign: incorrect passphrase"],
    [[["BEGIN_DECRYPTION", ""], ["DECRYPTION_OKAY", ""], ["GOODSIG", "A B"]], true, "signature good"],
  ] as [[string, string][], boolean, string][]
) {
  test(`gpg ends with: ${status}`, () => assert.deepEqual(cryptOutcome(lines), { ok, status }));
}

test("one bad signature spoils the good ones", () => {
  const good: [string, string][] = [["GOODSIG", "A Some Body"], ["TRUST_FULLY", "0 pgp"]];
  assert.deepEqual(verifyOutcome(good), { username: "Some Body", keyId: "A", trust: "Fully" });
  assert.equal(verifyOutcome([...good, ["BADSIG", "B Other"]]), undefined);
  assert.equal(verifyOutcome([["BADSIG", "B Other"], ...good]), undefined);
});

/** Keys of repositories, and what apt keeps; the expected values are what real Salt gives for the same key and packages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutArmour } from "../../src/plugins/modules/aptpkg/keys.ts";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const without = (...names: string[]) => {
  const missing = names.filter((name) => programPath({ runtime }, name) === undefined);
  return missing.length === 0 ? {} : { skip: `there is no ${missing.join(", ")}` };
};

const ARMOURED = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawFxaxYJKwYBBAHaRw8BAQdA7H3Q58D9Tw/PuUAbjM40W2IZn/p1q9r/RJn4
m8UR2hG0GVRlc3Q6IEtleSA8dEBleGFtcGxlLm9yZz6IkAQTFggAOBYhBBDxJ8/T
lq8ZU1W/GDU05Lp6lSyBBQJrAXFrAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheA
AAoJEDU05Lp6lSyB43gA/27NRKVIRPyfiaTW3VAtG/12BC2FQTiEQf1qMLdsRPBV
AP9AW31R7d1iOiE0Mi3R0vchEcK1R1mmObdzmAUP67DjA7g4BGsBcWsSCisGAQQB
l1UBBQEBB0DjwFPIxYI1eivaaVM3LjVUei70cMM3BF39NUP9Oz++EgMBCAeIeAQY
FggAIBYhBBDxJ8/Tlq8ZU1W/GDU05Lp6lSyBBQJrAXFrAhsMAAoJEDU05Lp6lSyB
v6gBAICvAFSy1SmLn/N75saCb2GmCA6XuHQG51VL8M2zRsR4AP41U9F0Z0jtq7xX
P0wFWUTUjZC7y/KCJQGxg/HfDPPQDQ==
=4iSL
-----END PGP PUBLIC KEY BLOCK-----
`;
const KEYID = "3534E4BA7A952C81";
const SUBKEY = "2CBC59F23F8F488F";
const described = (algorithm: number, capability: string, keyid: string, fingerprint: string) => ({
  algorithm,
  bits: 255,
  capability,
  date_creation: 1795256683,
  date_expiration: null,
  keyid,
  validity: "-",
  fingerprint,
});
const KEY = {
  ...described(22, "scESC", KEYID, "10F127CFD396AF195355BF183534E4BA7A952C81"),
  uid: "Test\\x3a Key <t@example.org>",
  uid_hash: "640390BCA4226BB9A0BB8378351C63473547BDE2",
  subkey: described(18, "e", SUBKEY, "801DF9E472A482289CE13B9B2CBC59F23F8F488F"),
};

test("withoutArmour(): every block, with any headers; anything else unchanged", () => {
  const bare = withoutArmour(new TextEncoder().encode(ARMOURED));
  assert.deepEqual([bare[0], bare.length], [0x98, 406]);
  const headed = ARMOURED.replace("BLOCK-----\n", "BLOCK-----\nVersion: GnuPG v2\nComment: mine\n");
  assert.deepEqual(withoutArmour(new TextEncoder().encode(headed)), bare);
  assert.deepEqual(
    withoutArmour(new TextEncoder().encode(`${ARMOURED}\n${headed}`)),
    new Uint8Array([...bare, ...bare]),
  );
  assert.deepEqual(withoutArmour(bare), bare);
  assert.throws(() => withoutArmour(new TextEncoder().encode("-----BEGIN PGP\nbroken")), /armour that cannot be read/);
});

test("pkg: a key of a repository is added, listed and removed", without("gpg"), async () => {
  await inTemporary(runtime, async (keydir) => {
    const minion = await testMinion();
    const here = { aptkey: false, keydir };
    assert.deepEqual(await minion.value("pkg.get_repo_keys", kwargs(here)), {});
    assert.equal(
      await minion.value("pkg.add_repo_key", kwargs({ ...here, text: ARMOURED, keyfile: "test.gpg" })),
      true,
    );
    assert.equal(runtime.fs.stat(`${keydir}/test.gpg`)!.mode & 0o777, 0o644);
    assert.deepEqual(await minion.value("pkg.get_repo_keys", kwargs(here)), { [KEYID]: KEY });
    // It is there: nothing is asked of the server.
    assert.equal(await minion.value("pkg.add_repo_key", kwargs({ ...here, keyid: KEYID, keyserver: "none" })), true);
    assert.equal(await minion.value("pkg.del_repo_key", kwargs({ ...here, keyid: "00000000" })), false);
    assert.equal(await minion.value("pkg.del_repo_key", kwargs({ ...here, keyid: KEYID.slice(8) })), KEYID.slice(8));
    assert.deepEqual(runtime.fs.list(keydir), []);
  });
});

test("pkg.add_repo_key: from a file, armoured if its name says so", async () => {
  await inTemporary(runtime, async (keydir) => {
    const minion = await testMinion({ opts: { cachedir: `${keydir}/cache`, file_client: "local" } });
    const source = `${keydir}/source`;
    runtime.fs.write(source, ARMOURED);
    const add = (keyfile: string) =>
      minion.value("pkg.add_repo_key", source, kwargs({ aptkey: false, keydir, keyfile }));
    assert.deepEqual([await add("a.gpg"), await add("b.asc")], [true, true]);
    assert.equal(runtime.fs.read(`${keydir}/a.gpg`).length, 406);
    assert.equal(runtime.fs.readText(`${keydir}/b.asc`), ARMOURED);
    await assert.rejects(add("../c.gpg"), /keyfile must be the name of a file/);
    for (
      const [text, want] of [
        ["<!DOCTYPE html>\n<title>Log in</title>", /it begins with "<!DOCTYPE html>.*is no OpenPGP key/],
        ["", /it is empty, and is no OpenPGP key/],
      ] as const
    ) {
      runtime.fs.write(source, text);
      await assert.rejects(add("a.gpg"), want);
      await assert.rejects(add("b.asc"), want);
    }
    assert.equal(runtime.fs.read(`${keydir}/a.gpg`).length, 406);
    assert.equal(runtime.fs.readText(`${keydir}/b.asc`), ARMOURED);
  });
});

test("pkg: keys without a directory, and calls with missing arguments", async () => {
  const minion = await testMinion();
  const nowhere = { aptkey: false, keydir: "/nonexistent" };
  assert.equal(await minion.value("pkg.get_repo_keys", kwargs(nowhere)), false);
  assert.equal(await minion.value("pkg.add_repo_key", kwargs({ ...nowhere, text: ARMOURED })), false);
  assert.equal(await minion.value("pkg.del_repo_key", kwargs({ ...nowhere, keyid: KEYID })), false);
  await inTemporary(runtime, async (keydir) => {
    const here = { aptkey: false, keydir };
    await assert.rejects(minion.value("pkg.add_repo_key", kwargs(here)), /One of path, text, and keyserver/);
    await assert.rejects(
      minion.value("pkg.add_repo_key", kwargs({ ...here, text: "x" })),
      /keyfile must name the file/,
    );
    await assert.rejects(minion.value("pkg.add_repo_key", kwargs({ ...here, keyserver: "x" })), /No keyid/);
    await assert.rejects(minion.value("pkg.del_repo_key", kwargs(here)), /keyid or keyid_ppa/);
  });
});

test("pkg.list_downloaded: the content of apt's cache", without("dpkg-deb", "dpkg"), async () => {
  await inTemporary(runtime, async (root) => {
    const minion = await testMinion();
    const control = (arch: string) =>
      `Package: brine-probe\nVersion: 1.2-3\nArchitecture: ${arch}\nMaintainer: T <t@example.org>\nDescription: probe\n`;
    runtime.fs.mkdir(`${root}/package/DEBIAN`, 0o755);
    runtime.fs.mkdir(`${root}/var/cache/apt/archives`, 0o755);
    for (const arch of ["all", "hurd-i386"]) {
      runtime.fs.write(`${root}/package/DEBIAN/control`, control(arch), { mode: 0o644 });
      const built = ["dpkg-deb", "-b", `${root}/package`, `${root}/var/cache/apt/archives/${arch}.deb`];
      assert.equal(await minion.value("cmd.retcode", built), 0);
    }
    const found = await minion.value("pkg.list_downloaded", kwargs({ root })) as Record<
      string,
      Record<string, Record<string, unknown>>
    >;
    assert.deepEqual(Object.keys(found).sort(), ["brine-probe", "brine-probe:hurd-i386"]);
    const { path, size, creation_date_time, creation_date_time_t } = found["brine-probe"]!["1.2-3"]!;
    assert.equal(path, `${root}/var/cache/apt/archives/all.deb`);
    assert.equal(size, runtime.fs.stat(String(path))!.size);
    assert.equal(Date.parse(`${creation_date_time}Z`), Number(creation_date_time_t) * 1000);
  });
});

test("pkg.add_repo_key: a key server is asked through the proxy of the minion, unless no_proxy names it", async () => {
  await inTemporary(runtime, async (keydir) => {
    const programs = withPrograms(`${keydir}/bin`, { gpg: `echo "$*" >> ${keydir}/log; : > ${keydir}/keys/k.gpg` });
    runtime.fs.mkdir(`${keydir}/keys`, 0o755);
    const opts = { proxy_host: "proxy", proxy_port: 3128, no_proxy: ["near.example"] };
    const { minion } = await stateMinion(programs, {}, { opts });
    const ask = async (keyserver: string) => {
      const here = { aptkey: false, keydir: `${keydir}/keys`, keyfile: "k.gpg", keyid: KEYID, keyserver };
      assert.equal(await minion.value("pkg.add_repo_key", kwargs(here)), true);
      return runtime.fs.readText(`${keydir}/log`).trimEnd().split("\n").at(-1)!;
    };
    assert.match(
      await ask("far.example"),
      / --keyserver-options http-proxy=http:\/\/proxy:3128 --keyserver far\.example /,
    );
    assert.doesNotMatch(await ask("hkp://near.example:80"), /http-proxy/);
  });
});

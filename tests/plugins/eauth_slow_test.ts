/** Backends of external authentication, each against the real thing where there is one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { Slices } from "../../src/base/async/slices.ts";
import { unixCrypt } from "../../src/protocol/crypto/unix_crypt.ts";
import type { EauthContext, EauthIdentity } from "../../src/model/loader/eauth.ts";
import { EAUTH } from "../../src/plugins/eauth/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { captureLog } from "../support/capture_log.ts";
import { LDAP_PASSWORD, noLdap, startLdap, type TestServer } from "../support/servers.ts";

interface Site {
  opts?: Record<string, unknown>;
  section?: Record<string, unknown>;
}

async function contextFor({ opts = {}, section = {} }: Site): Promise<EauthContext> {
  const runtime = await currentRuntime();
  const slices = new Slices((callback) => runtime.later(callback));
  return { runtime, log: captureLog().log, opts, section, slices };
}

/** Who a backend takes somebody for; undefined if it refuses. */
async function who(name: string, site: Site, username: string, password: string): Promise<EauthIdentity | undefined> {
  const { eauth } = await EAUTH[name]!();
  return await eauth.authenticate(await contextFor(site), { username, password });
}

async function knows(name: string, site: Site, username: string, password: string): Promise<boolean> {
  return (await who(name, site, username, password)) !== undefined;
}

async function unavailable(name: string, site: Site): Promise<string> {
  const { eauth } = await EAUTH[name]!();
  const answer = eauth.virtual!(await contextFor(site));
  return answer === true ? "" : answer.unavailable;
}

describe("file", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-eauth-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const section = (text: string, more: Record<string, unknown> = {}) => {
    const filename = path.join(directory, "users");
    writeFileSync(filename, text);
    return { section: { "^filename": filename, ...more } };
  };

  test("plain lines", async () => {
    const site = section("alice:wonder\nbob:b:c\n\nempty:\n");
    assert.equal(await knows("file", site, "alice", "wonder"), true);
    assert.equal(await knows("file", site, "bob", "b"), true);
    for (
      const [user, password] of [
        ["alice", "wonde"],
        ["alice", "wonder2"],
        ["alice", ""],
        ["", ""],
        ["carol", "x"],
        [
          "alice:wonder",
          "wonder",
        ],
        ["alice\n", "wonder"],
        ["nobody", "undefined"],
      ] as const
    ) assert.equal(await knows("file", site, user, password), false, `${user}/${password}`);
  });

  test("digests, and chosen columns", async () => {
    const more = { "^hashtype": "md5", "^field_separator": "|", "^username_field": 2, "^password_field": 3 };
    const { runtime } = await contextFor({});
    for (const kind of ["md5", "sha1", "sha256", "sha512"] as const) {
      const digest = Array.from(runtime.crypto.hash(kind, new TextEncoder().encode("wonder")))
        .map((byte) => byte.toString(16).padStart(2, "0")).join("");
      assert.equal(
        await knows("file", section(`x|alice|${digest}`, { ...more, "^hashtype": kind }), "alice", "wonder"),
        true,
      );
    }
  });

  test("files of htpasswd, except unsupported formats", async () => {
    const lines = {
      sha512:
        "$6$ydXvzWXv/CYBN3Xq$V/cvQmlEw4uE2oLBNosxzt5aqHJ6noFJhaQvhvZeN4bkj.39257S/pgw6pbTUutEyOxDTIcACXU0dLnPdIH3m/",
      apr1: "$apr1$oxzWK7D8$vvlAMTIiej.GJbAj8WDv1/",
      sha: "{SHA}w3QkzGJswDXW5OKZHAJw0FELjfM=",
    };
    for (const [kind, hash] of Object.entries(lines)) {
      const site = section(`alice:${hash}\n`, { "^filetype": "htpasswd" });
      assert.equal(await knows("file", site, "alice", "wonder"), true, kind);
      assert.equal(await knows("file", site, "alice", "wonders"), false, kind);
      assert.equal(await knows("file", site, "alice", hash), false, kind);
    }
    const plain = section("alice:wonder\n", { "^filetype": "htpasswd" });
    await assert.rejects(knows("file", plain, "alice", "wonder"), /has an unknown format/);
  });

  test("a hash is computed in steps, also for an unknown user, and the event loop runs in the meantime", async () => {
    const { crypto } = await currentRuntime();
    const lines = `# users\nann:${unixCrypt(crypto, "sha512", "secret", "saltsalt")}\n`;
    const context = await contextFor(section(lines, { "^filetype": "htpasswd" }));
    const { eauth } = await EAUTH.file!();
    const turns: number[] = [];
    for (const [username, password] of [["ann", "secret"], ["ann", "wrong"], ["nobody", "secret"]] as const) {
      let count = 0;
      const slices = new Slices((callback) => {
        count++;
        context.runtime.later(callback);
      });
      const found = await eauth.authenticate({ ...context, slices }, { username, password });
      assert.equal(found?.name, password === "secret" && username === "ann" ? "ann" : undefined);
      turns.push(count);
    }
    assert.ok(turns[0]! >= 20, `${turns[0]} turns`);
    assert.deepEqual(turns, Array(3).fill(turns[0]));
  });

  test("a hash of too many rounds is refused before it is computed", async () => {
    const site = section(`ann:$6$rounds=900000000$salt$${"x".repeat(86)}\n`, { "^filetype": "htpasswd" });
    await assert.rejects(knows("file", site, "ann", "secret"), /in 900000000 rounds: at most 1000000/);
  });

  test("files of htdigest", async () => {
    const site = section("alice:other:x\nalice:salt:d4c1e5c2a5bd7a1d14f2f7fb8ac45d4b\n", {
      "^filetype": "htdigest",
      "^realm": "salt",
    });
    const { runtime } = await contextFor({});
    const digest = Array.from(runtime.crypto.hash("md5", new TextEncoder().encode("alice:salt:wonder")))
      .map((byte) => byte.toString(16).padStart(2, "0")).join("");
    assert.equal(await knows("file", site, "alice", "wonder"), false);
    writeFileSync(String(site.section["^filename"]), `alice:salt:${digest}\n`);
    assert.equal(await knows("file", site, "alice", "wonder"), true);
    assert.equal(await knows("file", { section: { ...site.section, "^realm": "other" } }, "alice", "wonder"), false);
    await assert.rejects(knows("file", { section: { ...site.section, "^realm": "" } }, "alice", "wonder"), /\^realm/);
  });

  test("says what is wrong with its options", async () => {
    assert.match(await unavailable("file", {}), /\^filename/);
    await assert.rejects(
      knows("file", section("a:b", { "^hashtype": "rot13" }), "a", "b"),
      /"rot13".*expected plaintext/,
    );
    await assert.rejects(knows("file", section("a:b", { "^filetype": "csv" }), "a", "b"), /"csv".*expected text/);
    await assert.rejects(knows("file", section("a:b", { "^username_field": 0 }), "a", "b"), /\^username_field is 0/);
  });
});

describe("sharedsecret and auto", () => {
  test("one password for all", async () => {
    const site = { opts: { sharedsecret: "open-sesame" } };
    assert.deepEqual(await who("sharedsecret", site, "anybody", "open-sesame"), { name: "anybody" });
    for (const password of ["", "open", "open-sesame "]) {
      assert.equal(await knows("sharedsecret", site, "anybody", password), false, password);
    }
    assert.match(await unavailable("sharedsecret", { opts: { sharedsecret: "" } }), /sharedsecret is not set/);
    assert.match(await unavailable("sharedsecret", { opts: {} }), /sharedsecret is not set/);
  });

  test("auto accepts every login", async () => {
    assert.equal(await knows("auto", {}, "anybody", ""), true);
  });
});

/** A web server whose answers a test sets; the forms that it was sent are kept. */
async function web(
  answer: (url: string, form: URLSearchParams) => { status: number; body: string; location?: string },
) {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const form = new URLSearchParams(body);
    asked.push(form);
    const { status, body: text, location } = answer(request.url ?? "", form);
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url, asked, [Symbol.asyncDispose]: close };
}

describe("rest", () => {
  test("a server that accepts a login, and the permissions that it adds to the configuration", async () => {
    await using server = await web((_url, form) =>
      form.get("password") === "wonder"
        ? { status: 200, body: '["test.*", {"web*": ["cmd.run"]}]' }
        : { status: 401, body: "" }
    );
    const section = { "^url": `${server.url}/login`, alice: ["@runner"] };
    const context = await contextFor({ section });
    const { eauth } = await EAUTH.rest!();
    const shown = { username: "alice", password: "wonder" };
    const identity = (await eauth.authenticate(context, shown))!;
    assert.deepEqual(await eauth.permissions!(context, identity, shown), ["@runner", "test.*", {
      "web*": ["cmd.run"],
    }]);
    assert.equal(await eauth.authenticate(context, { username: "alice", password: "x" }), undefined);
    assert.deepEqual([...server.asked[0]!], [["username", "alice"], ["password", "wonder"]]);
    // Of a token there is no password: the configuration alone counts.
    assert.deepEqual(await eauth.permissions!(context, identity, { username: "alice", password: "" }), ["@runner"]);
  });

  test("a success without permissions leaves them to the configuration", async () => {
    await using server = await web(() => ({ status: 200, body: "" }));
    const context = await contextFor({ section: { "^url": server.url } });
    const { eauth } = await EAUTH.rest!();
    const shown = { username: "alice", password: "wonder" };
    const identity = (await eauth.authenticate(context, shown))!;
    assert.equal(await eauth.permissions!(context, identity, shown), undefined);
  });

  test("any other response is a refusal, and redirects are not followed", async () => {
    await using elsewhere = await web(() => ({ status: 200, body: "[]" }));
    await using server = await web((url) =>
      url === "/moved" ? { status: 302, body: "", location: elsewhere.url } : { status: 204, body: "" }
    );
    for (const place of ["/moved", "/empty"]) {
      assert.equal(await knows("rest", { section: { "^url": server.url + place } }, "alice", "wonder"), false, place);
    }
    assert.equal(elsewhere.asked.length, 0);
    await using odd = await web(() => ({ status: 200, body: '{"a": 1}' }));
    await assert.rejects(
      knows("rest", { section: { "^url": odd.url } }, "alice", "wonder"),
      /did not send a list of permissions/,
    );
    assert.match(await unavailable("rest", { section: { "^url": "nowhere" } }), /not an address: nowhere/);
    assert.match(await unavailable("rest", {}), /\^url is not set/);
  });
});

describe("jwt", () => {
  const ISSUER = "https://login.example.com";
  const directory = mkdtempSync(path.join(tmpdir(), "brine-jwt-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  let signing: CryptoKey;
  let jwk: JWK;
  before(async () => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    signing = pair.privateKey as CryptoKey;
    jwk = { ...await exportJWK(pair.publicKey), kid: "one", alg: "ES256" };
  });
  const keys = () => {
    const file = path.join(directory, "jwks.json");
    writeFileSync(file, JSON.stringify({ keys: [jwk] }));
    return { "^issuer": ISSUER, "^audience": "brine", "^jwks_file": file };
  };
  const token = (claims: Record<string, unknown>, key: CryptoKey | Uint8Array = signing, header = {}) =>
    new SignJWT({ iss: ISSUER, aud: "brine", sub: "u1", exp: Math.floor(Date.now() / 1000) + 60, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "one", ...header }).sign(key);

  test("a token logs in the user that it names, with its groups", async () => {
    const site = { section: keys() };
    const full = await token({ preferred_username: "alice", groups: ["ops", "dev"], realm_access: { roles: ["r1"] } });
    assert.deepEqual(await who("jwt", site, "alice", full), { name: "alice", groups: ["ops", "dev"] });
    assert.deepEqual(await who("oidc", site, "", full), { name: "alice", groups: ["ops", "dev"] });
    const own = { section: { ...keys(), "^username_claim": "sub", "^groups_claim": "realm_access.roles" } };
    assert.deepEqual(await who("jwt", own, "u1", full), { name: "u1", groups: ["r1"] });
    assert.deepEqual(await who("jwt", site, "u1", await token({})), { name: "u1", groups: [] });
  });

  test("refuses a token of another user, expired, for another audience, of another issuer, or unsigned", async () => {
    const site = { section: keys() };
    const now = Math.floor(Date.now() / 1000);
    const other = (await generateKeyPair("ES256")).privateKey as CryptoKey;
    const good = await token({ preferred_username: "alice" });
    const bad: Record<string, string> = {
      "another name": good,
      expired: await token({ exp: now - 60 }),
      "without an end": await token({ exp: undefined }),
      "not yet": await token({ nbf: now + 600 }),
      audience: await token({ aud: "other" }),
      issuer: await token({ iss: `${ISSUER}.evil.example` }),
      "foreign key": await token({}, other),
      "shared secret": await token({}, new TextEncoder().encode(JSON.stringify(jwk)), { alg: "HS256" }),
      unsigned: `${btoa('{"alg":"none"}')}.${good.split(".")[1]}.`,
      changed: good.replace(
        /\.[^.]+\./,
        `.${btoa(JSON.stringify({ iss: ISSUER, aud: "brine", sub: "root", exp: now + 60 }))}.`,
      ),
      empty: "",
      text: "not a token",
    };
    for (const [what, shown] of Object.entries(bad)) {
      assert.equal(await knows("jwt", site, "mallory", shown), false, what);
    }
  });

  test("keys are fetched from the issuer's address, and again for an unknown key", async () => {
    let served: JWK[] = [jwk];
    const asked: string[] = [];
    await using server = await web((url) => {
      asked.push(url);
      return url === "/.well-known/openid-configuration"
        ? { status: 200, body: JSON.stringify({ issuer: server.url, jwks_uri: `${server.url}/keys` }) }
        : { status: 200, body: JSON.stringify({ keys: served }) };
    });
    const site = { section: { "^issuer": server.url, "^audience": "brine" } };
    assert.equal(await knows("oidc", site, "", await token({ iss: server.url })), true);
    assert.equal(await knows("oidc", site, "", await token({ iss: server.url })), true);
    assert.deepEqual(asked, ["/.well-known/openid-configuration", "/keys"]);
    const next = await generateKeyPair("ES256", { extractable: true });
    served = [{ ...await exportJWK(next.publicKey), kid: "two", alg: "ES256" }];
    // Keys that are not known are asked for again, though not for each token that somebody makes up.
    const later = await token({ iss: server.url }, next.privateKey as CryptoKey, { kid: "two" });
    assert.equal(await knows("oidc", site, "", later), false);
    assert.equal(asked.length, 2);
  });

  test("an issuer and an audience are needed", async () => {
    assert.match(await unavailable("jwt", { section: { "^issuer": ISSUER } }), /\^audience is not set/);
    assert.match(await unavailable("jwt", { section: {} }), /\^issuer is not set/);
  });
});

describe("pam", { timeout: 60_000 }, () => {
  const NAME = "brinepam";
  /** A service of our own: the usual ones take seconds over each refusal. */
  const SERVICE = "/etc/pam.d/brine-test";
  const site = { opts: { "auth.pam.service": "brine-test" } };
  const skip = process.platform !== "linux" || process.getuid?.() !== 0
    ? "accounts can be made by root on Linux only"
    : undefined;
  const run = (command: string, words: string[], input = "") => execFileSync(command, words, { input, stdio: "pipe" });
  before(() => {
    if (skip !== undefined) return;
    try {
      run("userdel", [NAME]);
    } catch {
      // It was not there.
    }
    run("useradd", ["-M", "-G", "daemon", "-s", "/bin/sh", NAME]);
    run("chpasswd", [], `${NAME}:wonder land\n`);
    writeFileSync(SERVICE, "auth required pam_unix.so nodelay\naccount required pam_unix.so\n");
  });
  after(() => {
    if (skip !== undefined) return;
    run("userdel", [NAME]);
    rmSync(SERVICE);
  });

  test(
    "an account of this host, with its groups; a wrong password, root, or no name are refused",
    { skip },
    async () => {
      const identity = (await who("pam", site, NAME, "wonder land"))!;
      assert.equal(identity.name, NAME);
      assert.ok(identity.groups!.includes("daemon"), String(identity.groups));
      for (const password of ["wonder", "", "wonder land\n"]) {
        assert.equal(await knows("pam", site, NAME, password), false);
      }
      for (const name of ["root", "", "-x", "a b", `${NAME}\0`, "$(id)", "nobody-here"]) {
        assert.equal(await knows("pam", site, name, "wonder land"), false, name);
      }
    },
  );

  test("accepts the right password only, by each way to ask PAM", { skip }, async () => {
    const { runtime, ...rest } = await contextFor(site);
    const { eauth } = await EAUTH.pam!();
    for (const missing of [[], ["pamtester"], ["pamtester", "python3"]]) {
      const stat: typeof runtime.fs.stat = (name, options) =>
        missing.some((program) => name.endsWith(`/${program}`)) ? undefined : runtime.fs.stat(name, options);
      const context = { ...rest, runtime: { ...runtime, fs: { ...runtime.fs, stat } } };
      const answers = ["wonder land", "wonder"].map((password) =>
        eauth.authenticate(context, { username: NAME, password })
      );
      assert.deepEqual(
        (await Promise.all(answers)).map((identity) => identity?.name),
        [NAME, undefined],
        String(missing),
      );
    }
  });

  test("a locked or expired account is refused", { skip }, async () => {
    run("chage", ["-E", "1", NAME]);
    assert.equal(await knows("pam", site, NAME, "wonder land"), false);
    run("chage", ["-E", "-1", NAME]);
    assert.equal(await knows("pam", site, NAME, "wonder land"), true);
    run("usermod", ["-L", NAME]);
    assert.equal(await knows("pam", site, NAME, "wonder land"), false);
    run("usermod", ["-U", NAME]);
  });
});

const PEOPLE = `dn: dc=example,dc=com
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=People,dc=example,dc=com
objectClass: organizationalUnit
ou: People

dn: ou=Groups,dc=example,dc=com
objectClass: organizationalUnit
ou: Groups

dn: ou=Hosts,dc=example,dc=com
objectClass: organizationalUnit
ou: Hosts

dn: uid=alice,ou=People,dc=example,dc=com
objectClass: inetOrgPerson
uid: alice
cn: Alice
sn: Liddell
userPassword: wonder

dn: uid=bob,ou=People,dc=example,dc=com
objectClass: inetOrgPerson
uid: bob
cn: Bob
sn: B
userPassword: builder

dn: cn=ops,ou=Groups,dc=example,dc=com
objectClass: posixGroup
cn: ops
gidNumber: 5000
memberUid: alice

dn: cn=dev,ou=Groups,dc=example,dc=com
objectClass: posixGroup
cn: dev
gidNumber: 5001
memberUid: alice
memberUid: bob
`;

describe("ldap", { timeout: 60_000, skip: noLdap() }, () => {
  let server: TestServer;
  before(async () => {
    if (noLdap() === undefined) server = await startLdap(PEOPLE);
  });
  after(async () => await server?.[Symbol.asyncDispose]());
  const options = (more: Record<string, unknown> = {}) => ({
    opts: {
      "auth.ldap.server": "127.0.0.1",
      "auth.ldap.port": server.port,
      "auth.ldap.basedn": "dc=example,dc=com",
      ...more,
    },
  });
  const direct = { "auth.ldap.binddn": "uid={{ username }},ou=People,dc=example,dc=com" };
  const searched = {
    "auth.ldap.binddn": "cn=admin,dc=example,dc=com",
    "auth.ldap.bindpw": LDAP_PASSWORD,
    "auth.ldap.filter": "uid={{ username }}",
  };

  test("a user who can bind is authenticated, with groups", async () => {
    for (const how of [direct, searched]) {
      const alice = (await who("ldap", options(how), "alice", "wonder"))!;
      assert.deepEqual([alice.name, [...alice.groups!].sort()], ["alice", ["dev", "ops"]]);
      assert.deepEqual((await who("ldap", options(how), "bob", "builder"))!.groups, ["dev"]);
    }
  });

  test("refuses empty passwords, and names with the syntax of names and filters", async () => {
    for (const how of [direct, searched]) {
      for (
        const [user, password] of [
          ["alice", "builder"],
          ["alice", ""],
          ["", "wonder"],
          ["carol", "wonder"],
          ["*", "wonder"],
          ["alice)(uid=*", "wonder"],
          ["al*", "wonder"],
          ["alice,ou=People", "wonder"],
        ] as const
      ) assert.equal(await knows("ldap", options(how), user, password), false, `${user}/${password}`);
    }
  });

  test("a directory that cannot be reached or used is an error", async () => {
    await assert.rejects(knows("ldap", options({ ...direct, "auth.ldap.port": 1 }), "alice", "wonder"));
    const wrong = { ...searched, "auth.ldap.bindpw": "wrong" };
    await assert.rejects(knows("ldap", options(wrong), "alice", "wonder"));
    await assert.rejects(knows("ldap", options({}), "alice", "wonder"), /auth\.ldap\.filter is not set/);
    const both = { ...direct, "auth.ldap.tls": true, "auth.ldap.starttls": true };
    await assert.rejects(knows("ldap", options(both), "alice", "wonder"), /exclude each other/);
  });

  test("an entry that is not a directory expression stays unchanged", async () => {
    const { eauth } = await EAUTH.ldap!();
    const permissions = ["test.*", { "web*": ["cmd.run"] }];
    assert.deepEqual(await eauth.expand!(await contextFor(options(searched)), permissions), permissions);
    const nobody = [{ "ldap(ou=Hosts,dc=example,dc=com)": ["cmd.run"] }];
    assert.deepEqual(await eauth.expand!(await contextFor(options(searched)), nobody), []);
  });
});

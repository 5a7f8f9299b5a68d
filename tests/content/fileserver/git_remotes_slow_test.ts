/** gitfs and git_pillar over https, http and ssh: who is let in, and what of it can be seen. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import type { FileServer } from "../../../src/content/fileserver/server.ts";
import { lookup } from "../../../src/language/python/values.ts";
import { Authority } from "../../support/certificates.ts";
import { pillarBed } from "../../support/pillar.ts";
import { makeKey, noSshd, serveHttp, serveSsh, type SshGit } from "./git_servers.ts";
import { GitBed, skip as noGit } from "./gitfs_bed.ts";

const skip = noGit !== false
  ? noGit
  : "Bun" in globalThis || "Deno" in globalThis
  ? "the servers of the test are driven by Node alone"
  : false;
const TIMEOUT = { timeout: 120_000 };
const ACCOUNT = { user: "ann", password: "s3cret-word" };

async function content(server: FileServer, file: string): Promise<string | undefined> {
  const { data, dest } = await server.serveFile({ path: file, saltenv: "base", loc: 0 });
  return dest === "" ? undefined : new TextDecoder().decode(data as Uint8Array);
}

/** What is served of a remote with these options, and why not. */
async function fetched(bed: GitBed, url: string, opts: Record<string, unknown> = {}) {
  const { server, captured } = await bed.server({ gitfs_remotes: [url], ...opts });
  await server.update();
  return { got: await content(server, "a"), log: captured.text(), server };
}

/** All that was written below a directory, as one text. */
function written(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1")).join("\n");
}

/** With variables of the environment of this process, which git gets. */
async function withEnvironment(variables: Record<string, string>, use: () => Promise<void>): Promise<void> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    await use();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

describe("a remote over https", { ...TIMEOUT, skip }, () => {
  test("is served if its certificate is trusted, or if gitfs_ssl_verify is off", TIMEOUT, async () => {
    using bed = new GitBed();
    using authority = new Authority();
    bed.commit("r", "master", { a: "one" });
    await using remote = await serveHttp(bed.root, { certificate: authority.sign("git") });
    const url = `https://127.0.0.1:${remote.port}/r/.git`;
    const { got, log } = await fetched(bed, url);
    assert.equal(got, undefined);
    assert.match(log, /certificate/i);
    assert.equal((await fetched(bed, url, { gitfs_ssl_verify: false })).got, "one");
    await withEnvironment({ GIT_SSL_CAINFO: authority.file }, async () => {
      assert.equal((await fetched(bed, `${url}/`)).got, "one");
      const named = await fetched(bed, `https://localhost:${remote.port}/r/.git`);
      assert.equal(named.got, "one");
    });
  });

  test(
    "gets user and password, of all remotes, of one, or of the address; they are written nowhere",
    TIMEOUT,
    async () => {
      using bed = new GitBed();
      using authority = new Authority();
      bed.commit("r", "master", { a: "one" });
      const account = `${ACCOUNT.user}:${ACCOUNT.password}`;
      await using remote = await serveHttp(bed.root, { certificate: authority.sign("git"), account });
      const host = `127.0.0.1:${remote.port}/r/.git`;
      const open = { gitfs_ssl_verify: false };
      for (
        const [url, opts] of [
          [`https://${host}`, { ...open, gitfs_user: ACCOUNT.user, gitfs_password: ACCOUNT.password }],
          [`https://${account}@${host}`, open],
          [{ [`https://${host}`]: [{ user: ACCOUNT.user }, { password: ACCOUNT.password }] }, open],
        ] as const
      ) {
        const cachedir = path.join(
          bed.root,
          "cache",
          typeof url === "string" ? url.slice(0, 12).replaceAll("/", "") : "own",
        );
        const { got, log } = await fetched(bed, url as string, { ...opts, cachedir });
        assert.equal(got, "one", log);
        assert.ok(!log.includes(ACCOUNT.password));
      }
      for (const opts of [open, { ...open, gitfs_user: "ann", gitfs_password: "wrong-word" }]) {
        using other = new GitBed();
        const { got, log } = await fetched(other, `https://${host}`, opts);
        assert.equal(got, undefined);
        assert.match(log, /could not read Username|Authentication failed/i);
        assert.ok(!log.includes("wrong-word"));
      }
      assert.ok(!written(path.join(bed.root, "cache")).includes(ACCOUNT.password));
    },
  );

  test("that sends on to another host gives it no password", TIMEOUT, async () => {
    using bed = new GitBed();
    bed.commit("r", "master", { a: "one" });
    await using other = await serveHttp(bed.root, { account: "x:y" });
    await using remote = await serveHttp(bed.root, { redirect: `http://localhost:${other.port}` });
    const { got } = await fetched(bed, `http://127.0.0.1:${remote.port}/r/.git`, {
      gitfs_user: ACCOUNT.user,
      gitfs_password: ACCOUNT.password,
      gitfs_insecure_auth: true,
    });
    assert.equal(got, undefined);
    assert.deepEqual(other.authorizations, []);
  });

  test("without TLS gets a password with insecure_auth alone", TIMEOUT, async () => {
    using bed = new GitBed();
    bed.commit("r", "master", { a: "one" });
    await using remote = await serveHttp(bed.root, { account: `${ACCOUNT.user}:${ACCOUNT.password}` });
    const url = `http://127.0.0.1:${remote.port}/r/.git`;
    const opts = { gitfs_user: ACCOUNT.user, gitfs_password: ACCOUNT.password };
    await assert.rejects(fetched(bed, url, opts), /insecure_auth/);
    assert.deepEqual(remote.authorizations, []);
    assert.equal((await fetched(bed, url, { ...opts, gitfs_insecure_auth: true })).got, "one");
  });

  test("is a pillar, too", TIMEOUT, async () => {
    using bed = new GitBed();
    using authority = new Authority();
    bed.commit("p", "master", { "top.sls": "base: {'*': [x]}\n", "x.sls": "from: git\n" });
    const account = `${ACCOUNT.user}:${ACCOUNT.password}`;
    await using remote = await serveHttp(bed.root, { certificate: authority.sign("git"), account });
    const url = `master https://127.0.0.1:${remote.port}/p/.git`;
    const options = [{ user: ACCOUNT.user }, { password: ACCOUNT.password }, { ssl_verify: false }];
    using pillar = await pillarBed({ files: {}, opts: { ext_pillar: [{ git: [{ [url]: options }] }] } });
    const compiled = await pillar.compile();
    assert.equal(lookup(compiled, "from"), "git", JSON.stringify(pillar.records.at(-1)));
    assert.ok(!written(path.join(pillar.root, "cache")).includes(ACCOUNT.password));
  });
});

describe("a remote over ssh", { ...TIMEOUT, skip: skip === false ? noSshd : skip }, () => {
  const user = process.env.USER ?? "root";

  /** Uses ssh with known hosts of its own: it looks for its user's in the list of users, and not in the environment. */
  async function knowing(bed: GitBed, lines: readonly string[], use: () => Promise<void>): Promise<void> {
    const bin = path.join(bed.root, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(bed.root, "known_hosts"), `${lines.join("\n")}\n`);
    const hosts = `-o UserKnownHostsFile=${path.join(bed.root, "known_hosts")} -o GlobalKnownHostsFile=/dev/null`;
    writeFileSync(path.join(bin, "ssh"), `#!/bin/sh\nexec /usr/bin/ssh -F /dev/null ${hosts} "$@"\n`);
    chmodSync(path.join(bin, "ssh"), 0o755);
    await withEnvironment({ PATH: `${bin}:${process.env.PATH}`, SSH_AUTH_SOCK: "" }, use);
  }

  const urlOf = (bed: GitBed, { port }: SshGit) => `ssh://${user}@127.0.0.1:${port}${bed.root}/r/.git`;

  test("is served to whoever has its key, with a pass phrase or without", TIMEOUT, async () => {
    using bed = new GitBed();
    bed.commit("r", "master", { a: "one" });
    const [plain, locked, other] = ["plain", "locked", "other"].map((name) => path.join(bed.root, name)) as [
      string,
      string,
      string,
    ];
    const keys = [makeKey(plain), makeKey(locked, "open it's me")];
    makeKey(other);
    await using remote = await serveSsh(path.join(bed.root, "sshd"), keys);
    const url = urlOf(bed, remote);
    await knowing(bed, [remote.hostKey], async () => {
      for (
        const [opts, wants] of [
          [{ gitfs_privkey: other }, /Permission denied/],
          [{ gitfs_privkey: locked }, /Permission denied/],
          [{ gitfs_privkey: locked, gitfs_passphrase: "wrong-word" }, /Permission denied/],
          [{ gitfs_privkey: path.join(bed.root, "nowhere") }, /Permission denied|No such file/],
          [{ gitfs_privkey: plain }, "one"],
          [{ gitfs_privkey: locked, gitfs_passphrase: "open it's me" }, "one"],
        ] as const
      ) {
        const cachedir = path.join(bed.root, `cache-${JSON.stringify(opts).length}-${String(wants).length}`);
        const { got, log } = await fetched(bed, url, { ...opts, cachedir });
        assert.equal(got, typeof wants === "string" ? wants : undefined, log);
        if (typeof wants !== "string") assert.match(log, wants);
        assert.ok(!/wrong-word|open it/.test(log + written(cachedir)));
      }
    });
  });

  for (
    const { name, change } of [
      { name: "is not known", change: () => [] },
      { name: "is not the one that is known", change: (line: string, own: string) => [line.split(" ")[0] + " " + own] },
    ]
  ) {
    test(`whose host key ${name} is not served`, TIMEOUT, async () => {
      using bed = new GitBed();
      bed.commit("r", "master", { a: "one" });
      const key = path.join(bed.root, "key");
      const own = makeKey(key);
      await using remote = await serveSsh(path.join(bed.root, "sshd"), [own]);
      await knowing(bed, change(remote.hostKey, own), async () => {
        const { got, log } = await fetched(bed, urlOf(bed, remote), { gitfs_privkey: key });
        assert.equal(got, undefined);
        assert.match(log, /Host key verification failed/);
      });
    });
  }
});

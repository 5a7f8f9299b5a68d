/** Files from git repositories. What is expected was seen of real Salt 3006 with GitPython. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { signIn } from "../../../src/content/git/command.ts";
import { gitRemotes } from "../../../src/content/git/remote.ts";
import type { FileServer } from "../../../src/content/fileserver/server.ts";
import { parseGitUrl } from "../../../src/content/git/url.ts";
import { GitBed, skip } from "./gitfs_bed.ts";

const decoder = new TextDecoder();
async function content(server: FileServer, file: string, saltenv = "base"): Promise<string | undefined> {
  const { data, dest } = await server.serveFile({ path: file, saltenv, loc: 0 });
  return dest === "" ? undefined : decoder.decode(data as Uint8Array);
}

describe("gitfs", { skip, timeout: 120_000 }, () => {
  test("branches and tags are environments, the base branch is base", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": "one\n" });
    bed.git("a", "tag", "v1");
    bed.commit("a", "master", { "top.sls": "two\n" });
    const sha = bed.commit("a", "dev/new", { "top.sls": "three\n", "sub/x.txt": "x" });
    const { server } = await bed.server({ gitfs_remotes: [bed.url("a")] });
    assert.deepEqual(server.environments(), []);
    assert.deepEqual((await server.update()).map(({ changed, backend }) => [changed, backend]), [[true, "gitfs"]]);
    assert.deepEqual(server.environments(), ["base", "dev/new", "v1"]);
    for (
      const [saltenv, want] of [
        ["base", "two\n"],
        ["v1", "one\n"],
        ["dev/new", "three\n"],
        [sha, "three\n"],
        [sha.slice(0, 8), "three\n"],
        ["master", undefined],
        ["none", undefined],
        ["0123456789012345678901234567890123456789", undefined],
        ["--output=/tmp/x", undefined],
      ] as const
    ) assert.equal(await content(server, "top.sls", saltenv), want, saltenv);
    assert.deepEqual(await server.list({ saltenv: "dev/new" }, "files"), ["sub/x.txt", "top.sls"]);
    assert.deepEqual(await server.list({ saltenv: "dev/new" }, "dirs"), ["sub"]);
    assert.deepEqual(await server.list({ saltenv: "dev/new" }, "empty_dirs"), []);
  });

  test("a new commit is served after an update, and its event says so", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { a: "1" });
    const { server, events } = await bed.server({ gitfs_remotes: [bed.url("a")], fileserver_events: true });
    await server.update();
    await server.update();
    bed.commit("a", "master", { a: "22" });
    assert.equal(await content(server, "a"), "1");
    await server.update();
    assert.equal(await content(server, "a"), "22");
    const tag = "salt/fileserver/gitfs/update";
    assert.deepEqual(events, [true, false, true].map((changed) => ({ tag, changed, backend: "gitfs" })));
    bed.git("a", "branch", "gone");
    await server.update();
    assert.deepEqual(server.environments(), ["base", "gone"]);
    bed.git("a", "branch", "-D", "gone");
    await server.update();
    assert.deepEqual(server.environments(), ["base"]);
  });

  test("hash, size and mode are those of the file", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { run: "#!/bin/sh\n", big: "x".repeat(600_000) });
    bed.git("a", "update-index", "--chmod=+x", "run");
    bed.git("a", "commit", "-q", "-m", "mode");
    const { server } = await bed.server({ gitfs_remotes: [bed.url("a")] });
    await server.update();
    const { back, rel, stat } = await server.findFile({ path: "run", saltenv: "base" }) as Record<string, unknown>;
    assert.deepEqual([back, rel, (stat as number[])[0], (stat as number[])[6]], ["gitfs", "run", 0o100755, 10]);
    const hsum = createHash("sha256").update("#!/bin/sh\n").digest("hex");
    assert.deepEqual(await server.hash({ path: "run", saltenv: "base" }), { hash_type: "sha256", hsum });
    const second = await server.serveFile({ path: "big", saltenv: "base", loc: 599_500 });
    assert.equal((second.data as Uint8Array).length, 500);
  });

  test("links are followed at the end of a path, within the repository", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", {
      "d/file": "content",
      "d/near": "->file",
      up: "->d/near",
      out: "->../../../etc/passwd",
      absolute: "->/etc/passwd",
      loop: "->loop",
      dir: "->d",
    });
    const { server } = await bed.server({ gitfs_remotes: [bed.url("a")] });
    await server.update();
    assert.equal(await content(server, "d/near"), "content");
    assert.equal(await content(server, "up"), "content");
    for (const name of ["out", "absolute", "loop", "dir", "dir/file", "d", "../a/d/file", "d/../d/file/../file/x"]) {
      assert.equal(await content(server, name), undefined, name);
    }
    assert.deepEqual(await server.links({ saltenv: "base" }), {
      absolute: "/etc/passwd",
      "d/near": "file",
      dir: "d",
      loop: "loop",
      out: "../../../etc/passwd",
      up: "d/near",
    });
    assert.deepEqual(await server.list({ saltenv: "base" }, "files"), [
      "absolute",
      "d/file",
      "d/near",
      "dir",
      "loop",
      "out",
      "up",
    ]);
  });

  test("root, mountpoint, mapped environments and those for one remote", async () => {
    using bed = new GitBed();
    bed.commit("a", "main", { "salt/x": "a", "other/y": "hidden" });
    bed.commit("a", "qa", { "salt/x": "qa" });
    bed.commit("b", "master", { x: "b", z: "b" });
    const { server } = await bed.server({
      gitfs_remotes: [
        { [bed.url("a")]: [{ base: "main" }, { root: "salt" }, { mountpoint: "salt://m/n" }, { name: "first" }] },
        { [bed.url("b")]: [{ saltenv: [{ prod: [{ ref: "master" }, { mountpoint: "p" }] }] }] },
      ],
      gitfs_saltenv: [{ test: [{ ref: "qa" }] }],
    });
    await server.update();
    assert.deepEqual(server.environments(), ["base", "prod", "test"]);
    assert.deepEqual(await server.list({ saltenv: "base" }, "files"), ["m/n/x", "x", "z"]);
    assert.deepEqual(await server.list({ saltenv: "base" }, "dirs"), ["m/n"]);
    assert.equal(await content(server, "m/n/x"), "a");
    assert.equal(await content(server, "m/n/x", "test"), "qa");
    assert.equal(await content(server, "p/z", "prod"), "b");
    assert.equal(await content(server, "other/y"), undefined);
  });

  test("fallback, all_saltenvs, ref_types, white and black lists", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { x: "master" });
    bed.git("a", "tag", "v1");
    bed.commit("a", "dev", { x: "dev" });
    const of = async (opts: Record<string, unknown>, own: Record<string, unknown>[] = []) => {
      const remote = own.length === 0 ? bed.url("a") : { [bed.url("a")]: own };
      const { server } = await bed.server({ ...opts, gitfs_remotes: [remote] });
      await server.update();
      return server;
    };
    assert.equal(await content(await of({ gitfs_fallback: "dev" }), "x", "nowhere"), "dev");
    assert.equal(await content(await of({}, [{ all_saltenvs: "dev" }]), "x", "base"), "dev");
    assert.deepEqual((await of({ gitfs_ref_types: ["tag"] })).environments(), ["v1"]);
    assert.deepEqual((await of({ gitfs_saltenv_whitelist: ["d*"] })).environments(), ["dev"]);
    assert.deepEqual((await of({ gitfs_saltenv_blacklist: ["d.v", "v1"] })).environments(), ["base"]);
    assert.deepEqual((await of({ gitfs_disable_saltenv_mapping: true })).environments(), ["base"]);
    assert.equal(await content(await of({ gitfs_saltenv_blacklist: ["dev"] }), "x", "dev"), undefined);
  });

  test("submodules are left out, and never fetched", async () => {
    using bed = new GitBed();
    bed.commit("sub", "master", { secret: "s" });
    bed.commit("a", "master", { x: "x" });
    bed.git("a", "submodule", "--quiet", "add", bed.url("sub"), "mod");
    bed.git("a", "commit", "-q", "-m", "sub");
    const { server } = await bed.server({ gitfs_remotes: [bed.url("a")] });
    await server.update();
    assert.deepEqual(await server.list({ saltenv: "base" }, "files"), [".gitmodules", "x"]);
    assert.deepEqual(await server.list({ saltenv: "base" }, "dirs"), []);
  });

  test("a remote with thousands of branches has its environments made anew with each change", async () => {
    using bed = new GitBed();
    const sha = bed.commit("a", "master", { a: "1" });
    const names = Array.from({ length: 3000 }, (_, at) => `x${at}`);
    writeFileSync(
      path.join(bed.root, "a/.git/packed-refs"),
      `# pack-refs with: peeled fully-peeled sorted \n${
        names.map((name) => `${sha} refs/heads/${name}\n`).sort().join("")
      }`,
    );
    const whitelist = ["base", "x*"];
    const { server } = await bed.server({ gitfs_remotes: [bed.url("a")], gitfs_saltenv_whitelist: whitelist });
    await server.update();
    assert.equal(server.environments().length, 3001);
    for (const name of ["x7", "x2999", "base", "x7"]) assert.equal(await content(server, "a", name), "1", name);
    bed.git("a", "branch", "new");
    bed.git("a", "branch", "x-new");
    await server.update();
    assert.equal(server.environments().length, 3002);
    assert.equal(await content(server, "a", "x-new"), "1");
    assert.equal(await content(server, "a", "new"), undefined);
  });

  test("locks: an operator's stays, that of a dead process does not count", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { x: "1" });
    const { server, captured } = await bed.server({ gitfs_remotes: [{ [bed.url("a")]: [{ name: "one" }] }] });
    await server.update();
    assert.deepEqual(server.setLocks("lock").done, [`Set update lock for gitfs remote '${bed.url("a")}'`]);
    assert.deepEqual(server.setLocks("lock", undefined, "https://*"), { done: [], errors: [] });
    bed.commit("a", "master", { x: "2" });
    await server.update();
    assert.equal(await content(server, "x"), "1");
    assert.ok(captured.text().includes("an operator has locked it"));
    assert.deepEqual(server.setLocks("clear").done, [`Removed update lock for gitfs remote '${bed.url("a")}'`]);
    const lock = path.join(bed.root, "cache/gitfs/brine/one/update.lk");
    // This process lives, but it did not begin then: the number was used again.
    writeFileSync(lock, JSON.stringify({ pid: process.pid, began: "1", operator: false }));
    await server.update();
    assert.equal(await content(server, "x"), "2");
    assert.equal(existsSync(lock), false);
    assert.deepEqual(server.clearCache().done, ["The gitfs fileserver cache was successfully cleared"]);
    assert.deepEqual(server.environments(), []);
  });

  test("a remote that has another URL under the same name serves nothing of the former one", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { x: "of a" });
    bed.commit("b", "master", { x: "of b" });
    const serve = (url: string) => bed.server({ gitfs_remotes: [{ [url]: [{ name: "one" }] }] });
    const { server } = await serve(bed.url("a"));
    await server.update();
    assert.equal(await content(server, "x"), "of a");
    const { server: away } = await serve(bed.url("none"));
    await away.update();
    assert.deepEqual(away.environments(), []);
    const { server: moved } = await serve(bed.url("b"));
    assert.deepEqual(moved.environments(), []);
    assert.deepEqual((await moved.update()).map(({ changed }) => changed), [true]);
    assert.equal(await content(moved, "x"), "of b");
  });

  test("a remote that cannot be fetched costs its own files alone, and its password is shown nowhere", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { x: "1" });
    const bad = "https://ann:s3cret@127.0.0.1:1/repo.git";
    const { server, captured } = await bed.server({ gitfs_remotes: [bad, bed.url("a")] });
    assert.deepEqual((await server.update()).map(({ changed }) => changed), [true]);
    assert.equal(await content(server, "x"), "1");
    const said = captured.text();
    assert.match(said, /cannot be fetched/);
    assert.doesNotMatch(said, /s3cret/);
    const kept = readdirSync(path.join(bed.root, "cache"), { recursive: true, encoding: "utf8" })
      .filter((name) => /config$|FETCH_HEAD$/.test(name))
      .map((name) => readFileSync(path.join(bed.root, "cache", name), "utf8"));
    assert.doesNotMatch(kept.join("\n"), /s3cret/);
  });

  test("credentials go to git for their own host alone, and not as arguments", () => {
    const url = parseGitUrl("https://t0ken@git.example.com:8443/x.git");
    assert.deepEqual(url, {
      url: "https://git.example.com:8443/x.git",
      scheme: "https",
      user: "t0ken",
      password: undefined,
    });
    const [remote] = gitRemotes("gitfs", {}, ["https://t0ken@git.example.com:8443/x.git"]);
    assert.equal(remote!.id, "https://…@git.example.com:8443/x.git");
    const { settings, env, secrets } = signIn(remote!.auth, remote!.url, () => "/askpass");
    assert.deepEqual(settings.map(([key]) => key), [
      "credential.helper",
      "credential.https://git.example.com:8443.helper",
    ]);
    assert.doesNotMatch(JSON.stringify(settings), /t0ken/);
    assert.deepEqual([env.BRINE_GIT_USER, env.BRINE_GIT_PASSWORD, secrets.includes("t0ken")], ["t0ken", "", true]);
    const auth = { privateKey: "/k'; touch x", passphrase: "pp", sslVerify: true };
    const ssh = signIn(auth, "ssh://git@h/x", () => "/askpass").env;
    assert.equal(ssh.GIT_SSH_COMMAND, "ssh -o PasswordAuthentication=no -i '/k'\\''; touch x' -o IdentitiesOnly=yes");
    assert.deepEqual([ssh.SSH_ASKPASS, ssh.BRINE_GIT_PASSPHRASE], ["/askpass", "pp"]);
  });

  for (
    const [name, remote, why] of [
      ["a program to start", "ext::sh -c touch% /tmp/x", /it is not a URL/],
      ["another helper", "fd::17", /it has no scheme/],
      ["an option of git", "--upload-pack=touch", /it is not a URL/],
      ["an option of ssh as host", "ssh://-oProxyCommand=x/repo", /it has no host|it is not a URL/],
      ["an option of ssh as user", "-oProxyCommand=x@host:repo", /it is not a URL/],
      ["an unknown scheme", "ftp://host/x", /the scheme ftp is not allowed/],
      ["a password without TLS", "http://a:b@host/x", /without TLS/],
      ["an unknown option", { "https://host/x": [{ colour: "red" }] }, /Unknown option "colour"/],
      ["a name that is a path", { "https://host/x": [{ name: "../x" }] }, /Cannot use the name "..\/x"/],
      [
        "a refspec that is an option",
        { "https://host/x": [{ refspecs: ["--upload-pack=x"] }] },
        /Cannot use the refspec/,
      ],
      ["an unknown kind of refs", { "https://host/x": [{ ref_types: ["tree"] }] }, /Unknown type "tree"/],
    ] as [string, unknown, RegExp][]
  ) {
    test(`refuses ${name}`, async () => {
      using bed = new GitBed();
      await assert.rejects(() => bed.server({ gitfs_remotes: [remote] }), why);
    });
  }

  test("git as the name of the backend is gitfs, behind roots", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { x: "1" });
    const { server } = await bed.server({
      gitfs_remotes: [bed.url("a")],
      fileserver_backend: ["roots", "git"],
      file_roots: {},
    });
    await server.update("git");
    assert.deepEqual(server.backends("-git").map(({ name }) => name), ["roots"]);
    assert.equal(await content(server, "x"), "1");
  });
});

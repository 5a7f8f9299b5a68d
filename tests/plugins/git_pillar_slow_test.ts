/** The external pillar `git`. What is expected was seen of real Salt 3006. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../src/language/python/values.ts";
import { GitBed, skip } from "../content/fileserver/gitfs_bed.ts";
import { pillarBed } from "../support/pillar.ts";

const TOP = "base:\n  '*': [a]\n";

/** Compiles the pillar of a minion from remotes. */
async function compiled(
  bed: GitBed,
  repos: unknown[],
  opts: Record<string, unknown> = {},
  request: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const cachedir = path.join(bed.root, "cache");
  using pillar = await pillarBed({
    files: {},
    opts: { cachedir, git_pillar_update_interval: 0.001, ext_pillar: [{ git: repos }], ...opts },
  });
  return Object.fromEntries(entriesOf(await pillar.compile(request))) as Record<string, unknown>;
}

type RawEntry = [mode: string, name: string, sha: string];

/** Writes an object as it is, as no command of git would make it. */
function rawObject(bed: GitBed, repository: string, type: string, content: Uint8Array | string): string {
  const file = path.join(bed.root, "object");
  writeFileSync(file, content);
  return bed.git(repository, "hash-object", "-w", "--literally", "-t", type, file);
}

/** A commit with a link and a directory of one name: a file below the directory would be written into `victim`. */
function hostileCommit(bed: GitBed, repository: string, victim: string[]): string {
  const tree = (...entries: RawEntry[]) => {
    const rows = entries.map(([mode, name, sha]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, "hex")])
    );
    return rawObject(bed, repository, "tree", Buffer.concat(rows));
  };
  const blob = (text: string) => rawObject(bed, repository, "blob", text);
  const deep = 12;
  const keep = tree(["100644", "keep", blob("")]);
  const there = victim.slice(1).reduceRight((below, name) => tree(["40000", name, below]), keep);
  const link = tree(["120000", "l", blob(`${"../".repeat(deep + 1)}${victim.join("/")}`)]);
  let both = tree(["40000", "c", link], ["120000", "c", blob(`${"../".repeat(deep)}x`)]);
  for (let at = 1; at < deep; at++) both = tree(["40000", "d", both]);
  const evil = tree(["40000", "l", tree(["100644", "evil", blob("evil")])]);
  const root = tree(["40000", "x", keep], ["40000", victim[0]!, there], ["40000", "d", both], ["40000", "x", evil]);
  const who = "t <t@example.com> 1 +0000";
  return rawObject(bed, repository, "commit", `tree ${root}\nauthor ${who}\ncommitter ${who}\n\nx\n`);
}

describe("git_pillar", { skip, timeout: 120_000 }, () => {
  test("a branch is compiled with its own top file, one after the other", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": TOP, "a.sls": "one: {{ grains.id }}\nboth: {a: 1}\n" });
    bed.commit("b", "main", {
      "p/top.sls": "main:\n  '*': [a, deep.b]\n",
      "p/a.sls": "both: {b: 2}\n",
      "p/deep/b.sls": "two: 2\n",
    });
    const repos = [`master ${bed.url("a")}`, { [`main ${bed.url("b")}`]: [{ root: "p" }] }];
    assert.deepEqual(await compiled(bed, repos), {
      one: "web1",
      both: new OrderedMap(Object.entries({ a: 1, b: 2 })),
      two: 2,
    });
  });

  test("env puts a branch into an environment, and others of it can be included", async () => {
    using bed = new GitBed();
    bed.commit("a", "prod", { "top.sls": TOP, "a.sls": "include: [shared]\none: 1\n" });
    bed.commit("b", "prod", { "shared.sls": "shared: yes\n" });
    const repos = ["a", "b"].map((name) => ({ [`prod ${bed.url(name)}`]: [{ env: "base" }] }));
    assert.deepEqual(await compiled(bed, repos), { one: 1, shared: true });
    const alone = await compiled(bed, repos, { git_pillar_includes: false });
    assert.equal(alone.shared, undefined);
    assert.ok(Array.isArray(alone._errors));
  });

  test("__env__ is the branch of the minion's environment", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": TOP, "a.sls": "is: master\n" });
    bed.commit("a", "dev", { "top.sls": "dev:\n  '*': [a]\n", "a.sls": "is: dev\n" });
    const repos = [`__env__ ${bed.url("a")}`];
    assert.deepEqual(await compiled(bed, repos), { is: "master" });
    assert.deepEqual(await compiled(bed, repos, {}, { pillarenv: "dev" }), { is: "dev" });
    assert.deepEqual(await compiled(bed, repos, {}, { pillarenv: "none" }), {});
  });

  test("a mount point is where other remotes find its files", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": TOP, "a.sls": "include: [lib.x]\none: 1\n" });
    bed.commit("b", "master", { "top.sls": "base:\n  '*': [x]\n", "x.sls": "x: 1\n", "d/y.sls": "y: 1\n" });
    const repos = [`master ${bed.url("a")}`, { [`master ${bed.url("b")}`]: [{ mountpoint: "lib" }] }];
    assert.deepEqual(await compiled(bed, repos), { one: 1, x: 1 });
  });

  test("links stay in the repository: one that leads out is not there", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", {
      "top.sls": "base:\n  '*': [near, dir.a, out, up]\n",
      "real/a.sls": "a: 1\n",
      "near.sls": "->real/a.sls",
      dir: "->real",
      "out.sls": "->/etc/hostname",
      "up.sls": "->../../../../../../../../etc/hostname",
      "deep/er/trick": "->../../dir/../../../etc",
    });
    const { a, _errors } = await compiled(bed, [`master ${bed.url("a")}`]);
    assert.equal(a, 1);
    assert.equal((_errors as string[]).length, 2, JSON.stringify(_errors));
    const [checkout] = readdirSync(path.join(bed.root, "cache/git_pillar/brine"))
      .map((name) => path.join(bed.root, "cache/git_pillar/brine", name, "checkouts"));
    assert.equal(existsSync(path.join(checkout!, readdirSync(checkout!)[0]!, "deep/er/trick")), false);
  });

  test("a tree with a name twice is refused: nothing is written where its links lead", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": TOP, "a.sls": "a: 1\n" });
    const victim = path.join(bed.root, "victim");
    mkdirSync(victim);
    bed.git("a", "update-ref", "refs/heads/master", hostileCommit(bed, "a", victim.split("/").slice(1)));
    assert.equal((await compiled(bed, [`master ${bed.url("a")}`])).a, undefined);
    assert.deepEqual(readdirSync(victim), []);
  });

  test("a remote that is not there leaves the others, and a wrong one is an error without its password", async () => {
    using bed = new GitBed();
    bed.commit("a", "master", { "top.sls": TOP, "a.sls": "a: 1\n" });
    assert.deepEqual(
      await compiled(bed, [`master ${bed.url("none")}`, `nobranch ${bed.url("a")}`, `master ${bed.url("a")}`]),
      { a: 1 },
    );
    const { _errors } = await compiled(bed, ["master http://u:s3cret@host/x"]);
    assert.match(String(_errors), /Failed to load ext_pillar git: .*without TLS/);
    assert.doesNotMatch(String(_errors), /s3cret/);
  });
});

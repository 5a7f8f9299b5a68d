import assert from "node:assert/strict";
import { test } from "node:test";
import { rootProblems } from "../../../src/content/fileserver/root_problems.ts";
import { memoryFileSystem } from "../../../src/runtime/memory/fs.ts";
import { FakeClock } from "../../support/fake_clock.ts";

function bed() {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  for (const path of ["/srv/good", "/srv/theirs", "/else", "/srv/dots"]) fs.mkdir(path);
  for (const path of ["/srv/file", "/srv/good/top.sls", "/else/secret", "/srv/dots/.x", "/srv/theirs/top.sls"]) {
    fs.write(path, "");
  }
  fs.symlink("/else", "/srv/good/operators");
  fs.symlink("/else", "/srv/theirs/link");
  fs.symlink("top.sls", "/srv/theirs/inside");
  for (const path of ["", "/link", "/inside"]) fs.chown(`/srv/theirs${path}`, 1000, 1000, { follow: false });
  const process = { uid: () => 0 };
  const runtime = { fs, process } as unknown as Parameters<typeof rootProblems>[0];
  return (opts: Record<string, unknown>, deep = false) =>
    rootProblems(runtime, { fileserver_backend: ["roots"], ...opts }, deep).map(({ option, path, problem }) =>
      `${option} ${path}: ${problem}`
    );
}

for (
  const { root, want } of [
    { root: "/srv/good", want: undefined },
    { root: "/srv/salt", want: undefined },
    { root: "/srv/__env__/x", want: undefined },
    { root: "/srv/none", want: "the directory does not exist" },
    { root: "/srv/none/*", want: "it matches no directory" },
    { root: "/srv/file", want: "it is a file, not a directory" },
    { root: "~/salt", want: "~ is not expanded" },
    { root: "srv/good", want: "it is a relative path, which depends on the daemon's working directory" },
    { root: "/srv/{{ grains.id }}", want: "neither templates nor variables are expanded" },
    { root: "/srv/$HOME", want: "neither templates nor variables are expanded" },
    { root: null, want: "it is not a path" },
  ]
) {
  test(`a root ${root}: ${want ?? "is served"}`, () => {
    for (const option of ["file_roots", "pillar_roots"]) {
      const want_ = want === undefined ? [] : [`${option} ${root}: ${want}`];
      assert.deepEqual(bed()({ [option]: { base: [root] } }), want_);
      assert.deepEqual(bed()({ [option]: new Map([[1, root]]) }), want_);
    }
  });
}

test("links that are not followed are found by a deep look alone, and an operator's are none of them", () => {
  const opts = { file_roots: { base: ["/srv/good", "/srv/theirs"] } };
  assert.deepEqual(bed()(opts), []);
  assert.deepEqual(bed()(opts, true), [
    "file_roots /srv/theirs/link: it is a link of user 1000 that leads out of /srv/theirs, and is not followed",
  ]);
});

test("a root is named of which all is ignored, or that has no backend", () => {
  const opts = { file_roots: { base: ["/srv/dots"] } };
  const ignoring = { ...opts, file_ignore_glob: ["*/.*", ".*"] };
  assert.deepEqual(bed()(ignoring), [
    "file_roots /srv/dots: file_ignore_regex and file_ignore_glob exclude all its files",
  ]);
  assert.deepEqual(bed()({ ...opts, fileserver_backend: ["gitfs"] }), [
    "file_roots /srv/dots: fileserver_backend does not have roots",
  ]);
});

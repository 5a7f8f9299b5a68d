import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type RunnerContext, SaltInvocationError } from "../../src/model/loader/family.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import { runner } from "../../src/plugins/runners/fileserver.ts";
import { serverBed } from "../content/fileserver/bed.ts";

function bench() {
  const bed = serverBed({ file_roots: { base: ["/srv/salt"], dev: ["/srv/dev"] }, fileserver_events: true });
  for (const path of ["a", "d/b"]) bed.put(`/srv/salt/${path}`, path);
  bed.put("/srv/dev/c", "c");
  bed.runtime.fs.mkdir("/srv/salt/none");
  bed.runtime.fs.symlink("a", "/srv/salt/link");
  const context = { files: bed.server } as unknown as RunnerContext;
  return {
    ...bed,
    run: async (fun: string, keyword: Record<string, unknown> = {}) => {
      const { signature, run } = runner.functions[fun]!;
      return await run(context, bindArguments(fun, parseSignature(signature), [], new Map(Object.entries(keyword))));
    },
  };
}

describe("runner fileserver", () => {
  for (
    const { fun, keyword = {}, want } of [
      { fun: "envs", want: ["base", "dev"] },
      { fun: "envs", keyword: { sources: true }, want: ["roots"] },
      { fun: "envs", keyword: { backend: "roots" }, want: ["base", "dev"] },
      { fun: "envs", keyword: { backend: "-roots" }, want: [] },
      { fun: "file_list", want: ["a", "d/b", "link"] },
      { fun: "file_list", keyword: { saltenv: "dev" }, want: ["c"] },
      { fun: "file_list", keyword: { saltenv: "nope" }, want: [] },
      { fun: "dir_list", want: ["d", "none"] },
      { fun: "empty_dir_list", want: ["none"] },
      { fun: "symlink_list", want: { link: "a" } },
      { fun: "update", keyword: { backend: "roots" }, want: true },
      { fun: "clear_cache", want: "No cache was cleared" },
      { fun: "lock", want: "No locks were set" },
      { fun: "clear_lock", keyword: { remote: "x" }, want: "No locks were removed" },
      { fun: "clear_file_list_cache", want: {} },
    ]
  ) {
    test(`${fun} ${JSON.stringify(keyword)}`, async () => {
      const { run } = bench();
      assert.deepEqual(await run(fun, keyword), want);
    });
  }

  test("clear_file_list_cache reports which listings it cleared", async () => {
    const { run } = bench();
    for (const saltenv of ["base", "dev"]) await run("file_list", { saltenv });
    assert.deepEqual(await run("clear_file_list_cache", { saltenv: "dev,other" }), { roots: ["dev"] });
    assert.deepEqual(await run("clear_file_list_cache"), { roots: ["base"] });
  });

  test("sls_list has each SLS file with the comment that it begins with", async () => {
    const files: Record<string, string> = {
      "web.sls": "#!jinja|yaml\n\n# Web servers:\n#   nginx and its sites\n\nnginx:\n  pkg.installed: []\n# not this\n",
      "web/init.sls": "# hidden by web.sls\n",
      "db/init.sls": "{#- The database,\n    with replicas -#}\n{% set a = 1 %}\n",
      "db/users.sls": "x:\n  test.nop\n",
      "empty.sls": "",
      "readme.md": "# no state",
    };
    const served = { list: () => Promise.resolve(Object.keys(files)), backends: () => [] };
    const fetched = {
      read: (url: string) => Promise.resolve(new TextEncoder().encode(files[url.slice("salt://".length)])),
    };
    const { signature, run } = runner.functions.sls_list!;
    const args = bindArguments("sls_list", parseSignature(signature), [], new Map());
    assert.deepEqual(await run({ files: served, fetched } as unknown as RunnerContext, args), {
      "db": "The database, with replicas",
      "db.users": "",
      "empty": "",
      "web": "Web servers: nginx and its sites",
    });
  });

  test("update fires its event", async () => {
    const { run, events } = bench();
    await run("update");
    assert.deepEqual(events.map(({ tag }) => tag), ["salt/fileserver/roots/update"]);
  });

  test("a backend that is not configured is named, with those that are, by every function", async () => {
    const { run } = bench();
    for (const fun of Object.keys(runner.functions)) {
      await assert.rejects(run(fun, { backend: "git" }), (error: unknown) => {
        assert.ok(error instanceof SaltInvocationError, fun);
        assert.match(error.message, /Unknown fileserver backend "git": configured are roots/);
        return true;
      });
    }
  });
});

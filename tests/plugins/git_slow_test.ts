import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { which } from "../../src/plugins/linux/programs.ts";
import { redactedUrl, withCredentials } from "../../src/plugins/modules/git/run.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const skip = which(runtime.fs, "git", runtime.process.env("PATH")) === undefined ? "there is no git" : false;

/** Who commits, and no configuration but that of the repository. */
const ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "C",
  GIT_COMMITTER_EMAIL: "c@example.com",
};

/** A minion whose commands have those variables, and a repository with two commits. */
async function withRepository(
  use: (
    value: (fun: string, ...arg: unknown[]) => Promise<unknown>,
    directory: string,
    minion: Minion,
  ) => Promise<void>,
) {
  await inTemporary(runtime, async (directory) => {
    const env = { ...runtime.process.environment(), ...ENV };
    const minion = await testMinion({ runtime: { process: { ...runtime.process, environment: () => env } } });
    const { value } = minion;
    const repo = `${directory}/r`;
    await value("git.init", repo, kwargs({ opts: "-b main" }));
    runtime.fs.write(`${repo}/a`, "one\n");
    await value("git.add", repo, "a");
    await value("git.commit", repo, "first");
    runtime.fs.write(`${repo}/b`, "two\n");
    await value("git.add", repo, "b");
    await value("git.commit", repo, "second");
    await use(value, directory, minion);
  });
}
type Minion = Awaited<ReturnType<typeof testMinion>>;

describe("git", { skip }, () => {
  test("git.status groups files by kind of change", async () => {
    await withRepository(async (value, directory) => {
      const repo = `${directory}/r`;
      assert.deepEqual(await value("git.status", repo), {});
      runtime.fs.write(`${repo}/a`, "changed\n");
      runtime.fs.write(`${repo}/with blank`, "");
      runtime.fs.remove(`${repo}/b`);
      assert.deepEqual(await value("git.status", repo), {
        modified: ["a"],
        deleted: ["b"],
        untracked: ["with blank"],
      });
    });
  });

  test("branches, tags and revisions are what git has of them", async () => {
    await withRepository(async (value, directory) => {
      const repo = `${directory}/r`;
      const first = await value("git.rev_parse", repo, "HEAD~1");
      assert.match(String(first), /^[0-9a-f]{40}$/);
      assert.equal(await value("git.branch", repo, "dev"), true);
      await value("git.tag", repo, "v1", "HEAD~1");
      assert.deepEqual(await value("git.list_branches", repo), ["dev", "main"]);
      assert.deepEqual(await value("git.list_tags", repo), ["v1"]);
      assert.equal(await value("git.revision", repo, "v1"), first);
      assert.equal(await value("git.merge_base", repo, "main,v1"), first);
      assert.equal(await value("git.merge_base", repo, "v1,main", kwargs({ is_ancestor: true })), true);
      await value("git.checkout", repo, "dev");
      assert.equal(await value("git.current_branch", repo), "dev");
    });
  });

  test("what is pushed can be cloned, and what is new fetched", async () => {
    await withRepository(async (value, directory) => {
      const [repo, bare, copy] = [`${directory}/r`, `${directory}/bare`, `${directory}/copy`];
      await value("git.init", bare, kwargs({ bare: true, opts: "-b main" }));
      assert.deepEqual(await value("git.remote_set", repo, bare), { fetch: bare, push: bare });
      await value("git.push", repo, "origin", "main");
      assert.equal(await value("git.clone", copy, bare), true);
      assert.equal(runtime.fs.readText(`${copy}/b`), "two\n");
      await value("git.branch", repo, "dev");
      await value("git.push", repo, "origin", "dev");
      assert.deepEqual(await value("git.fetch", copy), { "new branches": ["dev"] });
      assert.deepEqual(await value("git.fetch", copy), {});
      const refs = await value("git.ls_remote", repo) as Record<string, string>;
      assert.deepEqual(Object.keys(refs).sort(), ["HEAD", "refs/heads/dev", "refs/heads/main"]);
    });
  });

  test("the configuration of a repository is set, read and unset", async () => {
    await withRepository(async (value, directory, minion) => {
      const cwd = kwargs({ cwd: `${directory}/r` });
      assert.deepEqual(await value("git.config_set", "foo.bar", "one", cwd), ["one"]);
      assert.deepEqual(await value("git.config_set", "foo.multi", kwargs({ multivar: "a,b", cwd: `${directory}/r` })), [
        "a",
        "b",
      ]);
      assert.deepEqual(await value("git.config_get_regexp", "foo.*", cwd), {
        "foo.bar": ["one"],
        "foo.multi": ["a", "b"],
      });
      assert.equal(await value("git.config_unset", "foo.bar", cwd), true);
      assert.equal(await value("git.config_get", "foo.bar", cwd), null);
      const { return: text } = await minion.run("git.config_unset", ["foo.multi", cwd]);
      assert.equal(text, "ERROR: Multiple values exist for key 'foo.multi'");
    });
  });

  test("a work tree is added, listed and removed", async () => {
    await withRepository(async (value, directory) => {
      const [repo, tree] = [`${directory}/r`, `${directory}/hotfix`];
      await value("git.worktree_add", repo, tree);
      assert.equal(await value("git.is_worktree", tree), true);
      assert.equal(await value("git.is_worktree", repo), false);
      const trees = await value("git.list_worktrees", repo) as Record<string, { branch: string }>;
      assert.equal(trees[tree]!.branch, "hotfix");
      assert.equal(await value("git.worktree_rm", tree), true);
      assert.deepEqual(Object.keys(await value("git.list_worktrees", repo, kwargs({ stale: true })) as object), [tree]);
    });
  });

  test("a failure names the command and what git says, the job's code is that of git", async () => {
    await withRepository(async (_value, directory, minion) => {
      const { return: text, retcode } = await minion.run("git.rev_parse", [`${directory}/r`, "nosuch"]);
      assert.match(String(text), /^ERROR: Command 'git rev-parse nosuch' failed: fatal: /);
      assert.notEqual(retcode, 0);
    });
  });

  test("a missing identity is named in the error", async () => {
    await withRepository(async (_value, directory, minion) => {
      const args = [`${directory}/c`, `${directory}/r`, kwargs({ identity: [`${directory}/k1`, `${directory}/k2`] })];
      const { return: text } = await minion.run("git.clone", args);
      assert.equal(
        text,
        "ERROR: Unable to authenticate using identity file:\n\nThe following identity file(s) were not found: " +
          `${directory}/k1, ${directory}/k2`,
      );
    });
  });
});

test("withCredentials() puts them into addresses of https and no others", () => {
  assert.equal(withCredentials("https://x/y", "u", "p"), "https://u:p@x/y");
  assert.equal(withCredentials("https://x/y", "u", null), "https://u@x/y");
  assert.equal(withCredentials("http://x/y", null, null), "http://x/y");
  assert.throws(() => withCredentials("http://x/y", "u", "p"), /Basic Auth only supported for HTTPS/);
});

test("redacted() leaves no password in a text", () => {
  assert.equal(redactedUrl("fetch https://u:p@x/y failed"), "fetch https://<redacted>@x/y failed");
});

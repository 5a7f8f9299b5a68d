import assert from "node:assert/strict";
import { test } from "node:test";
import { Rendering } from "../../../src/model/loader/rendering.ts";
import { compileReactions } from "../../../src/feature/reactor/compile_reactions.ts";
import { memoryFiles } from "../../support/memory_files.ts";
import { testMinion } from "../../support/context.ts";

async function compile(
  files: Record<string, string>,
  references: string[],
  event = { tag: "my/tag", data: { id: "web1" } },
) {
  const { context, functions } = await testMinion({ opts: { renderer: "jinja|yaml" }, grains: { os: "Debian" } });
  const fs = memoryFiles();
  for (const [path, text] of Object.entries(files)) {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")));
    fs.write(path, text);
  }
  const rendering = new Rendering({ ...context, functions, call: () => Promise.resolve(null) });
  const fetched = { "salt://up.sls": "/cache/up.sls" } as Record<string, string>;
  return await compileReactions(
    { fs, rendering, files: { fetch: (path) => Promise.resolve(fetched[path]) } },
    event,
    references,
  );
}

const REACT = `# comment
restart_{{ data.id }}:
  local.service.restart:
    - tgt: {{ data.id }}
    - args: [{name: nginx}]

tell:
  runner.test.arg:
    - order: first
    - arg: [{{ tag }}, {{ grains.os }}, {{ saltenv }}]
`;

test("an SLS is rendered with tag, data and the values of the host; its reactions come in their order", async () => {
  const { reactions, problems } = await compile({ "/srv/a.sls": REACT }, ["/srv/a.sls"]);
  assert.deepEqual(problems, []);
  assert.deepEqual(reactions.map(({ id, sls, line, chunk }) => [id, sls, line, chunk.state, chunk.fun]), [
    ["tell", "/srv/a.sls", 7, "runner", "test.arg"],
    ["restart_web1", "/srv/a.sls", 2, "local", "service.restart"],
  ]);
  assert.deepEqual(reactions[0]!.chunk.arg, ["my/tag", "Debian", "base"]);
});

test("globs, salt:// and several files: a later one goes over an id of an earlier one", async () => {
  const one = (fun: string) => `a:\n  local.${fun}:\n    - tgt: '*'\n`;
  const files = {
    "/srv/r/1.sls": one("test.one"),
    "/srv/r/2.sls": one("test.two"),
    "/srv/r/.hidden.sls": one("test.hidden"),
    "/srv/r/x.txt": "no",
    "/cache/up.sls": "b:\n  local.test.ping:\n    - tgt: '*'\n",
  };
  const { reactions, problems } = await compile(files, [
    "/srv/*/*.sls",
    "salt://up.sls",
    "/srv/none*.sls",
    "salt://no.sls",
  ]);
  assert.deepEqual(reactions.map(({ id, sls, chunk }) => [id, sls, chunk.fun]), [
    ["a", "/srv/r/2.sls", "test.two"],
    ["b", "/cache/up.sls", "test.ping"],
  ]);
  assert.deepEqual(problems, [
    { sls: "/srv/none*.sls", message: "file missing or not found" },
    { sls: "salt://no.sls", message: "file missing or not found" },
  ]);
});

for (
  const { name, source, line, message } of [
    { name: "a template", source: "a:\n  local.test.ping:\n    - tgt: {{ nope.x.y }}\n", line: 3, message: /nope/ },
    { name: "YAML", source: "a:\n  local.test.ping:\n  - tgt: [\n", line: 4, message: /a\.sls/ },
    { name: "text", source: "just text\n", line: undefined, message: /does not render to a map of reactions/ },
    {
      name: "an id without a map",
      source: "ok: {}\nbad: text\n",
      line: 2,
      message: /the reaction bad is not formed as a map/,
    },
  ]
) {
  test(`a file that cannot be read is left out with its place: ${name}`, async () => {
    const good = "good:\n  local.test.ping:\n    - tgt: '*'\n";
    const { reactions, problems } = await compile({ "/s/a.sls": source, "/s/b.sls": good }, ["/s/a.sls", "/s/b.sls"]);
    assert.deepEqual(reactions.map(({ id }) => id), ["good"]);
    assert.equal(problems.length, 1);
    assert.equal(problems[0]!.sls, "/s/a.sls");
    assert.equal(problems[0]!.line, line);
    assert.match(problems[0]!.message, message);
  });
}

test("what is not formed as states are stops all files of the event, as in Salt", async () => {
  const files = {
    "/s/a.sls": "bad:\n  local.test.ping:\n    tgt: '*'\n",
    "/s/b.sls": "good:\n  local.test.ping:\n    - tgt: '*'\n",
  };
  const { reactions, problems } = await compile(files, ["/s/*.sls"]);
  assert.deepEqual(reactions, []);
  assert.match(problems[0]!.message, /State 'bad' in SLS '\/s\/a\.sls' is not formed as a list/);
});

test("an empty file, and one whose template says nothing, react with nothing", async () => {
  const files = { "/s/a.sls": "", "/s/b.sls": "{% if data.id == 'other' %}\nx:\n  local.test.ping: []\n{% endif %}\n" };
  assert.deepEqual(await compile(files, ["/s/*.sls"]), { reactions: [], problems: [] });
});

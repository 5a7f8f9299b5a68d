/** What a tree of states needs that is not here: from files alone, with file and line, the most needed first. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { TreeReport } from "../../../cli/compat/tree_report.ts";
import { brineMain } from "../../../cli/programs/brine.ts";
import { masterMain } from "../../../cli/programs/master.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { runInProcess } from "../../support/program.ts";

const FILES: Record<string, string> = {
  "conf/master": "",
  "states/top.sls": "base:\n  web1.example:\n    - web\n",
  // A file that would fail if it was rendered.
  "states/web/init.sls": `include:
  - common
  - .tls

{% do salt['test.exception']('rendered') %}
nginx:
  pkg.installed: []
  boto_ec2.key_present:
    - name: {{ salt['nowhere.get']('x') | no_such_filter | own_filter if 1 is own_test }}
  file:
    - managed
    - name: /etc/x
    - contents: |
        boto_rds.present:
          - text of a file
`,
  "states/common.sls": `vim: pkg.instaled
{# salt['in_comment.get']() #}
touched:
  file.touch:
    - name: /tmp/x
    - atimee: 5
    - require:
      - boto_vpc.present: no requisite
call:
  module.run:
    - boto_s3.put:
      - a: 1
old call:
  module.run:
    - name: test.pingg
`,
  "states/web/tls.sls": "#!jinja|mako|yaml\ncert:\n  stone.carved:\n    - name: x\n",
  "states/orch/deploy.sls": `up:
  salt.function:
    - name: cmd.rnu
    - tgt: '*'
runner:
  salt.runner:
    - name: cloud.map_run
`,
  "states/_states/stone.py": "def carved(name):\n    return {}\n",
  "states/_modules/own.js": "export const hello = () => 1;\n",
  "states/_modules/other.py":
    "__virtualname__ = 'alias'\n@jinja_filter('own_filter')\ndef f(x):\n    return x\n@jinja_test()\ndef own_test(x):\n    return x\n",
  "states/_grains/rack.py": "def rack():\n    return {}\n",
  "states/_sdb/vaults.py": "def get(key):\n    return key\n",
  "states/own.jinja":
    "{{ salt['own.hello']() }}{{ salt['alias.x']() }}{{ salt.pkg.version('x') }}\n{% if x is oddd %}{% endif %}\n",
  "states/uses_own.sls": '{% from "own.jinja" import x %}\n{% set y = salt["cmd.run"]("x") %}\nx:\n  test.nop: []\n',
  "states/broken.jinja": "\n{% no_such_tag %}\n",
  "states/broken.sls": "a:\n  test.nop: b: c\n",
  "states/foreign.tpl": "{{ .Values.name | quoted_by_helm }}\n",
  "states/config.conf": "{{ name | not_salts }}\n",
  "pillar/data.sls":
    "mine_functions:\n  network.ipaddrr: []\n  nope.fun: []\nbeacons:\n  inotfy: []\nsomething:\n  boto_elb.present: x\n",
  "reactor/start.sls": "highstate:\n  local.state.aply:\n    - tgt: x\nkey:\n  wheel.key.acept:\n    - match: x\n",
};

async function inTree(call: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), "brine-compat-"));
  try {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    const { host } = await currentRuntime();
    writeFileSync(
      path.join(root, "conf/master"),
      JSON.stringify({
        root_dir: root,
        user: host.user().name,
        file_roots: { base: [path.join(root, "states")] },
        pillar_roots: { base: [path.join(root, "pillar")] },
        reactor: [{ "salt/minion/*/start": [path.join(root, "reactor/*.sls")] }],
      }),
    );
    await call(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** status, kind, name and places of every part, without the directory. */
const rows = (report: TreeReport, root: string) =>
  report.parts.map(({ status, kind, name, dependents, places }) =>
    `${status}: ${kind} ${name} (${dependents}) ${places.map(({ file, line }) => `${file}:${line}`).join(" ")}`
      .replaceAll(`${root}/`, "").trim()
  ).sort();

test("salt-master --check-tree lists what is not here with file and line, and renders nothing", async () => {
  await inTree(async (root) => {
    const { stdout, exitCode } = await runInProcess("salt-master", masterMain, [
      "-c",
      path.join(root, "conf"),
      "--check-tree=json",
    ]);
    assert.equal(exitCode, 1);
    assert.deepEqual(rows(JSON.parse(stdout), root), [
      "cannot be read: file states/broken.jinja (1) states/broken.jinja:2",
      "cannot be read: file states/broken.sls (1) states/broken.sls:2",
      "differs: argument atimee of state file.touch (2) states/common.sls:6",
      "needs Python: grain in Python states/_grains/rack.py (0)",
      "needs Python: module in Python states/_modules/other.py (2) states/own.jinja:1",
      "needs Python: renderer mako (2) states/web/tls.sls:1",
      "needs Python: sdb in Python states/_sdb/vaults.py (0)",
      "needs Python: state in Python states/_states/stone.py (2) states/web/tls.sls:3",
      "not here: beacon inotfy (1) pillar/data.sls:5",
      "not here: filter no_such_filter (1) states/web/init.sls:9",
      "not here: function boto_s3.put (2) states/common.sls:11",
      "not here: function cmd.rnu (1) states/orch/deploy.sls:3",
      "not here: function network.ipaddrr (1) pillar/data.sls:2",
      "not here: function nope.fun (1) pillar/data.sls:3",
      "not here: function nowhere.get (1) states/web/init.sls:9",
      "not here: function state.aply (1) reactor/start.sls:2",
      "not here: function test.pingg (2) states/common.sls:15",
      "not here: runner cloud.map_run (1) states/orch/deploy.sls:7",
      "not here: state boto_ec2.key_present (1) states/web/init.sls:8",
      "not here: state pkg.instaled (2) states/common.sls:1",
      "not here: test oddd (2) states/own.jinja:2",
      "not here: wheel function key.acept (1) reactor/start.sls:5",
    ]);
  });
});

test("the text begins with what most files need, and says what was probably meant", async () => {
  await inTree(async (root) => {
    const { stdout } = await runInProcess("salt-master", masterMain, ["-c", path.join(root, "conf"), "--check-tree"]);
    const counts = [...stdout.matchAll(/: (?:(\d+) files? needs? it|no file names it)/g)].map((match) =>
      Number(match[1] ?? 0)
    );
    assert.equal(counts.length, 22);
    assert.deepEqual(counts, counts.toSorted((a, b) => b - a));
    assert.match(
      stdout,
      /NOT HERE {7}state pkg\.instaled: 2 files need it\. Remedy: did you mean pkg\.installed\?\n {4}\S+common\.sls, line 1\n/,
    );
    assert.match(
      stdout,
      /CANNOT BE READ file \S+broken\.sls: 1 file needs it\. Reason: mapping values are not allowed/,
    );
    assert.match(stdout, /\nParts: 14 not here, 5 need Python, 1 differ, 2 cannot be read\n/);
  });
});

test("brine compat looks at directories without a configuration, and at nothing else", async () => {
  await inTree(async (root) => {
    const run = (...words: string[]) => runInProcess("brine", brineMain, ["-c", "/nonexistent", "compat", ...words]);
    const good = await run(path.join(root, "states/_modules"));
    assert.equal(good.exitCode, 0);
    assert.match(good.stdout, /^0 files were read in \S+\. Nothing was rendered\.\n\nParts: 0 not here,/);
    const { stdout, exitCode } = await run("--out=json", path.join(root, "states/orch"));
    assert.equal(exitCode, 1);
    assert.equal(JSON.parse(stdout).parts.length, 2);
    // A directory of pillar: keys with a dot are no states.
    writeFileSync(path.join(root, "pillar/web.sls"), "nginx.conf:\n  port: 80\nweb.server: nginx\n");
    const pillar = JSON.parse((await run("--out=json", path.join(root, "pillar"))).stdout).parts as { name: string }[];
    assert.deepEqual(pillar.map(({ name }) => name).sort(), ["inotfy", "network.ipaddrr", "nope.fun"]);
    const missing = await run("/nonexistent/tree");
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stderr, /\/nonexistent\/tree is not a directory: name one with SLS files/);
  });
});

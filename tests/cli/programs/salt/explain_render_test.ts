/** Errors of SLS, pillar and top files: Salt's texts on stdout have no place, so the file, line and column are on stderr. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { RenderErrors } from "../../../../cli/programs/salt/explain_render.ts";
import type { Outcome } from "../../../../src/client/outcome.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

const FILES: Record<string, string> = {
  "states/bad1.sls": "x:\n  test.nop: a: b\n",
  "states/web/init.sls": "x:\n\t- tab\n",
  "states/jinja.sls": "{% if x %}\n",
  "states/computed.sls": "{{ x }}: a: b\n",
  "states/top.sls": "base:\n  '*':\n   - a\n  - b\n",
  "pillar/data.sls": "a: b: c\n",
};

const returned = (value: unknown): Outcome =>
  ({ kind: "failed", id: "web1", jid: "", return: value, retcode: 1, success: false, out: undefined }) as Outcome;
const NO_TOP = "No Top file or master_tops data matches found. Please see master log for details.";

test("salt names the file of this master, line and column", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-render-"));
  try {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    const opts = {
      file_roots: { base: [path.join(root, "none"), path.join(root, "states")] },
      pillar_roots: { base: [path.join(root, "pillar")] },
      state_top: "top.sls",
    };
    const runtime = await currentRuntime();
    const lines = async (...values: unknown[]) => {
      const errors = new RenderErrors(runtime, opts);
      for (const value of values) errors.take(returned(value));
      return (await errors.lines()).map((line) => line.replace(`${root}/`, ""));
    };
    const bad = "Rendering SLS 'base:bad1' failed: mapping values are not allowed in this context";
    assert.deepEqual(await lines([bad], [bad]), [
      "states/bad1.sls, line 2, column 14: mapping values are not allowed in this context",
    ]);
    assert.match(
      (await lines(["Rendering SLS 'base:web' failed: x"]))[0]!,
      /^states\/web\/init\.sls, line 2, column 1: /,
    );
    assert.match(
      (await lines(["Rendering SLS 'base:jinja' failed: x"]))[0]!,
      /^states\/jinja\.sls, line 1: Unexpected end/,
    );
    assert.deepEqual(await lines({ "no_|-states_|-states_|-None": { comment: NO_TOP } }), [
      "states/top.sls, line 4, column 3: did not find expected key",
    ]);
    const pillar = "Rendering SLS 'data' failed. Please see master log for details.";
    const place = ["pillar/data.sls, line 1, column 5: mapping values are not allowed in this context"];
    assert.deepEqual(await lines({ _errors: [pillar] }), place);
    assert.deepEqual(await lines(["Pillar failed to render with the following messages:", pillar]), place);
    // What shows only once a file is rendered, files that are not here, other environments, and all other returns.
    for (
      const nothing of [
        ["Rendering SLS 'base:computed' failed: x"],
        ["Rendering SLS 'base:nowhere' failed: x"],
        ["Rendering SLS 'dev:bad1' failed: x"],
        ["Rendering SLS 'base:../pillar/data' failed: x"],
        bad,
        null,
        { comment: bad },
      ]
    ) assert.deepEqual(await lines(nothing), [], JSON.stringify(nothing));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

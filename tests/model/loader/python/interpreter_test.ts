import assert from "node:assert/strict";
import { test } from "node:test";
import { findSalt } from "../../../../src/model/loader/python/interpreter.ts";
import type { Runtime } from "../../../../src/runtime/runtime.ts";
import { memoryFiles } from "../../../support/memory_files.ts";

const SITE = "/venv/lib/python3.11/site-packages";

for (
  const { name, files, want } of [
    { name: "an installed one", files: { [`${SITE}/salt/modules/x.py`]: "" }, want: `${SITE}/salt` },
    { name: "of Debian's Python", files: { "/usr/lib/python3/dist-packages/salt/modules/x.py": "" }, want: undefined },
    {
      name: "an editable one by a finder",
      files: {
        [`${SITE}/__editable___salt_3006_16_finder.py`]:
          "import sys\nMAPPING: dict[str, str] = {'salt': '/src/salt'}\n",
        "/src/salt/modules/x.py": "",
      },
      want: "/src/salt",
    },
    {
      name: "an editable one by a path",
      files: { [`${SITE}/__editable__.salt-3006.16.pth`]: "/src\n", "/src/salt/modules/x.py": "" },
      want: "/src/salt",
    },
    {
      name: "an editable one that has been removed",
      files: { [`${SITE}/__editable__.salt-3006.16.pth`]: "/src\n" },
      want: undefined,
    },
    {
      name: "another editable package",
      files: { [`${SITE}/__editable__.pepper-1.pth`]: "/src\n", "/src/salt/modules/x.py": "" },
      want: undefined,
    },
  ]
) {
  test(`Salt's package: ${name}`, () => {
    const fs = memoryFiles();
    for (const [path, text] of Object.entries({ "/venv/bin/python3": "", ...files })) {
      fs.mkdir(path.slice(0, path.lastIndexOf("/")), 0o755);
      fs.write(path, text, { mode: 0o755 });
    }
    const host = { fs, process: { env: () => undefined } } as unknown as Runtime;
    assert.equal(findSalt(host, { python: "/venv/bin/python3" }), want);
    assert.equal(findSalt(host, { python: "/venv/bin/python3", python_salt: false }), undefined);
  });
}

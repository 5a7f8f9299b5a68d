import assert from "node:assert/strict";
import { test } from "node:test";
import { tracebackIs } from "../../../src/language/python/python_error.ts";
import { templateError } from "../../../src/language/render/jinja/template_error.ts";

test("an exception of a Python module has Python's traceback in the error of its template", () => {
  const source = "a:\n  - {{ salt['x.y']() }}\n";
  const error = Object.assign(new Error("boo"), { name: "KeyError" });
  assert.match(
    templateError(error, { path: "/srv/a.sls", source }).message,
    /^Jinja error: boo\nKeyError: boo\n\n; line 1\n\n---\n/,
  );
  const traceback = 'Traceback (most recent call last):\n  File "x.py", line 3, in y\n    raise KeyError("boo")\n' +
    "KeyError: 'boo'";
  tracebackIs(error, `${traceback}\n`);
  const { message } = templateError(error, { path: "/srv/a.sls", source });
  assert.ok(message.startsWith(`Jinja error: boo\n${traceback}\n\n; line 1\n\n---\n`), message);
});

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import { OrderedMap } from "../../../src/language/python/values.ts";
import { createRenderers } from "../../../src/language/render/renderers.ts";
import { gpgOptionsOf } from "../../../src/language/render/renderer.ts";
import { Pipeline } from "../../../src/language/render/pipeline.ts";
import { gpgKeys, noGpg } from "../../support/gpg_keys.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const { home: root, encrypted, remove } = gpgKeys();
after(remove);

async function render(text: string, options = { home: root, mustSucceed: false }) {
  const records: LogRecord[] = [];
  const pipeline = new Pipeline({ renderers: createRenderers(runtime) });
  const log = createLogger((record) => records.push(record), "all");
  const data = await pipeline.render(text, {
    path: "/p.sls",
    sls: "p",
    saltenv: "base",
    globals: {},
    log,
    gpg: options,
  });
  return { data, warnings: records.map(({ message }) => message) };
}

const block = (text: string, indent: string) => text.trimEnd().split("\n").map((line) => indent + line).join("\n");

describe("the renderer gpg", { skip: noGpg }, () => {
  test("decrypts values in maps, lists and texts, and leaves the rest", async () => {
    const text = `#!yaml|gpg
a: |
${block(encrypted("secret\n"), "  ")}
b:
  - plain
  - |
    key=${block(encrypted("one"), "    ").trimStart()}
    and ${block(encrypted("two"), "    ").trimStart()}
c: 5
`;
    const { data, warnings } = await render(text);
    assert.deepEqual(
      data,
      new OrderedMap<unknown, unknown>([["a", "secret"], ["b", ["plain", "key=one\nand two"]], ["c", 5]]),
    );
    assert.deepEqual(warnings, []);
  });

  test("leaves what it cannot decrypt, with a warning, or fails if it must succeed", async () => {
    const broken = "-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----";
    const text = `#!yaml|gpg\na: |\n${block(broken, "  ")}\n`;
    const { data, warnings } = await render(text);
    assert.deepEqual(data, new OrderedMap([["a", broken]]));
    assert.deepEqual(warnings, ["value not decrypted"]);
    await assert.rejects(
      render(text, { home: root, mustSucceed: true }),
      /p\.sls: Could not decrypt cipher, gpg says: /,
    );
  });
});

test("the directory of keys is gpg_keydir, or beside the configuration", () => {
  assert.deepEqual(gpgOptionsOf({ conf_file: "/etc/salt/master" }), { home: "/etc/salt/gpgkeys", mustSucceed: false });
  assert.deepEqual(gpgOptionsOf({ gpg_keydir: "/k", gpg_decrypt_must_succeed: true }), {
    home: "/k",
    mustSucceed: true,
  });
});

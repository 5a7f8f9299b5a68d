/** The option `decrypt_pillar`, and pillar that a call gives encrypted. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type AnyMap, entriesOf, lookup } from "../../../src/language/python/values.ts";
import { kwargs, testMinion } from "../../support/context.ts";
import { gpgKeys, noGpg } from "../../support/gpg_keys.ts";
import { pillarBed } from "../../support/pillar.ts";

const keys = gpgKeys();
after(() => keys.remove());

const block = (text: string, indent: string) => text.trimEnd().split("\n").map((line) => indent + line).join("\n");
const errorsOf = (pillar: AnyMap) => lookup(pillar, "_errors");

function files(): Record<string, string> {
  const secret = block(keys.encrypted("secret\n"), "    ");
  const sls = `a:\n  b: |\n${secret}\n  c: plain\nlist:\n  - |\n${secret}\n  - 5\nnone: null\nother: |\n${secret}\n`;
  return { "base/top.sls": "base: {'*': [x]}\n", "base/x.sls": sls };
}

describe("decrypt_pillar", { skip: noGpg }, () => {
  const bed = (opts: Record<string, unknown>) =>
    pillarBed({ files: files(), opts: { gpg_keydir: keys.home, ...opts } });
  const at = (pillar: AnyMap, ...path: string[]) =>
    path.reduce<unknown>((value, key) => lookup(value as AnyMap, key), pillar);

  for (
    const { name, opts } of [
      { name: "a list of paths", opts: { decrypt_pillar: ["a:b", "list", "none", "nope:x", "a:c:d"] } },
      { name: "a list of maps", opts: { decrypt_pillar: [{ "a:b": "gpg" }, { list: null }] } },
      { name: "a map", opts: { decrypt_pillar: { "a:b": "gpg", list: null } } },
      {
        name: "another delimiter",
        opts: { decrypt_pillar: ["a|b", "list"], decrypt_pillar_delimiter: "|" },
      },
    ]
  ) {
    test(`${name}: those values alone are decrypted, for each minion anew`, async () => {
      using made = await bed(opts);
      for (const id of ["web1", "web2"]) {
        const pillar = await made.compile({ id });
        assert.equal(at(pillar, "a", "b"), "secret");
        assert.equal(at(pillar, "a", "c"), "plain");
        assert.deepEqual(at(pillar, "list"), ["secret", 5]);
        assert.match(String(at(pillar, "other")), /^-----BEGIN PGP MESSAGE/);
        assert.equal(errorsOf(pillar), undefined);
      }
    });
  }

  test("values of a call are decrypted as those of files are", async () => {
    using made = await bed({ decrypt_pillar: ["given"] });
    const pillar = await made.compile({ override: { given: keys.encrypted("mine") } });
    assert.equal(at(pillar, "given"), "mine");
  });

  // The words of 3006.28.
  for (
    const { name, opts, wants } of [
      {
        name: "a renderer that may not be used",
        opts: { decrypt_pillar: [{ "a:b": "jinja" }] },
        wants: [
          "Failed to decrypt pillar key 'a:b': 'jinja' is not a valid decryption renderer. Valid choices are: gpg",
        ],
      },
      {
        name: "a renderer that is not there",
        opts: { decrypt_pillar: ["a:b"], decrypt_pillar_default: "nope", decrypt_pillar_renderers: ["gpg", "nope"] },
        wants: ["Failed to decrypt pillar key 'a:b': Decryption renderer 'nope' is not available"],
      },
      { name: "a text", opts: { decrypt_pillar: "a:b" }, wants: ["decrypt_pillar config option is malformed"] },
      {
        name: "a map of two in a list",
        opts: { decrypt_pillar: [{ a: "gpg", b: "gpg" }] },
        wants: ["decrypt_pillar config option is malformed"],
      },
    ]
  ) {
    test(`${name} is an error of the pillar, and the value stays`, async () => {
      using made = await bed(opts);
      const pillar = await made.compile();
      assert.deepEqual(errorsOf(pillar), wants);
      assert.match(String(at(pillar, "a", "b")), /^-----BEGIN PGP MESSAGE/);
    });
  }

  test("what gpg cannot decrypt stays, or is an error where it must succeed", async () => {
    const broken = "-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----";
    for (const must of [false, true]) {
      using made = await bed({ decrypt_pillar: ["given"], gpg_decrypt_must_succeed: must });
      const pillar = await made.compile({ override: { given: broken } });
      assert.equal(at(pillar, "given"), broken);
      const errors = errorsOf(pillar) as string[] | undefined;
      if (must) assert.match(errors![0]!, /^Failed to decrypt pillar key 'given': .*Could not decrypt cipher/);
      else assert.equal(errors, undefined);
    }
  });
});

describe("pillar_enc", { skip: noGpg }, () => {
  /** The override that a call of `pillar.items` asks the compiler for. */
  async function override(pillar: unknown, pillar_enc: unknown, opts = {}): Promise<unknown> {
    let asked: unknown;
    const { functions, context, run } = await testMinion({ opts: { gpg_keydir: keys.home, ...opts } });
    const own = Object.defineProperties({}, {
      ...Object.getOwnPropertyDescriptors(context),
      compilePillar: {
        enumerable: true,
        value: (call: { override: AnyMap }) => {
          asked = Object.fromEntries(entriesOf(call.override));
          return Promise.resolve({});
        },
      },
    }) as typeof context;
    const { return: text, retcode } = await run("pillar.items", [kwargs({ pillar, pillar_enc })], {
      functions,
      context: () => own,
    });
    return retcode === 0 ? asked : text;
  }

  test("decrypts texts in a map, with new lines as a command line has them", async () => {
    const given = { key: keys.encrypted("secret").replaceAll("\n", "\\n"), n: 5, list: [keys.encrypted("x")] };
    assert.deepEqual(await override(given, "gpg"), { key: "secret", n: 5, list: ["x"] });
  });

  test("decrypts a whole pillar in one text", async () => {
    assert.deepEqual(await override(keys.encrypted("{a: 1, b: [x]}"), "gpg"), { a: 1, b: ["x"] });
  });

  for (
    const { given, enc, wants } of [
      { given: { a: 1 }, enc: "jinja", wants: /'jinja' is not a valid decryption renderer\. Valid choices are: gpg/ },
      { given: "a: [", enc: "gpg", wants: /Failed to decrypt pillar override: / },
    ]
  ) {
    test(`${JSON.stringify(given)} by ${enc} is refused`, async () => {
      assert.match(String(await override(given, enc)), wants);
    });
  }
});

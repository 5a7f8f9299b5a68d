import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { strangersKey } from "../../../src/protocol/crypto/rsa_key.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const { crypto } = await currentRuntime();
const pem = PAIRS.minion.publicPem.trim();
const [begin, end] = [pem.split("\n")[0]!, pem.split("\n").at(-1)!];
const body = pem.split("\n").slice(1, -1).join("");
const wrapped = (text: string, width: number) =>
  [begin, ...text.match(new RegExp(`.{1,${width}}`, "g")) ?? [], end].join("\n");
/** The key's bytes with more bytes after them. */
const longer = btoa(atob(body) + "\0".repeat(90));

describe("strangersKey()", () => {
  for (
    const [name, text] of [
      ["as it is", pem],
      ["with blanks around it", `\n ${pem}\n\n`],
      ["with the line ends of Windows", pem.replaceAll("\n", "\r\n")],
    ] as const
  ) test(`accepts a key ${name}`, () => assert.equal(strangersKey(crypto, text), pem));

  test("accepts a key in lines of 76 characters unchanged", () => {
    assert.equal(strangersKey(crypto, wrapped(body, 76)), wrapped(body, 76));
  });

  for (
    const [name, text] of [
      ["nothing", ""],
      ["a word", "key"],
      ["20 MiB", "x".repeat(20 * 1024 * 1024)],
      ["a key and blanks without end", pem + " ".repeat(100_000)],
      ["a private key", PAIRS.minion.privatePem],
      ["two keys", `${pem}\n${pem}`],
      ["a key with a comment", `# mine\n${pem}`],
      ["a PEM without contents", `${begin}\n${end}`],
      ["a key with bytes behind it", wrapped(longer, 64)],
      ["a key in one line", wrapped(body, 1000)],
      ["a key with empty lines", wrapped(body, 64).replaceAll("\n", "\n\n")],
      ["a key cut short", wrapped(body.slice(0, 200), 64)],
      ["bytes that are no key", wrapped(btoa("k".repeat(294)), 64)],
    ] as const
  ) {
    test(`refuses ${name}`, () => {
      assert.throws(
        () => strangersKey(crypto, text),
        (error) => error instanceof SyntaxError || error instanceof RangeError,
      );
    });
  }
});

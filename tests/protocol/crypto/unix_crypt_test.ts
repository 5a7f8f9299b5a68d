/** Expected values are those of `crypt(3)`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cryptSalt, unixCrypt, unixCryptSteps } from "../../../src/protocol/crypto/unix_crypt.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const { crypto } = await currentRuntime();

for (
  const { method, password, setting, want } of [
    {
      method: "sha512",
      password: "Hello world!",
      setting: "rounds=10000$saltstringsaltstring",
      want:
        "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
    },
    {
      method: "sha256",
      password: "Hello world!",
      setting: "saltstring",
      want: "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
    },
    { method: "md5", password: "x", setting: "ab", want: "$1$ab$e2KlfqG5YBMTjSz7XF.Eu1" },
  ] as const
) {
  test(`unixCrypt() with ${method}`, () => {
    const got = unixCrypt(crypto, method, password, setting);
    assert.equal(got.slice(0, want.length), want);
    assert.equal(unixCrypt(crypto, method, password, setting), got);
    assert.notEqual(unixCrypt(crypto, method, `${password}.`, setting), got);
  });
}

test("unixCrypt() runs at least a thousand rounds, whatever the setting", () => {
  assert.match(unixCrypt(crypto, "sha256", "x", "rounds=10$salt"), /^\$5\$rounds=1000\$salt\$[./0-9A-Za-z]{43}$/);
});

test("cryptSalt() draws as many characters as the method takes, never the same", () => {
  assert.match(cryptSalt(crypto, "sha512"), /^[./0-9A-Za-z]{16}$/);
  assert.match(cryptSalt(crypto, "md5"), /^[./0-9A-Za-z]{8}$/);
  assert.notEqual(cryptSalt(crypto, "sha512"), cryptSalt(crypto, "sha512"));
});

for (const method of ["sha512", "sha256", "md5", "apr1"] as const) {
  test(`unixCrypt() with ${method} refuses a password that crypt(3) refuses`, () => {
    assert.match(unixCrypt(crypto, method, "x".repeat(512), "salt"), /\$salt\$/);
    for (const password of ["x".repeat(513), "é".repeat(257), "x".repeat(16_384)]) {
      assert.throws(() => unixCrypt(crypto, method, password, "salt"), /expected at most 512/);
    }
  });

  test(`unixCryptSteps() with ${method} returns what unixCrypt() does, in steps`, () => {
    const steps = unixCryptSteps(crypto, method, "secret", "salt");
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    assert.equal(step.value, unixCrypt(crypto, method, "secret", "salt"));
    assert.ok(count >= 4, `${count} steps`);
  });
}

test("unixCryptSteps() refuses more rounds than are allowed", () => {
  assert.throws(() => unixCryptSteps(crypto, "sha512", "x", "rounds=20001$salt", 20_000).next(), RangeError);
});

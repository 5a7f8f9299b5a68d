import assert from "node:assert/strict";
import { test } from "node:test";
import { Float, Tuple } from "../../src/language/python/values.ts";
import { SALT_COMPAT, VERSION } from "../../src/base/version.ts";
import { kwargs, testMinion } from "../support/context.ts";

for (
  const { fun, arg = [], want } of [
    { fun: "test.ping", want: true },
    { fun: "test.true", want: true },
    { fun: "test.false", want: false },
    { fun: "test.echo", arg: [{ a: [1, null] }], want: { a: [1, null] } },
    { fun: "test.arg_clean", arg: [1, "two", kwargs({ k: "v" })], want: { args: [1, "two"], kwargs: { k: "v" } } },
    { fun: "test.version", want: SALT_COMPAT },
    { fun: "test.conf_test", want: "configured" },
    { fun: "test.outputter", arg: ["x"], want: "x" },
    { fun: "test.assertion", arg: [1], want: null },
    { fun: "test.raise_exception", arg: ["Nope"], want: false },
    { fun: "test.raise_exception", arg: ["constructor"], want: false },
    { fun: "test.raise_exception", arg: ["salt.exceptions.Nope"], want: false },
    { fun: "test.raise_exception", arg: ["builtins.ValueError"], want: false },
    { fun: "test.tty", want: "ERROR: This function has been moved to cmd.tty" },
    { fun: "test.provider", arg: ["test"], want: "test" },
    { fun: "test.try", arg: ["test.exception"], want: null },
    { fun: "test.try", arg: ["test.exception", true], want: "Exception('Test Exception')" },
    { fun: "test.try", arg: ["test.true"], want: true },
    { fun: "test.cross_test", arg: ["test.echo", ["x"]], want: "x" },
    { fun: "test.attr_call", want: { os: "Debian" } },
    { fun: "test.sleep", arg: [0], want: true },
    { fun: "test.rand_sleep", arg: [0], want: true },
    { fun: "test.deprecation_warning", want: true },
  ] as { fun: string; arg?: unknown[]; want: unknown }[]
) {
  test(`${fun}(${JSON.stringify(arg).slice(1, -1)})`, async () => {
    const minion = await testMinion({ opts: { "test.foo": "configured" }, grains: { os: "Debian" } });
    assert.deepEqual(await minion.value(fun, ...arg), want);
  });
}

test("test.not_loaded() names what this host has no programs for", async () => {
  const minion = await testMinion();
  const missing = await minion.value("test.not_loaded") as string[];
  assert.deepEqual(missing, [...(await minion.context.functions.unavailable()).keys()].sort());
  for (const name of ["test", "cmd", "sys", "grains"]) assert.ok(!missing.includes(name), name);
});

for (
  const { name, args, want } of [
    { name: "CommandExecutionError", args: ["no"], want: "ERROR: no" },
    { name: "salt.exceptions.SaltInvocationError", args: ["no"], want: "ERROR executing 'test.raise_exception': no" },
    { name: "SaltInvocationError", args: ["no"], want: "ERROR executing 'test.raise_exception': no" },
    { name: "CommandNotFoundError", args: ["x"], want: "Command required for 'test.raise_exception' not found: x" },
    { name: "OSError", args: [2, "no"], want: /\nOSError: \(2, 'no'\)\n$/ },
    { name: "KeyError", args: [], want: /\nKeyError\n$/ },
    { name: "TypeError", args: ["odd"], want: /^Passed invalid arguments to test\.raise_exception: odd\n/ },
  ] as { name: string; args: unknown[]; want: string | RegExp }[]
) {
  test(`test.raise_exception: ${name}`, async () => {
    const minion = await testMinion();
    const { return: text, retcode } = await minion.run("test.raise_exception", [name, ...args]);
    if (typeof want === "string") assert.equal(text, want);
    else assert.match(text as string, want);
    assert.equal(retcode, 1);
  });
}

test("test.fib: big numbers are exact", async () => {
  const minion = await testMinion();
  assert.equal((await minion.value("test.fib", 10) as unknown[])[0], 55);
  assert.equal((await minion.value("test.fib", "100") as unknown[])[0], 354224848179261915075n);
});

test("test.fib: other jobs run while it computes", async () => {
  const minion = await testMinion();
  const order: string[] = [];
  await Promise.all([
    minion.run("test.fib", [20_000]).then(() => order.push("fib")),
    minion.run("test.ping").then(() => order.push("ping")),
  ]);
  assert.deepEqual(order, ["ping", "fib"]);
});

for (const num of [-1, "x", null, 1e9]) {
  test(`test.fib: ${num} is refused`, async () => {
    const minion = await testMinion();
    const { return: text } = await minion.run("test.fib", [num]);
    assert.match(text as string, /\nValueError: /);
  });
}

test("test.collatz: gives the way down, of floats after the first division as Python's division does", async () => {
  const minion = await testMinion();
  const [steps] = await minion.value("test.collatz", 6) as [unknown[]];
  assert.deepEqual(steps.map(Number), [6, 3, 10, 5, 16, 8, 4, 2]);
  assert.deepEqual([steps[0], steps[1] instanceof Float], [6, true]);
  const [odd] = await minion.value("test.collatz", 3) as [unknown[]];
  assert.deepEqual(odd.map((step) => step instanceof Float), [false, false, true, true, true, true, true]);
});

test("test.fib and test.collatz return a tuple, which salt-call shows as one", async () => {
  const minion = await testMinion();
  for (const fun of ["test.fib", "test.collatz"]) assert.ok(await minion.value(fun, 3) instanceof Tuple, fun);
});

test("test.sleep: ends when the job is killed", async () => {
  const minion = await testMinion();
  const abort = new AbortController();
  const killed = assert.rejects(minion.run("test.sleep", [1000], { signal: abort.signal }), /killed/);
  abort.abort(new Error("killed"));
  await killed;
});

test("test.sleep: what is no number is refused", async () => {
  const minion = await testMinion();
  assert.match((await minion.run("test.sleep", ["x"])).return as string, /^Passed invalid arguments to test.sleep: /);
});

for (
  const { type, length } of [{ type: null, length: 64 }, { type: "md5", length: 32 }, { type: "sha512", length: 128 }]
) {
  test(`test.random_hash: ${type} has ${length} digits`, async () => {
    const minion = await testMinion();
    const digest = await minion.value("test.random_hash", 100, type) as string;
    assert.match(digest, new RegExp(`^[0-9a-f]{${length}}$`));
  });
}

test("test.random_hash: an unknown hash is refused", async () => {
  const minion = await testMinion();
  assert.match((await minion.run("test.random_hash", [1, "constructor"])).return as string, /No hash is called/);
});

test("test.versions_report: tells of Salt and of Brine", async () => {
  const minion = await testMinion();
  const text = await minion.value("test.versions_report") as string;
  assert.match(text, new RegExp(`Salt: ${SALT_COMPAT}\\n +Brine: ${VERSION}\\n`));
  const sections = await minion.value("test.versions_information") as Record<string, unknown>;
  assert.deepEqual(sections["Salt Version"], { Salt: SALT_COMPAT, Brine: VERSION });
});

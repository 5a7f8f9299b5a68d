import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSignature } from "../../../src/model/loader/signature.ts";
import { reactionCall } from "../../../src/feature/reactor/reaction_call.ts";

const SIGNATURES: Record<string, string> = {
  "test.arg": "*args, **kwargs",
  "manage.up": "tgt='*', tgt_type='glob', timeout=None",
  "event.send": "tag, data=None",
  "key.list": "match",
  "named.one": "name, count=2",
};
const signatureOf = (_: string, fun: string) =>
  Promise.resolve(SIGNATURES[fun] === undefined ? undefined : parseSignature(SIGNATURES[fun]));
const chunkOf = (state: string, fun: string, more: Record<string, unknown>) => ({
  state,
  name: "an id",
  __sls__: "/a.sls",
  __id__: "an id",
  fun,
  order: 1,
  ...more,
});
const map = (values: Record<string, unknown>) => new Map(Object.entries(values));

for (
  const { name, chunk, want } of [
    {
      name: "local, args as a list of maps",
      chunk: chunkOf("local", "test.arg", { tgt: "m*", args: [map({ a: 1 }), map({ b: [2] })] }),
      want: { type: "local", arg: [], kwarg: { a: 1, b: [2] }, job: { tgt: "m*", kwargs: {} } },
    },
    {
      name: "cmd is local; args as a map; a target type, a returner and metadata",
      chunk: chunkOf("cmd", "test.arg", {
        tgt: ["a", "b"],
        tgt_type: "list",
        ret: "sqlite",
        metadata: { x: 1 },
        args: map({ a: 1 }),
      }),
      want: {
        type: "local",
        arg: [],
        kwarg: { a: 1 },
        job: { tgt: ["a", "b"], tgt_type: "list", ret: "sqlite", kwargs: { metadata: { x: 1 } } },
      },
    },
    {
      name: "local, the older style",
      chunk: chunkOf("local", "test.arg", { tgt: "*", arg: ["one", 2], kwarg: map({ c: 3 }) }),
      want: { type: "local", arg: ["one", 2], kwarg: { c: 3 }, job: { tgt: "*", kwargs: {} } },
    },
    {
      name: "local without arguments",
      chunk: chunkOf("local", "test.ping", { tgt: "*" }),
      want: { type: "local", arg: [], kwarg: {}, job: { tgt: "*", kwargs: {} } },
    },
    {
      name: "args go over arg and kwarg",
      chunk: chunkOf("runner", "test.arg", { args: [map({ a: 1 })], arg: ["x"], kwarg: map({ b: 2 }) }),
      want: { type: "runner", arg: [], kwarg: { a: 1 }, ignored: ["arg", "kwarg"] },
    },
    {
      name: "runner, arguments beside the others, with the defaults of the function",
      chunk: chunkOf("runner", "manage.up", { timeout: 5 }),
      want: { type: "runner", arg: [], kwarg: { tgt: "*", tgt_type: "glob", timeout: 5 } },
    },
    {
      name: "runner, what has no default is positional",
      chunk: chunkOf("runner", "event.send", { tag: "a/b", data: map({ x: 1 }) }),
      want: { type: "runner", arg: ["a/b"], kwarg: { data: map({ x: 1 }) } },
    },
    {
      name: "runner, the id is the name that a function asks for",
      chunk: chunkOf("runner", "named.one", {}),
      want: { type: "runner", arg: ["an id"], kwarg: { count: 2 } },
    },
    {
      name: "runner, further keywords",
      chunk: chunkOf("runner", "test.arg", { foo: 1 }),
      want: { type: "runner", arg: [], kwarg: { foo: 1 } },
    },
    {
      name: "wheel, arg and kwarg",
      chunk: chunkOf("wheel", "key.list", { arg: ["acc"], kwarg: map({}) }),
      want: { type: "wheel", arg: ["acc"], kwarg: {} },
    },
    {
      name: "caller, a list of values is positional",
      chunk: chunkOf("caller", "file.touch", { args: ["/tmp/x"] }),
      want: { type: "caller", arg: ["/tmp/x"], kwarg: {} },
    },
    {
      name: "caller, a list of maps is named",
      chunk: chunkOf("caller", "file.touch", { args: [map({ name: "/tmp/x" })] }),
      want: { type: "caller", arg: [], kwarg: { name: "/tmp/x" } },
    },
  ]
) {
  test(`reactionCall: ${name}`, async () => {
    assert.deepEqual(await reactionCall(chunk, signatureOf), { ignored: [], fun: chunk.fun, ...want });
  });
}

for (
  const { chunk, error } of [
    { chunk: chunkOf("local", "test.ping", {}), error: /tgt is missing/ },
    {
      chunk: chunkOf("nosuch", "test.ping", {}),
      error: /unknown type of reaction "nosuch": expected one of local, runner/,
    },
    { chunk: chunkOf("local", "test.arg", { tgt: "*", args: [] }), error: /Incorrect argument format/ },
    { chunk: chunkOf("local", "test.arg", { tgt: "*", args: "text" }), error: /Incorrect argument format.*not 'text'/ },
    {
      chunk: chunkOf("local", "test.arg", { tgt: "*", args: [map({ a: 1, b: 2 })] }),
      error: /Incorrect argument format/,
    },
    { chunk: chunkOf("local", "test.arg", { tgt: "*", kwarg: [1] }), error: /kwarg must be a map/ },
    { chunk: chunkOf("runner", "no.such", {}), error: /runner function no\.such is not available/ },
    { chunk: chunkOf("runner", "event.send", {}), error: /event\.send lacks tag/ },
    { chunk: chunkOf("wheel", "key.list", { match: "acc", more: 1 }), error: /'more' is not an argument of key\.list/ },
  ]
) {
  test(`reactionCall: ${chunk.state}.${chunk.fun} fails with ${error}`, async () => {
    await assert.rejects(reactionCall(chunk, signatureOf), { code: "REACTION", message: error });
  });
}

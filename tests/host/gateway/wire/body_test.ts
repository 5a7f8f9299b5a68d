/** Small bodies with too many values in them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { readBody } from "../../../../src/host/gateway/wire/body.ts";
import { ArrivingBodies } from "../../../../src/host/gateway/wire/receive_body.ts";
import { MAX_VALUES } from "../../../../src/host/gateway/wire/body_bounds.ts";
import { HttpError } from "../../../../src/host/gateway/wire/errors.ts";
import { encode } from "../../../../src/protocol/wire/msgpack.ts";

const MIB = 1024 * 1024;
const text = (value: string) => new TextEncoder().encode(value);

function read(type: string, body: Uint8Array | ReadableStream<Uint8Array>, arriving = new ArrivingBodies()) {
  const request = new Request("http://x/run", {
    method: "POST",
    body: body as never,
    headers: { "Content-Type": type, ...(body instanceof Uint8Array ? { "Content-Length": String(body.length) } : {}) },
    ...({ duplex: "half" } as object),
  });
  const options = { maxBytes: 8 * MIB, timeoutMs: 30_000, clock: systemClock, address: "10.0.0.7", arriving };
  return readBody(request, { rules: { yamlInForms: true, plainTextMayBeAnything: true }, ...options });
}

const refusedWith = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof HttpError && error.status === status && message.test(error.message);

/** Each level merges the one before nine times: the result is empty, but takes 9^levels steps. */
const bomb = (levels: number) =>
  `[&a0 {}, ${
    Array.from({ length: levels }, (_, at) => `&a${at + 1} {<<: [${Array(9).fill(`*a${at}`).join(", ")}]}`).join(", ")
  }]`;
/** Each level has the one before nine times. */
const laughs = (levels: number) =>
  `[&a0 [lol], ${
    Array.from({ length: levels }, (_, at) => `&a${at + 1} [${Array(9).fill(`*a${at}`).join(", ")}]`).join(", ")
  }]`;

describe("small YAML with too many values", () => {
  const form = (name: string, value: string) => text(`client=local&${name}=${encodeURIComponent(value)}`);
  const type = "application/x-www-form-urlencoded";

  test("merged maps take time in proportion to their text", async () => {
    assert.deepEqual((await read("application/x-yaml", text(bomb(12)))).data, Array(13).fill({}));
    const { data } = await read(type, form("arg", bomb(12)));
    assert.deepEqual((data as { arg: unknown[] }).arg, [Array(13).fill({})]);
  });

  for (const name of ["arg", "kwarg"]) {
    test(`aliases of aliases are refused in ${name} of a form, and the bound is named`, async () => {
      await assert.rejects(read(type, form(name, laughs(9))), refusedWith(400, /stands for more than 100000 values/));
    });
  }

  test("aliases of aliases are refused in a body, and the bound is named", async () => {
    await assert.rejects(read("application/x-yaml", text(laughs(9))), refusedWith(400, /more than 100000 values/));
  });

  test("the fields of a form count together", async () => {
    const list = `[${"a,".repeat(20_000)}]`;
    assert.equal(((await read(type, form("arg", list))).data as { arg: unknown[][] }).arg[0]!.length, 20_000);
    const fields = Array.from({ length: 6 }, () => `arg=${encodeURIComponent(list)}`).join("&");
    await assert.rejects(read(type, text(fields)), refusedWith(400, /more than 100000 values/));
  });

  test("a body that takes long to read, well-formed or not, is refused by its size", async () => {
    for (const part of ["]", "[],", "- a\n", "{a: ", "a: ]\n", "%X\n"]) {
      await assert.rejects(read("application/x-yaml", text(part.repeat(8000))), refusedWith(413, /send JSON/));
    }
    const long = `tgt: '*'\narg: ["${"x".repeat(100_000)}"]`;
    assert.deepEqual((await read("application/x-yaml", text(long))).data, { tgt: "*", arg: ["x".repeat(100_000)] });
  });
});

describe("a body with too many values is refused before it is parsed", () => {
  const empties = new Uint8Array(8 * MIB).fill(0x80);
  empties.set([0xdd, 0, 0x7f, 0xff, 0xfb]);
  for (
    const { name, type, body, message } of [
      {
        name: "lists in JSON",
        type: "application/json",
        body: text(`[${"[],".repeat(2 * MIB)}0]`),
        message: /too many/,
      },
      {
        name: "maps in JSON",
        type: "application/json",
        body: text(`[${"{},".repeat(2 * MIB)}0]`),
        message: /too many/,
      },
      {
        name: "keys in JSON",
        type: "application/json",
        body: text(`{${'"":0,'.repeat(MIB)}"a":0}`),
        message: /too many/,
      },
      { name: "depth in JSON", type: "application/json", body: text("[".repeat(4 * MIB)), message: /too deep/ },
      { name: "maps in msgpack", type: "application/x-msgpack", body: empties, message: /Invalid msgpack/ },
      {
        name: "depth in msgpack",
        type: "application/x-msgpack",
        body: new Uint8Array(MIB).fill(0x91),
        message: /Invalid/,
      },
      {
        name: "fields of a form",
        type: "application/x-www-form-urlencoded",
        body: text("a&".repeat(3 * MIB)),
        message: /A form has at most 1000 fields/,
      },
    ]
  ) {
    test(name, async () => await assert.rejects(read(type, body), refusedWith(400, message)));
  }

  test("an integer of a million digits", async () => {
    await assert.rejects(read("application/json", text("1".repeat(MIB))), refusedWith(400, /Invalid JSON document/));
  });
});

test("ordinary large bodies are read: many values, commas in texts, one long text", async () => {
  const list = Array.from({ length: MAX_VALUES / 2 - 2 }, (_, index) => index % 10);
  assert.deepEqual((await read("application/json", text(JSON.stringify(list)))).data, list);
  const commas = { arg: `"\\${",[{:".repeat(500_000)}` };
  assert.deepEqual((await read("application/json", text(JSON.stringify(commas)))).data, commas);
  assert.deepEqual((await read("application/x-msgpack", encode(["a", { b: [1, 2] }], "bin"))).data, ["a", {
    b: [1, 2],
  }]);
  const csv = ",".repeat(MIB);
  assert.equal((await read("text/plain", text(csv))).data, csv);
});

test("arriving bodies count together, by address and in total, until they are read", () => {
  const arriving = new ArrivingBodies();
  arriving.take("10.0.0.7", 64 * MIB);
  assert.throws(() => arriving.take("10.0.0.7", 1), refusedWith(503, /Too many bodies/));
  for (const address of ["a", "b", "c"]) arriving.take(address, 64 * MIB);
  assert.throws(() => arriving.take("d", 1), refusedWith(503, /Too many bodies/));
  arriving.release("10.0.0.7", 64 * MIB);
  arriving.take("d", 64 * MIB);
});

test("a body in pieces counts while it arrives, and no longer", async () => {
  const arriving = new ArrivingBodies();
  let pieces = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pieces++ < 8) controller.enqueue(text('["0123456789",'.padEnd(100_000)).fill(0x20));
      else {
        controller.enqueue(text("[1]"));
        controller.close();
      }
    },
  });
  assert.deepEqual((await read("application/json", stream, arriving)).data, [1]);
  arriving.take("10.0.0.7", 64 * MIB);
});

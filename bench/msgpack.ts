/**
 * Question: does a codec that keeps Python's types (floats, bytes, 64-bit integers, keys of any type) cost more than
 * codecs that do not?
 *
 * Control rows: `@msgpack/msgpack`, and JSON on data that JSON can carry. Run with node, bun or `deno run -A`.
 */
import { cpus } from "node:os";
import { decode as theirDecode, encode as theirEncode } from "@msgpack/msgpack";
import { decode, encode, type Packed, packedForBin, StreamDecoder } from "../src/protocol/wire/msgpack.ts";

declare const navigator: { userAgent: string };

/** The load of a return as a minion sends it: 566 bytes. */
const jobLoad = {
  cmd: "_return",
  id: "web01.example.com",
  fun: "cmd.run",
  fun_args: ["uptime", { __kwarg__: true, python_shell: true, timeout: 30 }],
  jid: "20261121000128725059",
  return: " 00:01:28 up 12 days,  3:04,  2 users,  load average: 0.15, 0.10, 0.05",
  retcode: 0,
  success: true,
  user: "root",
  _stamp: "2026-11-21T00:01:29.006312",
  metadata: { ticket: "OPS-1234", requested_by: "deploy", attempt: 1, dry_run: false, ratio: 0.75 },
  nonce: "4c96565085c441dfa5ed33b1807323ed",
  ts: 1795219288,
  tok: "x".repeat(166),
};

/** About 30 KB of grains: many short texts and arrays. */
const grains = {
  grains: Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`grain_${index}`, {
      name: `value of grain ${index}`,
      list: ["192.0.2.1", "2001:db8::17", index, index * 1000],
      flag: index % 2 === 0,
      nothing: null,
    }]),
  ),
};

/** A return of 100 KB of text, such as a log file. */
const bigText = { ...jobLoad, return: "Nov 21 00:01:28 web01 sshd[4242]: Accepted publickey for root\n".repeat(1600) };

/** The fastest of some rounds, in µs a call: noise only ever adds. */
function fastest(work: () => unknown, count: number): number {
  let best = Infinity;
  for (let round = 0; round < 8; round++) {
    const start = performance.now();
    for (let index = 0; index < count; index++) work();
    // The first round is warm-up.
    if (round > 0) best = Math.min(best, (performance.now() - start) * 1000 / count);
  }
  return best;
}

console.log(`${navigator.userAgent}, ${cpus()[0]?.model.trim()}, µs a call, fastest of 7 rounds\n`);
for (
  const { name, value, count } of [
    { name: "job load", value: jobLoad, count: 20_000 },
    { name: "grains", value: grains, count: 300 },
    { name: "100 KB text", value: bigText, count: 500 },
  ]
) {
  const wire = encode(value, "wire");
  const bin = encode(value, "bin");
  const json = JSON.stringify(value);
  const packed = decode(wire, { mode: "wire", keep: ["return", "grains"] }) as { return?: Packed; grains?: Packed };
  const carried = packed.return ?? packed.grains!;
  const row = (what: string, ours: number, theirs: number, inJson: number) =>
    console.log(
      `${name.padEnd(12)} ${what.padEnd(8)} ours ${ours.toFixed(2).padStart(8)}   @msgpack/msgpack ` +
        `${theirs.toFixed(2).padStart(8)}   JSON ${inJson.toFixed(2).padStart(8)}`,
    );
  console.log(`${name}: ${wire.length} bytes, ${count} calls a round`);
  row(
    "encode",
    fastest(() => encode(value, "wire"), count),
    fastest(() => theirEncode(value), count),
    fastest(() => JSON.stringify(value), count),
  );
  row(
    "decode",
    fastest(() => decode(wire, { mode: "wire" }), count),
    fastest(() => theirDecode(bin), count),
    fastest(() => JSON.parse(json), count),
  );
  const only = (what: string, time: number) =>
    console.log(`${name.padEnd(12)} ${what.padEnd(34)} ${time.toFixed(2).padStart(8)}`);
  only("decode, return kept packed", fastest(() => decode(wire, { mode: "wire", keep: ["return", "grains"] }), count));
  only("packedForBin() of the kept value", fastest(() => packedForBin(carried), count));
  only(
    "StreamDecoder, one chunk",
    fastest(() => {
      const decoder = new StreamDecoder({ mode: "bin" });
      decoder.push(bin);
      return decoder.next();
    }, count),
  );
  console.log();
}

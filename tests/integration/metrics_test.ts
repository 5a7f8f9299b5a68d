/** What a master counts while it works, and that a stranger cannot add to its series. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prometheusText } from "../../cli/daemon/telemetry/prometheus_text.ts";
import { MetricRegistry, NO_TELEMETRY } from "../../src/base/telemetry/mod.ts";
import { encode } from "../../src/protocol/wire/msgpack.ts";
import { startCluster } from "../support/start_cluster.ts";

/** The values of a scrape: `name{label="value"}` → number. */
function valuesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => {
    const [, series, value] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line)!;
    return [series!, Number(value)];
  }));
}

test("a master counts jobs, returns, sign-ins and requests, in Prometheus' format", { timeout: 120_000 }, async () => {
  const errors: unknown[] = [];
  const meter = new MetricRegistry((error) => errors.push(error));
  await using cluster = await startCluster({
    minions: ["web1", "db1"],
    telemetry: (host) => host === "master" ? { ...NO_TELEMETRY, meter } : NO_TELEMETRY,
  });
  const client = await cluster.client();
  for (const fun of ["test.ping", "no.such"]) {
    for await (const _ of client.run({ tgt: "*", fun, arg: [] }));
  }
  // A stranger, with commands of its own making.
  const exchange = cluster.exchange();
  for (let i = 0; i < 300; i++) {
    const load = { cmd: `stranger-${i}`, id: `x${i}` };
    await exchange(encode({ enc: "clear", load, version: 3 }, "wire"), { timeoutMs: 10_000 });
  }
  await exchange(new Uint8Array([1, 2, 3]), { timeoutMs: 10_000 });

  const text = await (await prometheusText(meter)).write();
  const values = valuesOf(text);
  const expected: Record<string, number> = {
    "brine_jobs_published_total": 2,
    "brine_jobs_open": 0,
    'brine_job_outcomes_total{outcome="returned"}': 2,
    'brine_job_outcomes_total{outcome="failed"}': 2,
    "brine_returns_stored_total": 4,
    'brine_returns_refused_total{reason="impostor"}': 0,
    'brine_sign_ins_total{result="accepted"}': 2,
    'brine_keys{state="accepted"}': 2,
    "brine_minions_connected": 2,
    'brine_queue_limit{queue="publications"}': 1000,
    'brine_request_seconds_count{command="publish"}': 2,
    'brine_request_seconds_count{command="_pillar"}': 2,
    'brine_request_seconds_count{command="other"}': 300,
    'brine_requests_refused_total{reason="not an envelope"}': 1,
    "brine_pillar_compile_seconds_count": 2,
  };
  for (const [series, value] of Object.entries(expected)) assert.equal(values.get(series), value, series);
  assert.ok(values.get("brine_return_bytes_total")! > 0);
  assert.doesNotMatch(text, /stranger|web1|db1/);
  assert.match(text, /^# TYPE brine_request_seconds histogram$/m);
  const buckets = [...values].filter(([name]) => name.startsWith('brine_request_seconds_bucket{command="publish"'));
  assert.deepEqual(buckets.map(([, count]) => count), buckets.map(([, count]) => count).sort((a, b) => a - b));
  assert.deepEqual(errors, []);
});

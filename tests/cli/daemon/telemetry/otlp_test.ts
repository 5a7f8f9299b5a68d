/** What an OpenTelemetry collector receives: a small HTTP server in its place. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { exportMetrics, exportSpans, MAX_SPANS } from "../../../../cli/daemon/telemetry/otlp.ts";
import { loadPackages } from "../../../../cli/daemon/telemetry/packages.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { MetricRegistry, METRICS, parseTraceContext } from "../../../../src/base/telemetry/mod.ts";
import { captureLog } from "../../../support/capture_log.ts";

/** A collector that keeps what it is sent. */
async function collector(status = 200) {
  const got: { path: string; authorization: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => body += chunk);
    request.on("end", () => {
      got.push({ path: request.url!, authorization: request.headers.authorization, body });
      response.writeHead(status, { "Content-Type": "application/json", Connection: "close" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const settings = { headers: { Authorization: "Bearer t" }, serviceName: undefined, resource: { site: "here" } };

describe("OpenTelemetry", { timeout: 60_000 }, () => {
  test("spans arrive with their parents and attributes", async () => {
    await using server = await collector();
    const { log } = captureLog();
    const exporting = await exportSpans(
      { ...settings, url: server.url("/v1/traces"), ratio: 1, follow: true },
      { clock: systemClock, log, service: "salt-master" },
    );
    const parent = exporting.tracer.start("salt.publish", {
      kind: "producer",
      attributes: { "salt.jid": "1".repeat(999) },
    });
    const child = exporting.tracer.start("salt.return", { parent: parent.context });
    child.end("not stored");
    parent.end();
    await exporting.close();
    assert.deepEqual(server.got.map(({ path, authorization }) => [path, authorization]), [["/v1/traces", "Bearer t"]]);
    const [{ resource, scopeSpans }] = JSON.parse(server.got[0]!.body).resourceSpans;
    const attributes = Object.fromEntries(
      resource.attributes.map((
        { key, value }: { key: string; value: { stringValue: string } },
      ) => [key, value.stringValue]),
    );
    assert.equal(attributes["service.name"], "salt-master");
    assert.equal(attributes.site, "here");
    const spans = scopeSpans[0].spans as { name: string; traceId: string; spanId: string; parentSpanId?: string }[];
    const [returned, published] = ["salt.return", "salt.publish"].map((name) =>
      spans.find((span) => span.name === name)!
    );
    assert.equal(returned!.parentSpanId, published!.spanId);
    assert.deepEqual(parseTraceContext(parent.context), {
      traceId: published!.traceId,
      spanId: published!.spanId,
      sampled: true,
    });
    assert.doesNotMatch(server.got[0]!.body, /1{257}/, "attributes are cut");
    assert.equal(exporting.dropped, 0);
  });

  test("what is not sampled is not sent, and what follows from it neither", async () => {
    await using server = await collector();
    const { log } = captureLog();
    const exporting = await exportSpans(
      { ...settings, url: server.url("/v1/traces"), ratio: 0, follow: true },
      { clock: systemClock, log, service: "salt-master" },
    );
    const span = exporting.tracer.start("salt.publish");
    assert.equal(parseTraceContext(span.context)?.sampled, false);
    exporting.tracer.start("salt.return", { parent: span.context }).end();
    span.end();
    await exporting.close();
    assert.deepEqual(server.got, []);
  });

  test("a collector that refuses costs a bounded number of spans, each of which is counted, and one line of the log", async () => {
    await using server = await collector(400);
    const captured = captureLog();
    const exporting = await exportSpans(
      { ...settings, url: server.url("/v1/traces"), ratio: 1, follow: false },
      { clock: systemClock, log: captured.log, service: "salt-master" },
    );
    for (let i = 0; i < MAX_SPANS + 500; i++) exporting.tracer.start("salt.request publish").end();
    assert.equal(exporting.dropped, 500);
    await exporting.close();
    assert.equal(exporting.dropped, MAX_SPANS + 500);
    assert.deepEqual(captured.complaints(), ["the OpenTelemetry collector refused an export"]);
  });

  test("metrics arrive as counters, gauges and histograms", async () => {
    await using server = await collector();
    const registry = new MetricRegistry();
    registry.counter(METRICS.returnsStored).add(7);
    registry.read(METRICS.jobsOpen, () => 3);
    registry.histogram(METRICS.pillarSeconds).observe(0.02);
    const exporting = await exportMetrics(
      registry,
      { ...settings, url: server.url("/v1/metrics"), intervalMs: 60_000 },
      { clock: systemClock, log: captureLog().log, service: "salt-master" },
    );
    await exporting.close();
    const [{ scopeMetrics }] = JSON.parse(server.got[0]!.body).resourceMetrics;
    // deno-lint-ignore no-explicit-any
    const all: any[] = scopeMetrics.flatMap(({ metrics }: { metrics: unknown[] }) => metrics);
    const find = (name: string) => all.find((metric) => metric.name === name);
    assert.equal(find("brine_returns_stored_total").sum.dataPoints[0].asDouble, 7);
    assert.equal(find("brine_returns_stored_total").sum.isMonotonic, true);
    assert.equal(find("brine_jobs_open").gauge.dataPoints[0].asDouble, 3);
    const [point] = find("brine_pillar_compile_seconds").histogram.dataPoints;
    assert.deepEqual([Number(point.count), point.sum, point.explicitBounds.length + 1], [
      1,
      0.02,
      point.bucketCounts.length,
    ]);
  });
});

test("a package that is not installed is named with the command that installs it", async () => {
  await assert.rejects(loadPackages(["brine-no-such-package", "prom-client"], "the option metrics"), {
    name: "ConfigError",
    message: /^Cannot load what the option metrics needs \(npm install brine-no-such-package prom-client\): /,
  });
});

/** One job's trace, from the client through master and minion and back; and what it must not carry. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalClient } from "../../src/client/local_client.ts";
import {
  formatTraceContext,
  NO_TELEMETRY,
  parseTraceContext,
  type SpanOptions,
  type Telemetry,
} from "../../src/base/telemetry/mod.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

interface Recorded {
  host: string;
  name: string;
  options: SpanOptions;
  traceId: string;
  context: string;
  /** Undefined while it has not ended; null for an end without an error. */
  error: string | null | undefined;
}

/** Tracers of all hosts that write into one list. */
function recorder() {
  const spans: Recorded[] = [];
  const telemetry = (host: string): Telemetry => ({
    ...NO_TELEMETRY,
    tracer: {
      enabled: true,
      start(name, options = {}) {
        const number = (spans.length + 1).toString(16);
        const traceId = parseTraceContext(options.parent)?.traceId ?? number.padStart(32, "a");
        const context = formatTraceContext({ traceId, spanId: number.padStart(16, "b"), sampled: true });
        const span: Recorded = { host, name, options, traceId, context, error: undefined };
        spans.push(span);
        return { context, set: () => {}, end: (error) => void (span.error = error ?? null) };
      },
    },
  });
  const named = (name: string) => spans.filter((span) => span.name === name);
  return { spans, telemetry, named };
}

async function tracedClient(cluster: Cluster, telemetry: Telemetry): Promise<LocalClient> {
  const { runtime, captured, masterOpts } = cluster;
  return await LocalClient.open({
    runtime,
    log: captured.log.child("client"),
    opts: masterOpts,
    tracer: telemetry.tracer,
  });
}

async function drain(outcomes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of outcomes);
}

describe("traces", { timeout: 120_000 }, () => {
  test("publication, execution and return are one trace, and none of them carries arguments", async () => {
    const { spans, telemetry, named } = recorder();
    await using cluster = await startCluster({ minions: ["web1", "db1"], telemetry });
    await using client = await tracedClient(cluster, telemetry("client"));
    await drain(client.run({ tgt: "*", fun: "test.echo", arg: ["a secret"] }));
    const [job] = named("salt.job");
    const [publish] = named("salt.publish");
    assert.equal(publish!.options.parent, job!.context);
    const executions = named("salt.minion.job");
    assert.deepEqual(executions.map(({ host }) => host).sort(), ["db1", "web1"]);
    for (const one of executions) assert.equal(one.options.parent, publish!.context);
    const returns = named("salt.return");
    assert.deepEqual(
      returns.map(({ options }) => options.parent).sort(),
      executions.map(({ context }) => context).sort(),
    );
    assert.equal(new Set([job, publish, ...executions, ...returns].map((span) => span!.traceId)).size, 1);
    assert.deepEqual(spans.filter(({ error }) => error !== null).map(({ name }) => name), []);
    assert.doesNotMatch(JSON.stringify(spans), /a secret/);
    const requests = new Set(spans.filter(({ name }) => name.startsWith("salt.request ")).map(({ name }) => name));
    assert.ok(requests.has("salt.request _pillar"));
    assert.ok(
      !requests.has("salt.request _return") && !requests.has("salt.request publish"),
      "they have spans of a job",
    );
    const events = JSON.stringify(cluster.events);
    assert.doesNotMatch(events, /traceparent/, "what listens to the bus sees Salt's fields alone");
  });

  test("without tracing nothing of it is sent", async () => {
    const { telemetry, named } = recorder();
    await using cluster = await startCluster({
      telemetry: (host) => host === "master" ? NO_TELEMETRY : telemetry(host),
    });
    await drain((await cluster.client()).run({ tgt: "*", fun: "test.ping" }));
    const [execution] = named("salt.minion.job");
    assert.equal(execution!.options.parent, undefined);
    assert.equal(execution!.error, null);
  });

  test("a minion cannot add to the trace of another job", async () => {
    const { telemetry, named } = recorder();
    await using cluster = await startCluster({ minions: [], telemetry });
    cluster.acceptKey("evil");
    const peer = await cluster.peer("evil");
    const client = await cluster.client();
    const published = (await client.publish({ tgt: ["evil"], fun: "test.ping" }))!;
    const foreign = formatTraceContext({ traceId: "f".repeat(32), spanId: "e".repeat(16), sampled: true });
    for (const traceparent of [foreign, "x".repeat(100_000), { deep: [1] }]) {
      await peer.send({ cmd: "_return", id: "evil", jid: published.jid, return: true, fun: "test.ping", traceparent });
    }
    const [publish] = named("salt.publish");
    const returns = named("salt.return");
    assert.ok(returns.length >= 1);
    for (const one of returns) assert.equal(one.options.parent, publish!.context);
  });
});

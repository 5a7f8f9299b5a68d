/**
 * Question: what do metrics and traces cost a master, in processor time for a return and for a sign-in, and in the time of
 * `'*' test.ping`; and what does a call of the meter cost while it is off?
 *
 * Control row: the same master without them, under the same swarm and in the same run. With metrics, they are fetched once a
 * second; with traces, a tenth of them is recorded and sent to a collector in this process. `ratio` is the control's time
 * divided by the row's: 1 costs nothing.
 *
 * Run: node bench/telemetry.ts [--minions 500] [--jobs 10] [--rounds 3] [--runtimes node,bun,deno] [--json]
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MetricRegistry, METRICS, NO_METER } from "../src/base/telemetry/mod.ts";
import { freePort } from "./bed/ports.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine } from "./bed/sides.ts";
import { type Measured, measureMaster } from "./master.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface TelemetryBenchOptions extends BenchOptions {
  /** @default 500 */
  minions?: number;
  /** @default 10 */
  jobs?: number;
  /** @default 3 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

/** A collector that takes everything. */
async function collector(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const CALLS = 5_000_000;

/** Nanoseconds of one call. */
function callOf(meter: typeof NO_METER): number {
  const counter = meter.counter(METRICS.returnsReceived);
  const begin = performance.now();
  for (let i = 0; i < CALLS; i++) counter.add(1);
  return (performance.now() - begin) / CALLS * 1e6;
}

export async function run(options: TelemetryBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, minions = quick ? 100 : 500 } = options;
  const { jobs = quick ? 5 : 10, rounds = quick ? 1 : 3 } = options;
  const rows: Row[] = [
    { name: "one count, off", value: rounded(callOf(NO_METER)), unit: "ns", note: "node, this process" },
    { name: "one count, on", value: rounded(callOf(new MetricRegistry())), unit: "ns", note: "node, this process" },
  ];
  await using traces = await collector();
  for (const runtime of installed(options.runtimes)) {
    const side = brine(runtime, "source");
    const found: Record<"off" | "metrics" | "metrics and traces", Measured[]> = {
      off: [],
      metrics: [],
      "metrics and traces": [],
    };
    for (let round = 0; round < rounds; round++) {
      for (const [name, measured] of Object.entries(found)) {
        say(`telemetry: round ${round + 1} of ${rounds}, ${side.name}, ${name}`);
        const port = await freePort();
        const scraping = name === "off" ? undefined : setInterval(() => {
          fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text()).catch(() => {});
        }, 1000);
        const tracing = { enabled: true, sampler_arg: 0.1, endpoint: traces.url };
        measured.push(
          await measureMaster(side, minions, jobs, 0, {
            ...(name === "off" ? {} : { metrics: { listen: `127.0.0.1:${port}` } }),
            ...(name === "metrics and traces" ? { tracing } : {}),
          }),
        );
        clearInterval(scraping);
      }
    }
    const figure = (name: string, unit: string, pick: (one: Measured) => number) => {
      const control = median(found.off.map(pick));
      for (const [kind, measured] of Object.entries(found)) {
        const value = median(measured.map(pick));
        const ratio = kind === "off" ? {} : { ratio: rounded(control / value) };
        rows.push({
          name: `${minions} minions, ${name}`,
          value: rounded(value),
          unit,
          note: `${side.name}, ${kind}`,
          ...ratio,
        });
      }
    };
    figure("processor time of the master", "µs/return", (one) => (one.cpuMs ?? NaN) * 1000);
    figure("processor time of the master", "ms/sign-in", (one) => one.authCpuMs ?? NaN);
    figure("'*' test.ping", "ms", (one) => one.pingMs);
  }
  return rows;
}

if (import.meta.main) {
  await runProgram({ minions: "number", jobs: "number", rounds: "number" }, run);
}

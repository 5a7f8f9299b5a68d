import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { telemetrySettings } from "../../../../cli/daemon/telemetry/settings.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const fs = memoryFileSystem({ clock: new FakeClock() });
fs.mkdir("/etc");
fs.write("/etc/token", "from-file\n");
fs.write("/etc/empty", "\n");

describe("telemetrySettings", () => {
  for (
    const { name, metrics, scrape } of [
      { name: "nothing", metrics: {}, scrape: undefined },
      { name: "an address", metrics: { listen: "127.0.0.1:9105" }, scrape: ["127.0.0.1", 9105, undefined] },
      { name: "a port", metrics: { listen: 9105 }, scrape: ["127.0.0.1", 9105, undefined] },
      { name: "a host", metrics: { listen: "10.0.0.7" }, scrape: ["10.0.0.7", 9464, undefined] },
      { name: "IPv6", metrics: { listen: "[::1]:9105" }, scrape: ["::1", 9105, undefined] },
      { name: "off", metrics: { enabled: false, listen: "127.0.0.1:9105" }, scrape: undefined },
      {
        name: "Salt's spelling",
        metrics: { enabled: true, exporter: "prometheus", prometheus: { host: "::1", port: 9999 } },
        scrape: ["::1", 9999, undefined],
      },
      {
        name: "Salt's defaults",
        metrics: { enabled: true, exporter: "prometheus" },
        scrape: ["127.0.0.1", 9464, undefined],
      },
      {
        name: "a token in a file",
        metrics: { listen: 1, token_file: "/etc/token" },
        scrape: ["127.0.0.1", 1, "from-file"],
      },
    ]
  ) {
    test(`metrics: ${name}`, () => {
      const found = telemetrySettings(fs, { metrics, tracing: {} });
      assert.deepEqual(found.scrape, scrape && { host: scrape[0], port: scrape[1], token: scrape[2] });
      assert.deepEqual([found.metrics, found.traces], [undefined, undefined]);
    });
  }

  test("as in Salt, metrics are pushed where no exporter is named", () => {
    const { scrape, metrics } = telemetrySettings(fs, {
      metrics: { enabled: true, endpoint: "http://c:4318/v1/metrics" },
    });
    assert.equal(scrape, undefined);
    assert.deepEqual([metrics?.url, metrics?.intervalMs], ["http://c:4318/v1/metrics", 60_000]);
  });

  for (
    const { tracing, ratio, follow } of [
      { tracing: { enabled: true }, ratio: 1, follow: true },
      { tracing: { enabled: true, sampler_arg: 0.1 }, ratio: 0.1, follow: true },
      { tracing: { enabled: true, sampler: "trace_id_ratio", sampler_arg: "0.5" }, ratio: 0.5, follow: false },
      { tracing: { enabled: true, sampler: "always_off" }, ratio: 0, follow: false },
    ]
  ) {
    test(`tracing ${JSON.stringify(tracing)} records ${ratio}`, () => {
      const { traces } = telemetrySettings(fs, { tracing });
      assert.deepEqual([traces?.ratio, traces?.follow], [ratio, follow]);
    });
  }

  for (
    const { opts, message } of [
      {
        opts: { metrics: { listne: 1 } },
        message: /Unknown name "listne" in the option metrics: expected one of enabled,/,
      },
      { opts: { metrics: { listen: "a b" } }, message: /metrics\.listen "a b" is not an address/ },
      { opts: { metrics: { listen: "h:99999" } }, message: /metrics\.listen\.port must be a number from 0 to 65535/ },
      { opts: { metrics: { enabled: "maybe" } }, message: /metrics\.enabled must be True or False/ },
      {
        opts: { metrics: { enabled: true, exporter: "otlp-grpc" } },
        message: /metrics\.exporter "otlp-grpc" is not available: use prometheus, otlp-http/,
      },
      {
        opts: { metrics: { listen: 1, token_file: "/etc/none" } },
        message: /Cannot read metrics\.token_file "\/etc\/none"/,
      },
      {
        opts: { metrics: { listen: 1, token_file: "/etc/empty" } },
        message: /is empty: write the token into the file/,
      },
      {
        opts: { tracing: { enabled: true, endpoint: "collector" } },
        message: /tracing\.endpoint "collector" is not an http/,
      },
      {
        opts: { tracing: { enabled: true, sampler_arg: 2 } },
        message: /tracing\.sampler_arg must be a number from 0 to 1/,
      },
      { opts: { tracing: true }, message: /tracing must be a map/ },
    ]
  ) {
    test(`${JSON.stringify(opts)} is refused`, () => {
      assert.throws(() => telemetrySettings(fs, opts), { name: "ConfigError", message });
    });
  }
});

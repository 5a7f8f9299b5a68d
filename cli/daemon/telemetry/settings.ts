/** Reads the options `metrics` and `tracing`; names are those of Salt 3008 where it has them. */
import { ConfigError, messageOf } from "../../../src/base/errors.ts";
import { isRecord } from "../../../src/base/record.ts";
import type { FileSystem } from "../../../src/runtime/fs.ts";

/** The address at which Prometheus fetches metrics. */
interface ScrapeSettings {
  host: string;
  port: number;
  /** The bearer token that Prometheus must send; undefined for none. */
  token: string | undefined;
}

/** The OpenTelemetry collector that receives metrics or spans. */
export interface ExportSettings {
  /** URL of the collector; undefined for the collector on this host. */
  url: string | undefined;
  headers: Record<string, string>;
  serviceName: string | undefined;
  resource: Record<string, string>;
}

interface TelemetrySettings {
  scrape: ScrapeSettings | undefined;
  /** Export of metrics, with the interval in milliseconds. */
  metrics: ExportSettings & { intervalMs: number } | undefined;
  /** Export of traces, with the ratio of traces that are recorded, from 0 to 1. */
  traces: ExportSettings & { ratio: number; follow: boolean } | undefined;
}

/** Names of the option for metrics: programs that read the same configuration file have one each. */
export type MetricsOption = "metrics" | "api_metrics" | "syndic_metrics";

/** Salt's default port. */
const PORT = 9464;

const METRICS_KEYS = [
  "enabled",
  "exporter",
  "listen",
  "prometheus",
  "token",
  "token_file",
  "endpoint",
  "headers",
  "service_name",
  "resource_attributes",
  "export_interval_seconds",
  "insecure",
  "histogram_boundaries",
];
const TRACING_KEYS = [
  "enabled",
  "exporter",
  "endpoint",
  "headers",
  "service_name",
  "resource_attributes",
  "sampler",
  "sampler_arg",
  "insecure",
];

/**
 * Reads the two options.
 *
 * @param option the name of the option for metrics: `metrics`, or `api_metrics` and `syndic_metrics` for salt-api and salt-syndic
 * @throws {ConfigError} naming the option and the value
 */
export function telemetrySettings(
  fs: FileSystem,
  opts: Record<string, unknown>,
  option: MetricsOption = "metrics",
): TelemetrySettings {
  const sections = { metrics: opts.metrics, api_metrics: opts.api_metrics, syndic_metrics: opts.syndic_metrics };
  const metrics = sectionOf(sections[option], option, METRICS_KEYS);
  const tracing = sectionOf(opts.tracing, "tracing", TRACING_KEYS);
  const exporter = metrics?.text("exporter");
  const scraped = metrics !== undefined && (metrics.has("listen") || exporter === "prometheus");
  // As in Salt 3008, OTLP is the default exporter.
  const pushed = metrics !== undefined && (exporter === "otlp-http" || exporter === undefined && !scraped);
  if (metrics !== undefined) metrics.oneOf("exporter", ["prometheus", "otlp-http"]);
  tracing?.oneOf("exporter", ["otlp-http"]);
  return {
    scrape: scraped ? scrapeOf(fs, metrics) : undefined,
    metrics: pushed
      ? { ...exportOf(metrics), intervalMs: metrics.number("export_interval_seconds", 60, 1, 86_400) * 1000 }
      : undefined,
    traces: tracing === undefined ? undefined : { ...exportOf(tracing), ...samplerOf(tracing) },
  };
}

function scrapeOf(fs: FileSystem, metrics: Section): ScrapeSettings {
  const at = metrics.has("listen") ? metrics.address("listen") : metrics.map("prometheus");
  const section = new Section(at, `${metrics.name}.${metrics.has("listen") ? "listen" : "prometheus"}`);
  const file = metrics.text("token_file");
  let token = metrics.text("token");
  if (file !== undefined) {
    try {
      token = fs.readText(file).trim();
    } catch (error) {
      throw new ConfigError(`Cannot read ${metrics.name}.token_file "${file}": ${messageOf(error)}`);
    }
    if (token === "") {
      throw new ConfigError(`${metrics.name}.token_file "${file}" is empty: write the token into the file`);
    }
  }
  return { host: section.text("host") ?? "127.0.0.1", port: section.number("port", PORT, 0, 65_535), token };
}

function exportOf(section: Section): ExportSettings {
  const url = section.text("endpoint");
  if (url !== undefined && !/^https?:\/\/[^\s]+$/.test(url)) {
    throw new ConfigError(`${section.name}.endpoint "${url}" is not an http or https URL`);
  }
  return {
    url,
    headers: section.texts("headers"),
    serviceName: section.text("service_name"),
    resource: section.texts("resource_attributes"),
  };
}

function samplerOf(section: Section): { ratio: number; follow: boolean } {
  section.oneOf("sampler", ["parent_based", "always_on", "always_off", "trace_id_ratio"]);
  const sampler = section.text("sampler") ?? "parent_based";
  const ratio = section.number("sampler_arg", 1, 0, 1);
  if (sampler === "always_on") return { ratio: 1, follow: false };
  if (sampler === "always_off") return { ratio: 0, follow: false };
  return { ratio, follow: sampler === "parent_based" };
}

/** The section in an option; undefined if it is absent or disabled. @throws {ConfigError} for an unknown name in it */
function sectionOf(value: unknown, name: string, keys: readonly string[]): Section | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (!isRecord(value)) throw new ConfigError(`${name} must be a map, such as {listen: 127.0.0.1:${PORT}}`);
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      throw new ConfigError(`Unknown name "${key}" in the option ${name}: expected one of ${keys.join(", ")}`);
    }
  }
  const section = new Section(value, name);
  const on = value.enabled ?? section.has("listen");
  if (typeof on !== "boolean") throw new ConfigError(`${name}.enabled must be True or False`);
  return on ? section : undefined;
}

/** Reads typed values from one map; each error names the option and its value. */
class Section {
  readonly name: string;
  readonly #values: Record<string, unknown>;

  constructor(values: Record<string, unknown>, name: string) {
    this.#values = values;
    this.name = name;
  }

  has(key: string): boolean {
    const value = this.#values[key];
    return value !== undefined && value !== null && value !== "";
  }

  text(key: string): string | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#values[key];
    if (typeof value !== "string") throw new ConfigError(`${this.name}.${key} must be text`);
    return value;
  }

  oneOf(key: string, values: readonly string[]): void {
    const value = this.text(key);
    if (value === undefined || values.includes(value)) return;
    throw new ConfigError(`${this.name}.${key} "${value}" is not available: use ${values.join(", ")}`);
  }

  number(key: string, otherwise: number, least: number, most: number): number {
    if (!this.has(key)) return otherwise;
    const value = Number(this.#values[key]);
    if (Number.isFinite(value) && value >= least && value <= most) return value;
    throw new ConfigError(`${this.name}.${key} must be a number from ${least} to ${most}`);
  }

  map(key: string): Record<string, unknown> {
    const value = this.#values[key] ?? {};
    if (!isRecord(value)) throw new ConfigError(`${this.name}.${key} must be a map`);
    return value;
  }

  texts(key: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.map(key)).map(([name, value]) => {
        if (typeof value === "object") throw new ConfigError(`${this.name}.${key}.${name} must be text`);
        return [name, String(value)];
      }),
    );
  }

  /** Parses `127.0.0.1:9105`, `[::1]:9105`, an address alone or a port alone. */
  address(key: string): { host?: string; port?: number } {
    const value = this.#values[key];
    const text = typeof value === "number" || value instanceof Number ? String(value) : this.text(key)!;
    const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
    if (plain !== undefined && port === undefined && /^\d+$/.test(plain)) return { port: Number(plain) };
    const host = bracketed ?? plain;
    if (host === undefined) {
      throw new ConfigError(`${this.name}.${key} "${text}" is not an address: expected one such as 127.0.0.1:${PORT}`);
    }
    return { host, ...(port === undefined ? {} : { port: Number(port) }) };
  }
}

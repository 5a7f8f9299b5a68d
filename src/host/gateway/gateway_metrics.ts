import { type Histogram, type Meter, METRICS, OTHER, type Telemetry, type Tracer } from "../../base/telemetry/mod.ts";
import type { Route } from "./requests/route.ts";

interface ObservedGateway {
  requests(): number;
  sessions(): number;
  streams(): number;
}

/** The methods with their own label; all others share one, since a caller can send any text. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"]);

/** Counts the requests of a gateway by route, never by path, which a caller chooses. */
export class GatewayMetrics {
  readonly #meter: Meter;
  readonly #tracer: Tracer;
  readonly #seconds: Histogram;

  constructor({ meter, tracer }: Pick<Telemetry, "meter" | "tracer">, gateway: ObservedGateway) {
    this.#meter = meter;
    this.#tracer = tracer;
    this.#seconds = meter.histogram(METRICS.httpRequests);
    meter.read(METRICS.httpInProgress, () => gateway.requests());
    meter.read(METRICS.httpSessions, () => gateway.sessions());
    meter.read(METRICS.httpStreams, () => gateway.streams());
  }

  /**
   * Counts a request that begins.
   *
   * @param route the route; undefined if the path has none
   * @returns a function to call with the status of the answer
   */
  begin(route: Route | undefined, method: string): (status: number) => void {
    const began = this.#meter.now();
    const name = route?.path ?? OTHER;
    const span = this.#tracer.start(`${METHODS.has(method) ? method : "HTTP"} ${name}`, { kind: "server" });
    return (status) => {
      this.#seconds.observe(this.#meter.now() - began, name, `${Math.floor(status / 100)}xx`);
      span.set("http.response.status_code", status);
      span.end(status >= 500 ? `status ${status}` : undefined);
    };
  }
}

import type { Clock } from "../../base/async/clock.ts";
import { Float } from "../../language/python/values.ts";
import { VERSION } from "../../base/version.ts";

const float = (value: number) => new Float(value);

/** Counts of the gateway's requests, with the names of Salt's statistics. */
export class Statistics {
  readonly #clock: Clock;
  readonly #enabled: boolean;
  readonly #address: string;
  readonly #started: number;
  #requests = 0;
  #current = 0;
  #read = 0;
  #totalMs = 0;

  constructor(clock: Clock, enabled: boolean, address: string) {
    this.#clock = clock;
    this.#enabled = enabled;
    this.#address = address;
    this.#started = clock.now();
  }

  get requests(): number {
    return this.#requests;
  }

  get current(): number {
    return this.#current;
  }

  begin(bytes: number): void {
    this.#requests++;
    this.#current++;
    this.#read += bytes;
  }

  end(ms: number): void {
    this.#current--;
    this.#totalMs += ms;
  }

  report(): Record<string, unknown> {
    const seconds = (this.#clock.now() - this.#started) / 1000;
    const [requests, read] = [this.#requests, this.#read];
    return {
      "CherryPy Applications": {
        Enabled: this.#enabled,
        "Bytes Read/Request": float(requests === 0 ? 0 : read / requests),
        "Bytes Read/Second": float(read / Math.max(seconds, 0.001)),
        "Bytes Written/Request": float(0),
        "Bytes Written/Second": float(0),
        "Current Time": float(this.#clock.now() / 1000),
        "Current Requests": this.#current,
        "Requests/Second": float(requests / Math.max(seconds, 0.001)),
        "Server Version": VERSION,
        "Start Time": float(this.#started / 1000),
        "Total Bytes Read": read,
        "Total Bytes Written": 0,
        "Total Requests": requests,
        "Total Time": float(this.#totalMs / 1000),
        Uptime: float(seconds),
        Requests: {},
      },
      "Brine HTTPServer": {
        Enabled: this.#enabled,
        "Bind Address": this.#address,
        Requests: requests,
        "Worker Threads": {},
      },
    };
  }
}

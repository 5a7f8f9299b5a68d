/** Engines that are programs in any language: a line of JSON for each event, in both directions. */
import { messageOf } from "../../base/errors.ts";
import { fnmatch } from "../event/tag.ts";
import { isRecord } from "../../base/record.ts";
import { AsyncQueue } from "../../base/async/queue.ts";
import type { EngineContext, EngineEvents } from "./engines.ts";
import { Lines } from "./lines.ts";

/** Time for a program that is to end to do so by itself. */
const GRACE_MS = 2000;
/** Characters of a line that the log shows. */
const SHOWN = 500;
const LEVELS = ["debug", "info", "warning", "error"] as const;

/** Values that JSON has no word for, as what is nearest. */
function jsonable(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item]));
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "bigint" ? Number(value) : value;
}

const line = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, jsonable)}\n`);

/** What goes to the program: first what it is, then the events that it asks for. */
class Input implements AsyncIterable<Uint8Array> {
  readonly #engine: EngineContext;
  readonly #first: Record<string, unknown>;
  readonly #asked = new AsyncQueue<readonly string[]>({ limit: 1, whenFull: "drop-oldest" });

  constructor(engine: EngineContext, first: Record<string, unknown>) {
    this.#engine = engine;
    this.#first = first;
    engine.signal.addEventListener("abort", () => this.#asked.close());
  }

  /** The program wants events with such tags from now on; a second request is ignored. */
  subscribe(globs: readonly string[]): void {
    this.#asked.offer(globs);
    this.#asked.close();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    yield line({ start: this.#first });
    for await (const globs of this.#asked) {
      const matches = globs.map(fnmatch);
      const events: EngineEvents = this.#engine.events((tag) => matches.some((wants) => wants(tag)));
      let missed = 0;
      for await (const { tag, data } of events) {
        if (events.missed > missed) yield line({ missed: events.missed - missed });
        missed = events.missed;
        yield line({ event: { tag, data } });
      }
    }
    // It is to end: its input ends.
    if (!this.#engine.signal.aborted) {
      await new Promise<void>((resolve) =>
        this.#engine.signal.addEventListener("abort", () => resolve(), { once: true })
      );
    }
  }
}

/** Does what one line says. */
async function obey(engine: EngineContext, input: Input, text: string): Promise<void> {
  const { log } = engine;
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    said = undefined;
  }
  if (!isRecord(said)) {
    return log.warning("a program printed a line that is not a JSON map", { line: text.slice(0, SHOWN) });
  }
  const { tag, data, subscribe, log: message, level, report } = said;
  if (typeof tag === "string") {
    try {
      await engine.fire(tag, isRecord(data) ? data : data === undefined ? {} : { data });
    } catch (error) {
      log.warning("event of a program not fired", { error: messageOf(error) });
    }
  }
  if (subscribe !== undefined) input.subscribe([subscribe].flat().map(String));
  if (isRecord(report)) engine.report(report);
  if (message !== undefined) {
    log[LEVELS.find((one) => one === level) ?? "info"]("a program says", { text: String(message).slice(0, SHOWN) });
  }
}

/**
 * Runs a program as an engine until it ends or is to end.
 *
 * @throws {Error} if it cannot be run or ends with another code than 0
 */
export async function runEngineProgram(
  engine: EngineContext,
  path: string,
  settings: Record<string, unknown>,
): Promise<void> {
  const { runtime: { process, clock }, log, signal, name, role, id } = engine;
  const input = new Input(engine, { name, role, id, settings });
  const output = new Lines(
    (text) => obey(engine, input, text),
    (length) => log.warning("a program printed a line that is too long: line skipped", { characters: length }),
  );
  let last = "";
  const errors = new Lines((text) => {
    last = text.slice(0, SHOWN);
    log.info("a program says", { text: last });
  });
  const child = await process.spawn({
    argv: [path, "start"],
    env: process.environment(),
    stdin: input,
    onStdout: (chunk) => output.push(chunk),
    onStderr: (chunk) => errors.push(chunk),
  });
  engine.report({ program: path, program_pid: child.pid });
  // It is in the group of this process, which its supervisor kills: what the program has started goes with it.
  const stop = () => {
    child.kill("SIGTERM");
    void child.exited.then(clock.after(GRACE_MS, () => child.kill("SIGKILL")));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const { code, signal: by } = await child.exited;
  if (signal.aborted || code === 0) return;
  const how = by === null ? `exit code ${code}` : `signal ${by}`;
  throw new Error(`The program "${path}" ended with ${how}${last === "" ? "" : `: ${last}`}`);
}

/** Engines that are programs in any language: one line of JSON for each event, in both directions. */
import { messageOf } from "../../base/errors.ts";
import { fnmatch } from "../event/tag.ts";
import { isRecord } from "../../base/record.ts";
import { AsyncQueue } from "../../base/async/queue.ts";
import type { EngineContext, EngineEvents } from "./engines.ts";
import { Lines } from "./lines.ts";

/** Milliseconds that a program gets to end after SIGTERM. */
const GRACE_MS = 2000;
/** Characters of an invalid line that the log shows. */
const SHOWN = 500;
const LEVELS = ["debug", "info", "warning", "error"] as const;

/** Replaces values that JSON cannot express by the nearest ones. */
function jsonable(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item]));
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return typeof value === "bigint" ? Number(value) : value;
}

const line = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, jsonable)}\n`);

/** The input of the program: first a description of the engine, then the events that the program subscribes to. */
class Input implements AsyncIterable<Uint8Array> {
  readonly #engine: EngineContext;
  readonly #first: Record<string, unknown>;
  readonly #asked = new AsyncQueue<readonly string[]>({ limit: 1, whenFull: "drop-oldest" });

  constructor(engine: EngineContext, first: Record<string, unknown>) {
    this.#engine = engine;
    this.#first = first;
    engine.signal.addEventListener("abort", () => this.#asked.close());
  }

  /** Sends events with matching tags to the program from now on; a second subscription is ignored. */
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
    // Keep the program's input open until the engine has to end.
    if (!this.#engine.signal.aborted) {
      await new Promise<void>((resolve) =>
        this.#engine.signal.addEventListener("abort", () => resolve(), { once: true })
      );
    }
  }
}

/** Handles one line of the program's output. */
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
 * Runs a program as an engine, until the program ends or the engine is stopped.
 *
 * @throws {Error} if the program cannot be run, or exits with a code other than 0
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
  // The program stays in the process group of this process: the supervisor kills the group with all its children.
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

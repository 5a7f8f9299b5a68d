/** An engine without a host: the test gives it events, and sees what it fires and reports. */
import { EventBuffer } from "../../src/feature/engine/event_buffer.ts";
import { BusEvent } from "../../src/model/event/bus.ts";
import type { EngineContext, EngineMaster, EngineModule } from "../../src/model/loader/engines.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { type CapturedLog, captureLog } from "./capture_log.ts";

export interface EngineSite extends AsyncDisposable {
  context: EngineContext;
  captured: CapturedLog;
  fired: { tag: string; data: Record<string, unknown> }[];
  details: Record<string, unknown>;
  /** Gives it an event. */
  event(tag: string, data?: Record<string, unknown>): void;
  /** Starts an engine with options as a configuration has them. */
  start(engine: EngineModule, settings?: Record<string, unknown>): Promise<void>;
  /** Resolves once something holds. */
  until(holds: () => boolean, what: string): Promise<void>;
  /** Ends it; resolves when it has returned. */
  end(): Promise<void>;
}

export interface EngineSiteOptions {
  runtime?: Runtime;
  role?: "master" | "minion";
  opts?: Record<string, unknown>;
  master?: Partial<EngineMaster>;
  fire?: EngineContext["fire"];
}

export async function engineSite(options: EngineSiteOptions = {}): Promise<EngineSite> {
  const { role = "master", opts = {}, master, runtime = await currentRuntime() } = options;
  const captured = captureLog();
  const ending = new AbortController();
  const buffers: EventBuffer[] = [];
  const fired: EngineSite["fired"] = [];
  const details: Record<string, unknown> = {};
  const started: Promise<void>[] = [];
  const watchers: { holds: () => boolean; resolve: () => void }[] = [];
  const changed = () => {
    for (const watcher of [...watchers]) {
      if (!watcher.holds()) continue;
      watchers.splice(watchers.indexOf(watcher), 1);
      watcher.resolve();
    }
  };
  const context: EngineContext = {
    name: "tested",
    role,
    id: role === "master" ? "here_master" : "web1",
    opts,
    runtime,
    log: captured.log,
    signal: ending.signal,
    ...(master === undefined ? {} : { master: master as EngineMaster }),
    call: () => Promise.reject(new Error("no functions here")),
    events(wants = () => true) {
      const buffer = new EventBuffer(wants, () => {});
      buffers.push(buffer);
      changed();
      return buffer;
    },
    async fire(tag, data) {
      await options.fire?.(tag, data);
      fired.push({ tag, data });
      changed();
    },
    report(more) {
      Object.assign(details, more);
      changed();
    },
  };
  const end = async () => {
    ending.abort(new Error("The engine is stopping"));
    for (const buffer of buffers) buffer.close();
    await Promise.all(started.splice(0));
  };
  return {
    context,
    captured,
    fired,
    details,
    event(tag, data = {}) {
      for (const buffer of buffers) buffer.take(BusEvent.fromData(tag, data));
    },
    start(engine, settings = {}) {
      const args = bindArguments("start", parseSignature(engine.signature), [], new Map(Object.entries(settings)));
      const work = engine.start(context, args);
      started.push(work.catch(() => {}));
      return work;
    },
    async until(holds, what) {
      if (holds()) return;
      const met = new Promise<void>((resolve) => watchers.push({ holds, resolve }));
      const late = AbortSignal.timeout(30_000);
      await Promise.race([
        met,
        new Promise<never>((_, reject) =>
          late.addEventListener(
            "abort",
            () => reject(new Error(`never: ${what}; ${JSON.stringify({ details, fired, log: captured.records })}`)),
          )
        ),
      ]);
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}

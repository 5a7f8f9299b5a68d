/** A supervisor in memory, whose processes do what their requests say. */
import { turns } from "../../../bench/bed/until.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import { type MemoryCall, memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import {
  type FromPart,
  PART_VARIABLE,
  PROTOCOL_VERSION,
  type ToPart,
} from "../../../src/feature/supervise/part_protocol.ts";
import { Supervisor } from "../../../src/feature/supervise/supervisor.ts";
import { frame, FrameReader } from "../../../src/protocol/wire/frames.ts";
import { type CapturedLog, captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

export interface SuperviseBed {
  clock: FakeClock;
  runtime: Runtime;
  captured: CapturedLog;
  supervisor: Supervisor;
  /** How many processes were started. */
  started(): number;
  /** Bodies of requests in the order in which processes got them. */
  got: string[];
  /** Lets requests of the kind `hold` be answered. */
  release(): void;
  /** Moves the clock by so many heartbeats, each with time for its answer. */
  beats(count: number): Promise<void>;
}

export const text = (value: string) => new TextEncoder().encode(value);

/**
 * One process. By the kind of a request it answers (`echo`), waits until the test lets it (`hold`), fails (`fail`), dies with last
 * words (`die`), hangs without a sign of life (`hang`), or never answers and lives (`never`).
 */
async function program(
  call: MemoryCall & { isStuck?: boolean },
  runtime: Runtime,
  got: string[],
  released: () => Promise<void>,
): Promise<number> {
  const [token = "", path = ""] = call.env[PART_VARIABLE]!.split(" ");
  const connection = await runtime.net.dial({ kind: "unix", path });
  const ended = deferred<number>();
  const reader = new FrameReader();
  let hangs = call.isStuck === true;
  const send = (message: FromPart) => void connection.write(frame(message));
  const answer = async ({ id, kind, body }: ToPart & { type: "request" }) => {
    const value = new TextDecoder().decode(body);
    got.push(value);
    if (kind === "hold") await released();
    if (kind === "die") {
      await call.stderr(`cannot go on with ${value}`);
      return ended.resolve(3);
    }
    if (kind === "hang") hangs = true;
    if (hangs || kind === "never") return;
    send(kind === "fail" ? { type: "reply", id, error: `failed: ${value}` } : { type: "reply", id, value });
  };
  connection.start({
    onData(chunk) {
      reader.push(chunk);
      for (let next = reader.next(); next !== undefined; next = reader.next()) {
        const message = next as ToPart;
        if (hangs) continue;
        if (message.type === "start") send({ type: "ready" });
        if (message.type === "beat") send({ type: "beat" });
        if (message.type === "request") void answer(message);
      }
    },
    onClose: () => hangs || ended.resolve(0),
  });
  call.signal.addEventListener("abort", () => connection.destroy());
  send({ type: "hello", token, version: PROTOCOL_VERSION });
  return await ended.promise;
}

export async function superviseBed(): Promise<SuperviseBed> {
  const clock = new FakeClock();
  const captured = captureLog();
  const got: string[] = [];
  let started = 0;
  let gate = deferred<void>();
  const { crypto } = await currentRuntime();
  const runtime: Runtime = memoryRuntime({
    clock,
    crypto,
    process: {
      programs: {
        worker(call) {
          started++;
          return program(call, runtime, got, () => gate.promise);
        },
        // Never connects, as a process that is stopped while it starts.
        mute: (call) => {
          started++;
          return new Promise((resolve) => call.signal.addEventListener("abort", () => resolve(1)));
        },
        // Connects, and hangs before it takes requests.
        stuck(call) {
          started++;
          return program({ ...call, isStuck: true }, runtime, got, () => gate.promise);
        },
        broken: async (call) => {
          started++;
          await call.stderr("no such module");
          return 1;
        },
      },
    },
  });
  runtime.fs.mkdir("/run");
  return {
    clock,
    runtime,
    captured,
    supervisor: new Supervisor({ runtime, log: captured.log, socket: { kind: "unix", path: "/run/parts.ipc" } }),
    started: () => started,
    got,
    release() {
      gate.resolve();
      gate = deferred();
    },
    async beats(count) {
      await turns(30);
      for (let beat = 0; beat < count; beat++) {
        clock.advance(1000);
        await turns(30);
      }
    },
  };
}

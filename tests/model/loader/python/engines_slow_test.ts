import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../../bench/bed/until.ts";
import { AsyncQueue } from "../../../../src/base/async/queue.ts";
import { createLogger } from "../../../../src/base/log.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { findCustomEngine, runCustomEngine } from "../../../../src/model/loader/custom_engines.ts";
import type { EngineContext, EngineEvent } from "../../../../src/model/loader/engines.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

const found = findPython(await currentRuntime(), {});
const root = mkdtempSync(path.join(tmpdir(), "brine-python-engine-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** An engine of `tests/vectors/python`, on a bus of the test. */
async function start(settings: Record<string, unknown>) {
  const runtime = { ...await currentRuntime(), clock: systemClock };
  const log = createLogger(() => {}, "warning");
  const opts = {
    python: "auto",
    python_salt: false,
    sock_dir: "/nowhere",
    extension_modules: fileURLToPath(new URL("../../../vectors/python/extmods", import.meta.url)),
  };
  const bus = new AsyncQueue<EngineEvent>({ limit: 100 });
  const fired: EngineEvent[] = [];
  const stop = new AbortController();
  const engine: EngineContext = {
    name: "shop",
    role: "minion",
    id: "web1",
    opts,
    runtime,
    log,
    signal: stop.signal,
    events: () => Object.assign(bus, { missed: 0 }),
    fire: (tag, data) => Promise.resolve(void fired.push({ tag, data })),
    report: () => {},
    call: (_fun, positional = []) => Promise.resolve(positional[0]),
  };
  const place = { runtime, log, opts };
  const file = findCustomEngine(place, "shopengine");
  assert.ok(typeof file === "object");
  const ended = runCustomEngine(place, file, "start", engine, settings);
  return { bus, fired, stop, ended, close: () => closePython(runtime) };
}

describe("engines of Python", { skip: found === undefined && "no python3 of 3.8 or newer: install python3" }, () => {
  test("one fires events, hears those of its bus, calls functions, and ends", async () => {
    const file = path.join(root, "a");
    const { bus, fired, ended, close } = await start({ path: file, count: 2 });
    bus.offer({ tag: "salt/other", data: {} });
    bus.offer({ tag: "shop/say/1", data: { word: "hello" } });
    bus.offer({ tag: "shop/say/2", data: { word: "stop" } });
    await ended;
    assert.deepEqual(fired.map(({ tag, data }) => [tag, data]), [["shop/engine/0", { n: 0 }], ["shop/engine/1", {
      n: 1,
    }]]);
    assert.equal(readFileSync(file, "utf8"), "started minion x\nheard shop/say/1 hello\nheard shop/say/2 stop\n");
    await close();
  });

  test("one that is to end is ended with its process", async () => {
    const file = path.join(root, "b");
    const { fired, stop, ended, close } = await start({ path: file });
    await until(() => fired.length > 0);
    const pid = readFileSync(`${file}.pid`, "utf8");
    assert.ok(existsSync(`/proc/${pid}`));
    stop.abort(new Error("The engine is stopping"));
    await assert.rejects(ended, /stopping/);
    await until(() => !existsSync(`/proc/${pid}`));
    await close();
  });
});

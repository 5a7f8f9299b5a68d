import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { until } from "../../../../bench/bed/until.ts";
import { AsyncQueue } from "../../../../src/base/async/queue.ts";
import { createLogger } from "../../../../src/base/log.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { findCustomEngine, findLentEngine, runCustomEngine } from "../../../../src/model/loader/custom_engines.ts";
import type { EngineContext, EngineEvent } from "../../../../src/model/loader/engines.ts";
import type { MinionOpts } from "../../../../src/model/config/minion_opts.ts";
import { localSockets, openLocalBus } from "../../../../src/host/minion/local_bus.ts";
import { RELEASES } from "../../../interop/release.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

const found = findPython(await currentRuntime(), {});
const root = mkdtempSync(path.join(tmpdir(), "brine-python-engine-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** An engine of `tests/vectors/python`, on a bus of the test. */
async function start(settings: Record<string, unknown>, more: Record<string, unknown> = {}, module = "shopengine") {
  const runtime = { ...await currentRuntime(), clock: systemClock };
  const log = createLogger(() => {}, "warning");
  const opts = {
    python: "auto",
    python_salt: false,
    sock_dir: "/nowhere",
    extension_modules: fileURLToPath(new URL("../../../vectors/python/extmods", import.meta.url)),
    hash_type: "sha256",
    ...more,
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
    call: (fun, positional = [], keyword = {}) => {
      if (fun === "event.send") fired.push({ tag: String(keyword.tag), data: keyword.data as EngineEvent["data"] });
      return Promise.resolve(positional[0]);
    },
  };
  const place = { runtime, log, opts };
  const file = findCustomEngine(place, module) ?? findLentEngine(place, module);
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

for (const release of RELEASES) {
  const python = saltProgram(release, "python");
  describe(`engines beside the package of Salt ${release}`, {
    skip: !existsSync(python) && `no Salt ${release}: npm run test:interop installs it`,
  }, () => {
    /** The bus of a minion, which Salt's package reaches by its sockets. */
    const openBus = async () => {
      const runtime = { ...await currentRuntime(), clock: systemClock };
      const directory = mkdtempSync(path.join(tmpdir(), "bus-"));
      const opts = { sock_dir: directory, hash_type: "sha256", python, python_salt: "auto" };
      const log = createLogger(() => {}, "quiet");
      const sockets = localSockets(runtime, opts as unknown as MinionOpts, "web1");
      const { bus, close } = await openLocalBus(runtime, sockets, log, opts);
      const heard: EngineEvent[] = [];
      bus.on(({ tag, data }) => void heard.push({ tag, data }));
      const end = async () => {
        await close();
        rmSync(directory, { recursive: true, force: true });
      };
      return { opts, bus, heard, end };
    };

    test("a custom engine hears and fires events by salt.utils.event of that package", async () => {
      const { opts, bus, heard, end } = await openBus();
      const file = path.join(root, `lent-${release}`);
      const { ended, close } = await start({ path: file, count: 1 }, opts);
      await until(() => heard.some(({ tag }) => tag === "shop/engine/0"));
      bus.fire("shop/say/1", { word: "hello" });
      bus.fire("shop/say/2", { word: "stop" });
      await ended;
      assert.match(
        readFileSync(file, "utf8"),
        /^started minion x\nheard shop\/say\/1 hello\nheard shop\/say\/2 stop\n$/,
      );
      await close();
      await end();
    });

    test("an engine of that package runs until it is stopped", async () => {
      const { opts, end } = await openBus();
      const file = path.join(root, `script-${release}`);
      writeFileSync(file, `#!/bin/sh\necho '{"tag": "shop/script", "data": {"n": 1}}'\n`, { mode: 0o755 });
      const { fired, stop, ended, close } = await start(
        { cmd: file, interval: 1 },
        { ...opts, extension_modules: "" },
        "script",
      );
      await until(() => fired.length > 0);
      assert.deepEqual(fired[0], { tag: "shop/script", data: { n: 1, id: "web1" } });
      stop.abort(new Error("The engine is stopping"));
      await assert.rejects(ended, /stopping/);
      await close();
      await end();
    });
  });
}

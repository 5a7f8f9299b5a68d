/** Runs every contract of `tests/contract/` that an adapter has to keep, over one runtime. */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { EventBus } from "../../src/model/event/bus.ts";
import { listenBus, sendToBus } from "../../src/model/event/bus_client.ts";
import { serveBus } from "../../src/model/event/bus_server.ts";
import type { JobCache } from "../../src/model/job/job_cache.ts";
import { silentLogger } from "../../src/base/log.ts";
import { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
import { localCache } from "../../src/plugins/job_caches/local_cache.ts";
import { withLoadFiles } from "../../src/plugins/job_caches/load_files.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { sqliteJobCache } from "../../src/plugins/job_caches/sqlite.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { SocketAddress } from "../../src/runtime/net.ts";
import { packEvent } from "../../src/protocol/wire/event_frame.ts";
import { cryptoContract, type CryptoGaps } from "../contract/crypto_contract.ts";
import { databaseContract, type DatabaseGaps } from "../contract/database_contract.ts";
import { eventBusContract } from "../contract/event_bus_contract.ts";
import { fsContract } from "../contract/fs_contract.ts";
import { jobCacheContract } from "../contract/job_cache_contract.ts";
import { keyStoreContract } from "../contract/key_store_contract.ts";
import { netContract, type NetGaps } from "../contract/net_contract.ts";
import { processContract } from "../contract/process_contract.ts";
import { Breaker } from "../support/failing.ts";
import type { FakeClock } from "../support/fake_clock.ts";

/** The runtime that the tests run on. */
export const RUNNING_ON = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";

/** Makes a new empty directory for each call, removed when the tests are over. */
export function temporaryDirectories(): () => string {
  const root = mkdtempSync(path.join(tmpdir(), "brine-"));
  // By another process: job caches leave thousands of files, and on a busy disk they take longer than a hook may.
  after(() => spawn("rm", ["-rf", root], { stdio: "ignore", detached: true }).unref());
  let count = 0;
  return () => path.join(root, String(count++));
}

export interface RuntimeUnderTest {
  runtime: Runtime;
  /** An empty directory of the runtime's file system. */
  directory(): string;
  gaps?: { crypto?: CryptoGaps; database?: DatabaseGaps; net?: NetGaps; process?: { devices: string } };
}

/** Runs every contract over a runtime. @param make a new one at each call, if it has a state of its own */
export function runtimeContracts(name: string, make: () => RuntimeUnderTest): void {
  const { gaps = {} } = make();
  const place = () => {
    const { runtime, directory } = make();
    const path = directory();
    runtime.fs.mkdir(path);
    return { ...runtime, runtime, directory: path };
  };
  fsContract(name, place);
  processContract(name, () => make().runtime.process, gaps.process);
  databaseContract(name, place, gaps.database);
  cryptoContract(name, () => make().runtime.crypto, gaps.crypto);

  const tcp = (host: string) => (): SocketAddress => ({ kind: "tcp", host, port: 0 });
  netContract(name, () => make().runtime.net, [
    { kind: "tcp", place: tcp("127.0.0.1") },
    { kind: "tcp6", place: tcp("::1") },
    { kind: "ipc", place: () => ({ kind: "unix", path: `${place().directory}/a.ipc` }) },
  ], gaps.net);

  keyStoreContract(`${name} disk:`, () => {
    const { fs, crypto, directory } = place();
    const keys = new KeyDirectories(fs, crypto, directory);
    keys.prepare();
    return keys;
  });

  type Place = ReturnType<typeof place>;
  /** A cache over a place of its own, and over one that can be made to fail. */
  const both = (open: (clock: FakeClock, at: Place) => JobCache) =>
    [
      (clock: FakeClock) => open(clock, place()),
      (clock: FakeClock) => {
        const [breaker, at] = [new Breaker(), place()];
        const { fail, mend } = breaker;
        const failing = { ...at, fs: breaker.files(at.fs), databases: breaker.commits(at.databases) };
        return { jobs: open(clock, failing), fail, mend };
      },
    ] as const;
  const local = both((clock, { fs, crypto, later, directory }) =>
    localCache({ fs, crypto, clock, cacheDir: directory, hashName: "sha256", later })
  );
  jobCacheContract(`${name} local_cache`, ...local, {
    fileNames: "Salt's layout has the files of a job and the directories of its minions under the same names",
    storedMs: "Salt's layout has no time of a return but that of its file",
  });
  const [withFiles] = both((clock, { fs, crypto, later, directory }) =>
    withLoadFiles(memoryJobCache(() => clock.now()), { fs, crypto, later, cacheDir: directory, hashName: "sha256" })
  );
  jobCacheContract(`${name} memory, with load files,`, withFiles, "the cache behind the files is in memory");
  if (gaps.database?.sql === undefined) {
    const sqlite = both((clock, { databases, fs, later, directory }) =>
      sqliteJobCache({ databases, fs, later, path: `${directory}/jobs.sqlite`, now: () => clock.now() })
    );
    jobCacheContract(`${name} sqlite`, ...sqlite);
  } else test(`${name} sqlite JobCache`, { skip: gaps.database.sql });

  eventBusContract(`${name} socket:`, async () => {
    const { runtime, directory } = place();
    const { net, clock } = runtime;
    const bus = new EventBus(() => clock.now());
    const pub: SocketAddress = { kind: "unix", path: `${directory}/pub.ipc` };
    const pull: SocketAddress = { kind: "unix", path: `${directory}/pull.ipc` };
    const server = await serveBus(bus, net, { pub, pull }, silentLogger, { later: (call) => runtime.later(call) });
    const sender = await sendToBus(net, pull);
    return {
      fire: (tag, data) => sender.send(packEvent(tag, data, { now: clock.now() })),
      async listen(listener) {
        const before = server.listeners;
        const { close } = await listenBus(net, pub, listener);
        // The hub accepts the connection in a later turn.
        while (server.listeners <= before) await new Promise<void>((resolve) => runtime.later(resolve));
        return close;
      },
      async close() {
        sender.close();
        await server.close();
      },
    };
  });
}

/** The contracts over a runtime, where it is the one that we run on. */
export function realRuntimeContracts(
  name: string,
  load: () => Promise<RuntimeUnderTest["runtime"]>,
  gaps: RuntimeUnderTest["gaps"] = {},
): Promise<void> {
  if (RUNNING_ON !== name) {
    test(`${name} runtime`, { skip: `these tests run on ${RUNNING_ON}` });
    return Promise.resolve();
  }
  const directory = temporaryDirectories();
  return load().then((runtime) => {
    runtimeContracts(name, () => ({ runtime, directory, gaps }));
    test(`${name} Runtime names itself, draws numbers below 1 and calls back later`, async () => {
      if (runtime.name !== name) throw new Error(`It calls itself ${runtime.name}`);
      if (!(runtime.random() >= 0 && runtime.random() < 1)) throw new Error("random() is out of bounds");
      let called = false;
      const turn = new Promise<void>((resolve) => runtime.later(() => resolve(void (called = true))));
      if (called) throw new Error("later() called back at once");
      await turn;
      if (process.pid !== runtime.process.pid) throw new Error("pid is another's");
    });
  });
}

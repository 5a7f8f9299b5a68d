/** A host whose worker is stopped; prints the worker's pid, and waits to be killed. */
import process from "node:process";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { Supervisor } from "../../../src/feature/supervise/supervisor.ts";
import { systemClock } from "../../../src/base/async/clock.ts";

const [directory = "", ...argv] = process.argv.slice(2);
const runtime = { ...await currentRuntime(), clock: systemClock };
const supervisor = new Supervisor({
  runtime,
  log: silentLogger,
  socket: { kind: "unix", path: `${directory}/parts.ipc` },
});
const workers = supervisor.workers({ name: "test", argv, config: () => ({ directory }), size: 1 });
const ask = (kind: string) => workers.call({ kind, owner: kind, label: kind, body: new Uint8Array(0) });
console.log(await ask("pid"));
await ask("stop");

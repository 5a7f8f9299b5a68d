/** What runners ask the reactor of the master on their host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { turns, until } from "../../../bench/bed/until.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import { ANSWERS, managedRequest } from "../../../src/feature/reactor/manage_requests.ts";
import { reactorAccess, type ReactorAccessOptions } from "../../../src/host/runner/reactor_access.ts";
import { EventBus, OWN_BUS } from "../../../src/model/event/bus.ts";
import { serveBus } from "../../../src/model/event/bus_server.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { lateNet } from "../../support/late_net.ts";

const JID = "20261129101500000000";
const at = (name: string) => ({ kind: "unix", path: `/run/salt/${name}` }) as const;
const ADDRESSES = { pub: at("master_event_pub.ipc"), pull: at("master_event_pull.ipc"), own: at(OWN_BUS) };

for (const master of ["Brine", "Salt"] as const) {
  test(`a ${master} master's answer that comes before its bus has taken the listener is not lost`, async () => {
    const clock = new FakeClock();
    const runtime = memoryRuntime({ clock, crypto: (await currentRuntime()).crypto });
    const { later } = await currentRuntime();
    const { log } = captureLog();
    const bus = new EventBus(() => 0);
    const { own, ...ofSalt } = ADDRESSES;
    const served = master === "Brine" ? ADDRESSES : ofSalt;
    runtime.fs.mkdir("/run/salt");
    runtime.fs.mkdir("/cache");
    // The net in memory leaves no socket on the disk, by which the runner knows a Brine master.
    if (master === "Brine") runtime.fs.write(own.path, new Uint8Array());
    runtime.fs.write("/cache/.root_key", new TextEncoder().encode("the key"));
    await using _server = await serveBus(bus, runtime.net, served, log, { later });
    const asked: string[] = [];
    bus.on(({ tag }) => {
      const operation = managedRequest(tag)?.operation;
      asked.push(operation ?? "a probe");
      if (operation !== undefined) bus.fire(ANSWERS[operation], { reactors: ["all"] });
    });
    const taken = deferred<void>();
    const access = reactorAccess({
      runtime: { ...runtime, net: lateNet(runtime.net, master === "Brine" ? own : served.pub, taken.promise) },
      log,
      opts: { sock_dir: "/run/salt", cachedir: "/cache", user: "root" },
      jid: JID,
      fire: (tag: string, data: Record<string, unknown>) => bus.fire(tag, data),
    } as unknown as ReactorAccessOptions);
    let answer: unknown = "none yet";
    void access.ask("list", {}).then((found) => answer = found?.reactors);
    await (master === "Brine" ? turns(20) : until(() => asked.length > 0));
    assert.ok(!asked.includes("list"));
    taken.resolve();
    await until(() => answer !== "none yet", { clock });
    assert.deepEqual(answer, ["all"]);
    assert.equal(asked.filter((one) => one === "list").length, 1);
  });
}

import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryHttp } from "../../src/runtime/memory/memory_runtime.ts";
import { httpContract } from "../contract/http_contract.ts";
import { FakeClock } from "../support/fake_clock.ts";

const { name, http, net } = await currentRuntime();

/** Sockets of this process, where the system lists them, and active timers, where the runtime does. */
function held(): number {
  const timers = name === "node" ? process.getActiveResourcesInfo().filter((one) => one === "Timeout").length : 0;
  return timers + readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      // Closed meanwhile: the directory's own descriptor.
      return false;
    }
  }).length;
}

httpContract(name, () => ({
  http,
  net,
  fetch: (url, init) => fetch(url, init),
  ...(process.platform === "linux" ? { held } : {}),
}));

httpContract("memory", () => {
  const clock = new FakeClock();
  const memory = memoryHttp(clock);
  return {
    http: memory,
    fetch: (url, init) => memory.fetch(new Request(url, init)),
    pass: (ms) => clock.advance(ms),
  };
}, { sockets: "there are no connections in memory" });

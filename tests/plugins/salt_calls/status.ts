import type { CallScenario } from "./scenario.ts";

const MOMENT = "what the kernel says changes from machine to machine";

export const STATUS: CallScenario[] = [
  {
    name: "status: without facts of the machine",
    calls: [
      ["status.pid", "nosuchprocess-anywhere"],
      ["status.custom"],
      ["status.master"],
      ["status.master", "127.0.0.1"],
      ["status.ping_master", ""],
      ["status.time", "%%"],
      ["status.diskusage", "no-such-type"],
      ["status.loadavg", "x"],
    ],
  },
  {
    name: "status: facts of the machine",
    live: MOMENT,
    calls: [["status.cpuinfo"], ["status.nproc"], ["status.version"], ["status.w"], [
      "status.time",
      "%Y-%m-%d %j %a %B",
    ]],
  },
  {
    name: "status: shapes",
    live: MOMENT,
    // Without status.netstats: Salt leaves out the last counter of each protocol.
    shapes: true,
    calls: [
      ["status.meminfo"],
      ["status.cpustats"],
      ["status.diskstats"],
      ["status.diskusage", "/"],
      ["status.loadavg"],
      ["status.netdev"],
      ["status.uptime"],
      ["status.vmstats"],
    ],
  },
];

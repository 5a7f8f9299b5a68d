import type { CallScenario } from "./scenario.ts";

const MOMENT = "what the kernel says changes from machine to machine";

export const PS: CallScenario[] = [
  {
    name: "ps: without facts of the machine",
    calls: [
      ["ps.disk_io_counters", "nosuchdisk"],
      ["ps.network_io_counters", "nosuchcard"],
      ["ps.disk_usage", "/no/such/directory"],
      ["ps.kill_pid", "4194303"],
      ["ps.pgrep", "nosuchprocess-anywhere"],
      ["ps.pkill", "nosuchprocess-anywhere"],
      ["ps.proc_info", "4194303"],
      ["ps.proc_info", "1", "name"],
      ["ps.status", ""],
      ["ps.status", "no-such-state"],
      ["ps.boot_time", "%%"],
    ],
  },
  {
    name: "ps: facts of the machine",
    live: MOMENT,
    calls: [
      ["ps.boot_time"],
      ["ps.disk_partitions"],
      ["ps.disk_partitions", "True"],
      ["ps.get_users"],
      ["ps.num_cpus"],
      ["ps.total_physical_memory"],
      ["ps.pgrep", "kthreadd"],
      ["ps.pgrep", "kthread.?", "user=root", "pattern_is_regex=True"],
      ["ps.proc_info", "2", "[name, pid, ppid, uids, gids, username, cmdline, terminal, nice, num_threads]"],
    ],
  },
  {
    name: "ps: shapes",
    live: MOMENT,
    shapes: true,
    calls: [
      ["ps.cpu_percent"],
      ["ps.cpu_percent", "per_cpu=True"],
      ["ps.cpu_times"],
      ["ps.cpu_times", "True"],
      ["ps.disk_io_counters"],
      ["ps.disk_partition_usage"],
      ["ps.disk_usage", "/"],
      ["ps.network_io_counters"],
      ["ps.network_io_counters", "lo"],
      ["ps.swap_memory"],
      ["ps.virtual_memory"],
    ],
  },
];

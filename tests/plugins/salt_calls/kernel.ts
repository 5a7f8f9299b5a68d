import type { CallScenario } from "./scenario.ts";

const BEFORE = `Module                  Size  Used by
kvm                  1146880  0
irqbypass              16384  1 kvm
nf_tables             303104  13 nft_ct,nft_masq,nft_chain_nat
`;
const AFTER = `Module                  Size  Used by
bonding               196608  0
tls                   139264  1 bonding
kvm                  1146880  0
`;

/** Modules of the kernel, temporary paths, the log. */
export const KERNEL: CallScenario[] = [
  {
    name: "kmod: what is loaded",
    standIns: { lsmod: { "": BEFORE } },
    calls: [["kmod.lsmod"], ["kmod.mod_list"], ["kmod.is_loaded", "kvm"], ["kmod.is_loaded", "none"]],
  },
  {
    name: "kmod: loaded and unloaded",
    standIns: {
      lsmod: { "": [BEFORE, AFTER, AFTER, BEFORE, BEFORE] },
      modprobe: {
        "none": {
          err: "modprobe: FATAL: Module none not found in directory /lib/modules/6.1.0-18-amd64",
          code: 1,
        },
      },
      rmmod: { "used": { err: "rmmod: ERROR: Module used is in use by: kvm", code: 1 } },
    },
    calls: [
      ["kmod.load", "bonding mode=4 miimon=1000"],
      ["kmod.remove", "bonding"],
      ["kmod.load", "none"],
      ["kmod.remove", "used"],
      ["kmod.remove", "kvm"],
    ],
  },
  {
    name: "temp: in a directory of its own",
    files: { "p/": "" },
    calls: [["temp.dir", "parent={D}/p"], ["temp.file", "suffix=.x", "prefix=a-", "parent={D}/p"]],
    replace: [[/(tmp|a-)[a-z0-9_]{8}/g, "$1RANDOM"]],
  },
  {
    name: "log: every level",
    calls: ["debug", "info", "warning", "error", "critical", "exception"].map((level) => [`log.${level}`, "a message"]),
  },
  {
    name: "sysfs: of this host",
    live: "the attributes are those of one machine",
    calls: [
      ["sysfs.attr", "kernel"],
      ["sysfs.attr", "nothing"],
      ["sysfs.read", "kernel/profiling"],
      // What stands still while both are asked: counters of packets and pages do not.
      ["sysfs.read", "class/net/lo/queues"],
      ["sysfs.read", "[operstate, address, nothing]", "root=class/net/lo"],
      ["sysfs.target", "class/net/lo"],
      ["sysfs.target", "class/net/lo", "full=False"],
      ["sysfs.interfaces", "class/net/nothing"],
      ["sysfs.write", "class/net/nothing/x", "1"],
      ["sysfs.read", "devices/system/cpu/vulnerabilities"],
    ],
  },
];

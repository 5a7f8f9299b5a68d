import type { CallScenario } from "./scenario.ts";

export const DISK: CallScenario[] = [
  {
    name: "disk: what cannot be",
    calls: [
      ["disk.usage", "z"],
      ["disk.usage", "5"],
      ["disk.inodeusage", "[a, zz]"],
      ["disk.percent", "/no/such/mount"],
      ["disk.dump", "/no/such/device"],
      ["disk.tune", "/no/such/device", "nonsense=1"],
      ["disk.tune", "/no/such/device", "read-only=maybe"],
      ["disk.wipe", "/no/such/device"],
      ["disk.resize2fs", "/no/such/device"],
      ["disk.blkid", "/no/such/device"],
      ["disk.hdparms", "sdz"],
      ["disk.hpa", "sdz"],
      ["disk.iostat"],
    ],
    live: "programs may be there or not",
  },
  {
    name: "disk: how full disks are",
    calls: [
      ["disk.usage"],
      ["disk.usage", "a"],
      ["disk.usage", "[k, T]"],
      ["disk.inodeusage"],
      ["disk.percent"],
      ["disk.percent", "/"],
      ["disk.fstype", "/"],
      ["disk.get_fstype_from_path", "/proc"],
      ["disk.blkid"],
      ["disk.blkid", "token=TYPE=none"],
    ],
    vary: ["used", "available", "free", "inodes"],
    replace: [[/( +)\d+ +\d+ +\d+% /g, " N N N "]],
    live: "the disks are its own",
  },
];

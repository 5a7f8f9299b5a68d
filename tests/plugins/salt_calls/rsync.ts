import type { CallScenario } from "./scenario.ts";

/** Copies by rsync. */
export const RSYNC: CallScenario[] = [
  {
    name: "rsync: its words",
    standIns: {
      rsync: { "--version": "rsync  version 3.2.7  protocol version 31\nmore", "*fails*": { err: "no", code: 23 } },
    },
    files: { "rsyncd.conf": "[x]\r\npath = /x\n", "d/": "", "roots/tree/f": "x", "roots/one": "1" },
    calls: [
      ["rsync.version"],
      ["rsync.rsync", "/a", "/b"],
      ["rsync.rsync", "/a", "/fails"],
      ["rsync.rsync", "/a", "''"],
      ["rsync.rsync", "a:/x", "/b", "delete=True", "force=True", "update=True", "rsh=ssh -p 22", "dryrun=True"],
      ["rsync.rsync", "/a", "/b", "passwordfile=/p", "exclude=[x, y]", "additional_opts=['--one', '--two=3']"],
      ["rsync.rsync", "/a", "/b", "exclude=x", "excludefrom=/list"],
      ["rsync.rsync", "/a", "/b", "exclude=x"],
      ["rsync.rsync", "salt://tree", "/b"],
      ["rsync.rsync", "salt://one", "/b"],
      ["rsync.config", "{D}/rsyncd.conf"],
      ["rsync.config", "{D}/none"],
      ["rsync.config", "{D}/d"],
    ],
    replace: [[/\/tmp\/(?!brine)[\w.-]+/g, "TEMPORARY"]],
  },
  {
    name: "rsync: real copies",
    programs: ["rsync"],
    files: { "a/x": "1", "a/y.tmp": "2", "b/old": "3" },
    calls: [
      ["rsync.rsync", "{D}/a/", "{D}/b", "dryrun=True", "delete=True"],
      ["rsync.rsync", "{D}/a/", "{D}/b", "delete=True", "exclude=*.tmp"],
      ["rsync.rsync", "{D}/none", "{D}/b"],
    ],
    replace: [[/[\d,.]+ bytes/g, "N bytes"], [/speedup is [\d.]+/g, "speedup is N"], [/\[sender=[\d.]+\]/g, "[S]"]],
  },
];

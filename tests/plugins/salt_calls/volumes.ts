import type { CallScenario } from "./scenario.ts";

/** What LVM 2.03.16 said. */
const VERSION = `  LVM version:     2.03.16(2) (2022-05-18)
  Library version: 1.02.185 (2022-05-18)
  Driver version:  4.48.0`;
const PV = "  /dev/sdb1:data:131072:-1:8:8:-1:4096:15:12:3:6FqCWz-Zdtr-BLhk-jRLh-MTim-aehj-dAtRV7";
const NEW_PV = `  "{D}/new" is a new physical volume of "64.00 MiB"
  {D}/new::131072:-1:0:0:-1:0:0:0:0:7FqCWz-Zdtr-BLhk-jRLh-MTim-aehj-dAtRV7`;
const VG = "  data:r/w:772:-1:0:1:0:-1:0:1:1:61440:4096:15:3:12:ipCxD3-rI7C-lfHE-tvPp-2K7N-xdAo-xSi7eo";
const LV = "  /dev/data/logs:data:3:1:-1:0:24576:3:-1:0:-1:253:0";
const FAILED = { err: '  Failed to find volume group "none"', code: 5 };

const DISPLAY = {
  pvdisplay: {
    "-c": `${PV}\n${NEW_PV}`,
    "-c /dev/sdb1": PV,
    "-c {D}/new": [{ err: "  Failed to find physical volume", code: 5 }, NEW_PV],
    "-c {D}/member": NEW_PV.replaceAll("/new", "/member"),
    "-c *": { err: "  Failed to find physical volume", code: 5 },
  },
  vgdisplay: { "-c": VG, "-c data": VG, "-c none": FAILED },
  lvdisplay: { "-c": LV, "-c /dev/data/logs": LV, "-c data": LV, "-c *": FAILED },
};

/** What mdadm 4.2 says. */
const DETAIL = `{D}/md0:
           Version : 1.2
     Creation Time : Mon Mar  4 10:00:00 2024
        Raid Level : raid1
      Raid Devices : 2
             State : clean, degraded, recovering

              Name : web1:0  (local to host web1)
              UUID : 1f1d1c2b:7a8e9f00:11223344:55667788

    Number   Major   Minor   RaidDevice State
       0       8       17        0      active sync   /dev/sdb1
       2       8       33        1      spare rebuilding   /dev/sdc1
       -       0        0        1      removed`;
const SCAN = `ARRAY /dev/md0 metadata=1.2 name=web1:0 UUID=1f1d1c2b:7a8e9f00:11223344:55667788
ARRAY /dev/md/data metadata=1.2 spares=1 name=web1:data UUID=2f1d1c2b:7a8e9f00:11223344:55667788`;

export const VOLUMES: CallScenario[] = [
  {
    name: "lvm: what there is",
    standIns: { lvm: { version: VERSION }, ...DISPLAY },
    files: { new: "" },
    calls: [
      ["lvm.version"],
      ["lvm.fullversion"],
      ["lvm.pvdisplay"],
      ["lvm.pvdisplay", "/dev/sdb1"],
      ["lvm.pvdisplay", "/dev/sdb1", "real=True"],
      ["lvm.pvdisplay", "/dev/none", "quiet=True"],
      ["lvm.vgdisplay"],
      ["lvm.vgdisplay", "data"],
      ["lvm.vgdisplay", "none", "quiet=True"],
      ["lvm.lvdisplay"],
      ["lvm.lvdisplay", "/dev/data/logs"],
      ["lvm.lvdisplay", "/dev/data/none", "quiet=True"],
    ],
  },
  {
    name: "lvm: physical volumes and groups",
    standIns: {
      lvm: { version: VERSION },
      ...DISPLAY,
      vgremove: { "none --yes": FAILED },
      vgextend: { "none -qq /dev/sdc": FAILED },
      vgcreate: { "none /dev/sdc -qq": FAILED },
      pvremove: {
        "--yes /dev/sdb1": { err: "  PV /dev/sdb1 is used by VG data so please use vgreduce first.", code: 5 },
      },
      pvcreate: {},
      pvresize: {},
    },
    files: { new: "", member: "", other: "" },
    calls: [
      ["lvm.pvcreate", "{D}/new", "dataalignment=7s", "nonsense=1", "metadatasize=0"],
      ["lvm.pvcreate", "{D}/new,{D}/missing"],
      ["lvm.pvcreate", "{D}/member"],
      ["lvm.pvcreate", "{D}/member", "override=False"],
      ["lvm.pvcreate", "{D}/other", "force=False"],
      ["lvm.pvcreate", "''"],
      ["lvm.pvremove", "/dev/sdb1"],
      ["lvm.pvremove", "/dev/none"],
      ["lvm.pvremove", "/dev/none", "override=False"],
      ["lvm.pvremove", "[{D}/member]", "force=False"],
      ["lvm.pvresize", "/dev/sdb1"],
      ["lvm.pvresize", "/dev/none", "override=False"],
      ["lvm.vgcreate", "data", "/dev/sdb1,/dev/sdc", "physicalextentsize=8", "clustered=n", "nonsense=1"],
      ["lvm.vgcreate", "none", "[/dev/sdc]"],
      ["lvm.vgcreate", "data", "''"],
      ["lvm.vgextend", "data", "/dev/sdc", "force=True"],
      ["lvm.vgextend", "none", "/dev/sdc"],
      ["lvm.vgextend", "''", "/dev/sdc"],
      ["lvm.vgremove", "data", "force=False"],
      ["lvm.vgremove", "none"],
    ],
  },
  {
    name: "lvm: logical volumes",
    standIns: {
      lvm: { version: VERSION },
      ...DISPLAY,
      lvcreate: { "-n none *": { err: '  Volume group "data" has insufficient free space', code: 5 } },
      lvremove: { "data/none --yes": { err: '  Failed to find logical volume "data/none"', code: 5 } },
      lvresize: { "-qq -L 1T /dev/data/logs": { err: "  Insufficient free space", code: 5 } },
      lvextend: { "-qq -L 1T /dev/data/logs": { err: "  Insufficient free space", code: 5 } },
    },
    calls: [
      ["lvm.lvcreate", "logs", "data", "size=12M"],
      ["lvm.lvcreate", "logs", "data", "extents=100%FREE", "pv=/dev/sdb1", "force=True"],
      ["lvm.lvcreate", "logs", "data", "size=12M", "snapshot=other", "stripes=2", "nosync=False", "nonsense=1"],
      ["lvm.lvcreate", "thin", "data/pool", "size=1G", "thinvolume=True"],
      ["lvm.lvcreate", "pool", "data", "size=1G", "thinpool=True"],
      ["lvm.lvcreate", "thin", "data/pool", "extents=10", "thinvolume=True"],
      ["lvm.lvcreate", "thin", "data", "size=1G", "thinpool=True", "thinvolume=True"],
      ["lvm.lvcreate", "logs", "data", "size=1G", "extents=10"],
      ["lvm.lvcreate", "logs", "data"],
      ["lvm.lvcreate", "none", "data", "size=1T"],
      ["lvm.lvremove", "logs", "data"],
      ["lvm.lvremove", "none", "data"],
      ["lvm.lvremove", "logs", "data", "force=False"],
      ["lvm.lvresize", "+12M", "/dev/data/logs"],
      ["lvm.lvresize", "lvpath=/dev/data/logs", "extents=+100%FREE", "resizefs=True", "force=True"],
      ["lvm.lvresize", "1T", "/dev/data/logs"],
      ["lvm.lvresize", "lvpath=/dev/data/logs"],
      ["lvm.lvresize", "1G", "/dev/data/logs", "5"],
      ["lvm.lvextend", "+12M", "/dev/data/logs", "force=True"],
      ["lvm.lvextend", "lvpath=/dev/data/logs", "extents=5", "resizefs=True"],
      ["lvm.lvextend", "1T", "/dev/data/logs"],
      ["lvm.lvextend", "lvpath=/dev/data/logs"],
    ],
  },
  {
    name: "raid: arrays",
    standIns: {
      mdadm: {
        "--detail --scan": SCAN,
        "--detail {D}/md0": DETAIL,
        "-Y -E /dev/sdb1": "MD_LEVEL=raid1\nMD_DEVICES=2\nMD_UUID=1f1d1c2b:7a8e9f00:11223344:55667788\nMD_NAME=a=b",
        "-Y -E /dev/none": { err: "mdadm: cannot open /dev/none: No such file or directory", code: 1 },
        "--stop --scan": { code: 1 },
        "--manage /dev/md0 --add /dev/none": { err: "mdadm: Cannot find /dev/none", code: 1 },
        "-C /dev/md0 *": { err: "mdadm: array /dev/md0 started." },
        "-A /dev/md0 *": { err: "mdadm: /dev/md0 has been started with 2 drives." },
      },
    },
    files: { md0: "" },
    calls: [
      ["raid.list"],
      ["raid.detail", "{D}/md0"],
      ["raid.detail", "{D}/none"],
      ["raid.destroy", "{D}/none"],
      ["raid.stop"],
      ["raid.create", "/dev/md0", "1", "[/dev/sdb1, /dev/sdc1]", "test_mode=True", "chunk=256"],
      ["raid.create", "/dev/md0", "level=5", "devices=[/dev/a, /dev/b, /dev/c]", "metadata=1.2", "run=True"],
      ["raid.create", "/dev/md0", "1", "[/dev/a, /dev/b, /dev/c]", "test_mode=True", "spare-devices=1"],
      ["raid.assemble", "/dev/md0", "/dev/sdb1,/dev/sdc1"],
      ["raid.assemble", "/dev/md0", "[/dev/sdb1]", "test_mode=True", "run=True", "level=1"],
      ["raid.examine", "/dev/sdb1"],
      ["raid.examine", "/dev/none", "quiet=True"],
      ["raid.add", "/dev/md0", "/dev/sdd1"],
      ["raid.add", "/dev/md0", "/dev/none"],
    ],
  },
];

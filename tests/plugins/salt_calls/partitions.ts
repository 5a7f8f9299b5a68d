import type { CallScenario } from "./scenario.ts";

const DISK = "/dev/loop0";

/** What parted 3.5 said of a disk with one partition. */
const HEAD = `BYT;\n${DISK}:33.6MB:loopback:512:512:gpt:Loopback device:;`;
const PRINTED = `${HEAD}\n1:1049kB:10.5MB:9437kB::primary:;`;
const FREE = `${HEAD}\n1:17.4kB:1049kB:1031kB:free;\n2:1049kB:10.5MB:9437kB:ext4:a b:boot, esp;`;
const CHS = `CHS;\n${DISK}:128,127,1:loopback:512:512:gpt:Loopback device;\n1:4,4,0:40,39,1::primary:;`;
const TYPES = "Id  Name\n\n 0  Empty\n83  Linux\n 7  HPFS/NTFS/exFAT\n";

/** What dumpe2fs 1.47 said, with half of its lines. */
const DUMP = `Filesystem volume name:   data
Last mounted on:          <not available>
Filesystem magic number:  0xEF53
Filesystem features:      has_journal ext_attr resize_inode dir_index
Group descriptor size:    64
Filesystem created:       Mon Mar  4 10:00:00 2024
Journal features:         (none)


Group 0: (Blocks 1-8192) csum 0x1b3f [ITABLE_ZEROED]
  Primary superblock at 1, Group descriptors at 2-2
  Reserved GDT blocks at 3-258
  Free blocks: 4489-8192
  Free inodes: 12-1024, 1030
Group 1: (Blocks 8193-16383) csum 0x0b1c [INODE_UNINIT, ITABLE_ZEROED]
  Free blocks: 8452-16383
  Free inodes: 1025-2048`;
const MADE = `mke2fs 1.47.0 (5-Feb-2023)
Discarding device blocks: done
Creating filesystem with 16384 1k blocks and 4096 inodes
Superblock backups stored on blocks:
\t8193

Allocating group tables: done
Writing inode tables: done
Creating journal (1024 blocks): done
Writing superblocks and filesystem accounting information: done
`;

export const PARTITIONS: CallScenario[] = [
  {
    name: "partition: what there is",
    devices: [DISK],
    standIns: {
      parted: {
        [`-m -s ${DISK} print`]: [PRINTED, FREE, "BYT;\nnonsense", `${HEAD}\n1:2`],
        [`-m -s ${DISK} unit chs print`]: CHS,
        [`-m ${DISK} align-check optimal 1`]: "1 aligned",
        [`-m -s ${DISK} check 1`]: { err: "Error: not supported", code: 1 },
      },
      partprobe: {},
      sfdisk: { "-T": TYPES, [`--print-id ${DISK} 1`]: "83" },
      lsblk: { "-n -io KNAME -d -e 1,7,11 -l": "sda\nnvme0n1" },
    },
    files: { plain: "" },
    calls: [
      ["partition.list", DISK],
      ["partition.list", DISK],
      ["partition.list", DISK],
      ["partition.list", DISK],
      ["partition.list", DISK, "unit=chs"],
      ["partition.list", DISK, "unit=miles"],
      ["partition.list", "{D}/plain"],
      ["partition.probe", DISK],
      ["partition.probe", "{D}/none"],
      ["partition.probe"],
      ["partition.align_check", DISK, "optimal", "1"],
      ["partition.align_check", DISK, "best", "1"],
      ["partition.align_check", DISK, "minimal", "x"],
      ["partition.check", DISK, "1"],
      ["partition.check", DISK, "x"],
      ["partition.get_id", DISK, "1"],
      ["partition.get_id", DISK, "x"],
      ["partition.system_types"],
      ["partition.exists", DISK],
      ["partition.exists", "{D}/plain"],
      ["partition.exists"],
      ["partition.get_block_device"],
    ],
  },
  {
    name: "partition: changes",
    devices: [DISK],
    standIns: {
      parted: { [`-m -s -- ${DISK} mkpart primary 1MiB 2MiB`]: { err: "Error: no label", code: 1 } },
      partprobe: {},
      sfdisk: { "-T": TYPES },
      mkswap: { [DISK]: "Setting up swapspace version 1" },
      "mkfs.ext4": { [DISK]: "mke2fs 1.47.0\ndone" },
      "mkfs.ntfs": {},
    },
    files: { plain: "" },
    calls: [
      ["partition.cp", DISK, "1", "2"],
      ["partition.cp", DISK, "1", "x"],
      ["partition.set_id", DISK, "1", "'83'"],
      ["partition.set_id", DISK, "1", "99"],
      ["partition.set_id", DISK, "x", "83"],
      ["partition.mkfs", DISK, "ext4"],
      ["partition.mkfs", DISK, "linux-swap"],
      ["partition.mkfs", DISK, "NTFS"],
      ["partition.mkfs", DISK, "hfsx"],
      ["partition.mkfs", DISK, "zfs"],
      ["partition.mklabel", DISK, "gpt"],
      ["partition.mklabel", DISK, "none"],
      ["partition.mkpart", DISK, "primary", "ext4", "1MiB", "50%"],
      ["partition.mkpart", DISK, "primary", "start=1MiB", "end=2MiB"],
      ["partition.mkpart", DISK, "extended"],
      ["partition.mkpart", DISK, "other"],
      ["partition.mkpart", DISK, "primary", "zfs"],
      ["partition.mkpart", DISK, "primary", "ext4", "1x", "2"],
      ["partition.mkpart", "{D}/plain", "primary"],
      ["partition.mkpartfs", DISK, "logical", "ext4", "440", "670"],
      ["partition.name", DISK, "1", "My Documents"],
      ["partition.name", DISK, "1", "a'b"],
      ["partition.name", DISK, "x", "a"],
      ["partition.rescue", DISK, "0", "8056"],
      ["partition.rescue", DISK, "x", "8056"],
      ["partition.resize", DISK, "3", "200", "850"],
      ["partition.resize", DISK, "x", "200", "850"],
      ["partition.rm", DISK, "5"],
      ["partition.rm", DISK, "x"],
      ["partition.set", DISK, "1", "boot", "'on'"],
      ["partition.set", DISK, "1", "boot", "maybe"],
      ["partition.set", DISK, "1", "none", "'on'"],
      ["partition.set", DISK, "x", "boot", "'on'"],
      ["partition.toggle", DISK, "1", "lvm"],
      ["partition.toggle", DISK, "x", "lvm"],
      ["partition.toggle", DISK, "1", "none"],
      ["partition.disk_set", DISK, "pmbr_boot", "'on'"],
      ["partition.disk_set", DISK, "boot", "'on'"],
      ["partition.disk_set", DISK, "pmbr_boot", "maybe"],
      ["partition.disk_toggle", DISK, "pmbr_boot"],
      ["partition.disk_toggle", DISK, "boot"],
    ],
  },
  {
    name: "extfs: file systems",
    standIns: {
      mke2fs: { "*": MADE },
      tune2fs: { "*": "tune2fs 1.47.0 (5-Feb-2023)\nSetting reserved blocks count to 1000" },
      dumpe2fs: { "/dev/x": DUMP, "/dev/x -h": DUMP.split("\n\n\n")[0]! },
    },
    calls: [
      [
        "extfs.mkfs",
        "/dev/x",
        "ext4",
        "label=data",
        "nonsense=1",
        "reserved=5",
        "ext_opts='stride=4,lazy_itable_init=0'",
      ],
      ["extfs.mkfs", "/dev/x", "ext2", "force='True'", "check='True'"],
      ["extfs.tune", "/dev/x", "reserved=1000", "label=root", "journal='True'", "nonsense=1"],
      ["extfs.dump", "/dev/x"],
      ["extfs.attributes", "/dev/x", "args=h"],
      ["extfs.blocks", "/dev/x"],
    ],
  },
];

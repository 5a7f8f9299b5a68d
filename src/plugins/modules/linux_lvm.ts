import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { programPath, runAll } from "../commands.ts";
import { createGroup as vgcreate, extendGroup as vgextend, removeGroup as vgremove } from "./linux_lvm/groups.ts";
import {
  createLogical as lvcreate,
  extendLogical as lvextend,
  removeLogical as lvremove,
  resizeLogical as lvresize,
} from "./linux_lvm/logical.ts";
import {
  createPhysical as pvcreate,
  removePhysical as pvremove,
  resizePhysical as pvresize,
} from "./linux_lvm/physical.ts";
import { logicalVolumes, physicalVolumes, volumeGroups } from "./linux_lvm/tables.ts";

const versions = async (context: JobContext): Promise<[string, string][]> =>
  splitLines((await runAll(context, ["lvm", "version"])).stdout).map((line) => line.split(":")).filter((parts) =>
    parts.length > 1
  )
    .map(([name = "", value = ""]) => [name.trim(), value.trim()]);

const FORCE = "\n\nforce: say yes to every question of the program";
const SIZES = "\n\nsize: such as 12G, or with a sign how much more or less\nextents: how many, or such as +100%FREE\n" +
  "resizefs: with its file system\nforce: say yes to every question of the program";

export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "lvm") === undefined
      ? { unavailable: "The linux_lvm execution module cannot be loaded: the lvm binary is not in the path." }
      : true,
  functions: executionFunctions({
    "version()": {
      doc: "The version of LVM.\n\n    salt '*' lvm.version",
      run: async (context) => (await versions(context))[0]?.[1] ?? "",
    },
    "fullversion()": {
      doc: "The versions of LVM and its parts.\n\n    salt '*' lvm.fullversion",
      run: async (context) => Object.fromEntries(await versions(context)),
    },
    "pvdisplay(pvname='', real=False, quiet=False)": {
      doc: "The physical volumes: all, or one.\n\npvname: its device\nreal: name them by the device to which links " +
        "lead\nquiet: a volume that is not there is no failure\n\n" + "    salt '*' lvm.pvdisplay /dev/md0",
      run: (context, { pvname, real, quiet }) => physicalVolumes(context, pvname, { real, quiet }),
    },
    "vgdisplay(vgname='', quiet=False)": {
      doc: "The volume groups: all, or one.\n\nvgname: its name\nquiet: a group that is not there is no failure\n\n" +
        "    salt '*' lvm.vgdisplay nova-volumes",
      run: (context, { vgname, quiet }) => volumeGroups(context, vgname, quiet),
    },
    "lvdisplay(lvname='', quiet=False)": {
      doc: "The logical volumes: all, one, or those of a group.\n\nlvname: its path, or the name of a group\nquiet: " +
        "a volume that is not there is no failure\n\n" + "    salt '*' lvm.lvdisplay /dev/vg_myserver/root",
      run: (context, { lvname, quiet }) => logicalVolumes(context, lvname, quiet),
    },
    "pvcreate(devices, override=True, force=True, **kwargs)": {
      doc: `Makes physical volumes; true, or what went wrong.${FORCE}\noverride: leave out what is one already\n\n` +
        "    salt '*' lvm.pvcreate /dev/sdb1,/dev/sdb2 dataalignmentoffset=7s",
      run: pvcreate,
    },
    "pvremove(devices, override=True, force=True)": {
      doc: `Removes physical volumes; true, or what went wrong.${FORCE}\noverride: leave out what is none\n\n` +
        "    salt '*' lvm.pvremove /dev/sdb1,/dev/sdb2",
      run: pvremove,
    },
    "pvresize(devices, override=True, force=True)": {
      doc: `Lets physical volumes be as large as their devices; true, or what went wrong.${FORCE}\noverride: leave ` +
        "out what is none\n\n" + "    salt '*' lvm.pvresize /dev/sdb1,/dev/sdb2",
      run: pvresize,
    },
    "vgcreate(vgname, devices, force=False, **kwargs)": {
      doc: `Makes a volume group.${FORCE}\n\n    salt '*' lvm.vgcreate my_vg /dev/sdb1,/dev/sdb2`,
      run: vgcreate,
    },
    "vgextend(vgname, devices, force=False)": {
      doc: `Adds physical volumes to a volume group.${FORCE}\n\n    salt '*' lvm.vgextend my_vg /dev/sdb1,/dev/sdb2`,
      run: vgextend,
    },
    "vgremove(vgname, force=True)": {
      doc: `Removes a volume group.${FORCE}\n\n    salt '*' lvm.vgremove vgname`,
      run: vgremove,
    },
    lvcreate: executionFunction({
      signature: `lvname, vgname, size=None, extents=None, snapshot=None, pv=None, thinvolume=False, thinpool=False,
        force=False, **kwargs`,
      doc: "Makes a logical volume.\n\nsize: such as 10G\nextents: how many, or such as 100%FREE\nsnapshot: the " +
        "volume of which it is a snapshot\npv: the physical volume that it is on\nthinvolume: in the pool that " +
        "vgname names, vg/pool\nthinpool: a pool for thin volumes\nforce: say yes to every question of the " +
        "program\n\n" + "    salt '*' lvm.lvcreate new_volume_name vg_name size=10G",
      run: lvcreate,
    }),
    "lvremove(lvname, vgname, force=True)": {
      doc: `Removes a logical volume.${FORCE}\n\n    salt '*' lvm.lvremove lvname vgname`,
      run: lvremove,
    },
    "lvresize(size=None, lvpath=None, extents=None, force=False, resizefs=False)": {
      doc: `Resizes a logical volume.${SIZES}\n\n    salt '*' lvm.lvresize +12M /dev/mapper/vg1-test`,
      run: lvresize,
    },
    "lvextend(size=None, lvpath=None, extents=None, force=False, resizefs=False)": {
      doc: `Makes a logical volume larger.${SIZES}\n\n    salt '*' lvm.lvextend +12M /dev/mapper/vg1-test`,
      run: lvextend,
    },
  }),
};

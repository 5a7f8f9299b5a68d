import type { JobContext } from "../../model/loader/context.ts";
import { exampledFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/lines.ts";
import { programPath, runAll } from "../commands.ts";
import { create as vgcreate, extend as vgextend, remove as vgremove } from "./linux_lvm/groups.ts";
import { create as lvcreate, extend as lvextend, remove as lvremove, resize as lvresize } from "./linux_lvm/logical.ts";
import { create as pvcreate, remove as pvremove, resize as pvresize } from "./linux_lvm/physical.ts";
import { logicalVolumes, physicalVolumes, volumeGroups } from "./linux_lvm/tables.ts";

const versions = async (context: JobContext): Promise<[string, string][]> =>
  splitLines((await runAll(context, ["lvm", "version"])).stdout).map((line) => line.split(":")).filter((parts) =>
    parts.length > 1
  )
    .map(([name = "", value = ""]) => [name.trim(), value.trim()]);

const fun = exampledFunctions("lvm");

const FORCE = "\n\nforce: say yes to every question of the program";
const SIZES = "\n\nsize: such as 12G, or with a sign how much more or less\nextents: how many, or such as +100%FREE\n" +
  "resizefs: with its file system\nforce: say yes to every question of the program";

/** Volumes of LVM. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "lvm") === undefined
      ? { unavailable: "The linux_lvm execution module cannot be loaded: the lvm binary is not in the path." }
      : true,
  functions: {
    version: fun("", "The version of LVM.", "version", async (context) => (await versions(context))[0]?.[1] ?? ""),
    fullversion: fun(
      "",
      "The versions of LVM and its parts.",
      "fullversion",
      async (context) => Object.fromEntries(await versions(context)),
    ),
    pvdisplay: fun(
      "pvname='', real=False, quiet=False",
      "The physical volumes: all, or one.\n\npvname: its device\nreal: name them by the device to which links lead\n" +
        "quiet: a volume that is not there is no failure",
      "pvdisplay /dev/md0",
      (context, { pvname, real, quiet }) => physicalVolumes(context, pvname, { real, quiet }),
    ),
    vgdisplay: fun(
      "vgname='', quiet=False",
      "The volume groups: all, or one.\n\nvgname: its name\nquiet: a group that is not there is no failure",
      "vgdisplay nova-volumes",
      (context, { vgname, quiet }) => volumeGroups(context, vgname, quiet),
    ),
    lvdisplay: fun(
      "lvname='', quiet=False",
      "The logical volumes: all, one, or those of a group.\n\nlvname: its path, or the name of a group\n" +
        "quiet: a volume that is not there is no failure",
      "lvdisplay /dev/vg_myserver/root",
      (context, { lvname, quiet }) => logicalVolumes(context, lvname, quiet),
    ),
    pvcreate: fun(
      "devices, override=True, force=True, **kwargs",
      `Makes physical volumes; true, or what went wrong.${FORCE}\noverride: leave out what is one already`,
      "pvcreate /dev/sdb1,/dev/sdb2 dataalignmentoffset=7s",
      pvcreate,
    ),
    pvremove: fun(
      "devices, override=True, force=True",
      `Removes physical volumes; true, or what went wrong.${FORCE}\noverride: leave out what is none`,
      "pvremove /dev/sdb1,/dev/sdb2",
      pvremove,
    ),
    pvresize: fun(
      "devices, override=True, force=True",
      `Lets physical volumes be as large as their devices; true, or what went wrong.${FORCE}\noverride: leave out what is none`,
      "pvresize /dev/sdb1,/dev/sdb2",
      pvresize,
    ),
    vgcreate: fun(
      "vgname, devices, force=False, **kwargs",
      `Makes a volume group.${FORCE}`,
      "vgcreate my_vg /dev/sdb1,/dev/sdb2",
      vgcreate,
    ),
    vgextend: fun(
      "vgname, devices, force=False",
      `Adds physical volumes to a volume group.${FORCE}`,
      "vgextend my_vg /dev/sdb1,/dev/sdb2",
      vgextend,
    ),
    vgremove: fun("vgname, force=True", `Removes a volume group.${FORCE}`, "vgremove vgname", vgremove),
    lvcreate: fun(
      `lvname, vgname, size=None, extents=None, snapshot=None, pv=None, thinvolume=False, thinpool=False,
        force=False, **kwargs`,
      "Makes a logical volume.\n\nsize: such as 10G\nextents: how many, or such as 100%FREE\n" +
        "snapshot: the volume of which it is a snapshot\npv: the physical volume that it is on\n" +
        "thinvolume: in the pool that vgname names, vg/pool\nthinpool: a pool for thin volumes\n" +
        "force: say yes to every question of the program",
      "lvcreate new_volume_name vg_name size=10G",
      lvcreate,
    ),
    lvremove: fun(
      "lvname, vgname, force=True",
      `Removes a logical volume.${FORCE}`,
      "lvremove lvname vgname",
      lvremove,
    ),
    lvresize: fun(
      "size=None, lvpath=None, extents=None, force=False, resizefs=False",
      `Resizes a logical volume.${SIZES}`,
      "lvresize +12M /dev/mapper/vg1-test",
      lvresize,
    ),
    lvextend: fun(
      "size=None, lvpath=None, extents=None, force=False, resizefs=False",
      `Makes a logical volume larger.${SIZES}`,
      "lvextend +12M /dev/mapper/vg1-test",
      lvextend,
    ),
  },
};

import { stateFunction, type StateModule } from "../../loader/states.ts";
import { volumeAbsent, volumePresent } from "./lvm/logical_volumes.ts";
import { groupAbsent, groupPresent, physicalAbsent, physicalPresent } from "./lvm/volume_groups.ts";

/** Volumes of LVM. */
export const states: StateModule = {
  functions: {
    pv_present: stateFunction({
      signature: "name, **kwargs",
      doc: "The device is a physical volume; other arguments are those of lvm.pvcreate.",
      run: physicalPresent,
    }),
    pv_absent: stateFunction({ signature: "name", doc: "The device is no physical volume.", run: physicalAbsent }),
    vg_present: stateFunction({
      signature: "name, devices=None, **kwargs",
      doc: "The volume group exists, and these devices are in it; other arguments are those of lvm.vgcreate.",
      run: groupPresent,
    }),
    vg_absent: stateFunction({ signature: "name", doc: "The volume group does not exist.", run: groupAbsent }),
    lv_present: stateFunction({
      signature: `name, vgname=None, size=None, extents=None, snapshot=None, pv='', thinvolume=False,
        thinpool=False, force=False, resizefs=False, **kwargs`,
      doc: "The logical volume exists and has that size; it becomes smaller only with `force`.",
      run: volumePresent,
    }),
    lv_absent: stateFunction({
      signature: "name, vgname=None",
      doc: "The logical volume does not exist.",
      run: volumeAbsent,
    }),
  },
};

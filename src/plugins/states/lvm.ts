import { needs, type StateModule } from "../../model/loader/states.ts";
import { volumeAbsent, volumePresent } from "./lvm/logical_volumes.ts";
import { groupAbsent, groupPresent, physicalAbsent, physicalPresent } from "./lvm/volume_groups.ts";

export const states: StateModule = {
  virtual: needs("lvm.version", "lvm command not found"),
  functions: {
    pv_present: physicalPresent,
    pv_absent: physicalAbsent,
    vg_present: groupPresent,
    vg_absent: groupAbsent,
    lv_present: volumePresent,
    lv_absent: volumeAbsent,
  },
};

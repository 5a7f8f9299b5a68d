import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { str, truthy } from "../../language/python/values.ts";

/** The names of the node groups that the minion is in, as a list under `pillar_name`. */
export const pillar: ExtPillar = {
  signature: "pillar_name=None",
  run({ nodegroups, matches }, { pillar_name: name }) {
    const groups = Object.keys(nodegroups).filter((group) => matches(group, "nodegroup"));
    return Promise.resolve(new Map([[truthy(name) ? str(name) : "nodegroups", groups]]));
  },
};

/** Modules of `master_tops`: name → how to load it. */
import type { TopsRegistry } from "../../model/loader/custom_tops.ts";

export const TOPS: TopsRegistry = {
  ext_nodes: () => import("./ext_nodes.ts"),
};

/** The returners: name → how to load it. */
import type { ReturnerRegistry } from "../../model/loader/family.ts";
import { STORES } from "./stores.ts";

export const RETURNERS: ReturnerRegistry = {
  ...STORES,
  multi_returner: () => import("./multi_returner.ts"),
};

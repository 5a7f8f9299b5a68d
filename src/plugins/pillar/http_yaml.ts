import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { ARGUMENTS, fetchPillar } from "./http.ts";

/** The YAML that a web server returns for a minion. */
export const pillar: ExtPillar = {
  signature: ARGUMENTS,
  run: (context, args) => fetchPillar(context, args, "yaml"),
};

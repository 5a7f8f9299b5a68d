import type { ExtPillar } from "../../model/loader/ext_pillar.ts";
import { OrderedMap, str, truthy } from "../../language/python/values.ts";
import { ARGUMENTS, fetchPillar } from "./http.ts";

/** The JSON that a web server returns for a minion; `namespace` is a key to put it under. */
export const pillar: ExtPillar = {
  signature: `${ARGUMENTS}, namespace=None`,
  async run(context, args) {
    const data = await fetchPillar(context, args, "json");
    return truthy(args.namespace) ? new OrderedMap<unknown, unknown>([[str(args.namespace), data]]) : data;
  },
};

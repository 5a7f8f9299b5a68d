import type { GrainsFunction } from "../../model/loader/family.ts";
import { hardware } from "./core/hardware.ts";
import { minion } from "./core/minion.ts";
import { network } from "./core/network.ts";
import { system } from "./core/os.ts";
import { python } from "./core/python.ts";
import { virtualization } from "./core/virtual.ts";

/**
 * The facts that every minion has, with Salt's names and in Salt's format. Nearly all come from small files; the few
 * programs and the resolver are queried in parallel, each with a timeout of one second.
 */
export const grains: GrainsFunction = async (context) => {
  const parts = await Promise.all([
    system(context),
    hardware(context),
    virtualization(context),
    network(context),
    minion(context),
    python(context),
  ]);
  return Object.assign({}, ...parts);
};

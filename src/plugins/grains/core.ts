import type { GrainsFunction } from "../../model/loader/family.ts";
import { hardware } from "./core/hardware.ts";
import { minion } from "./core/minion.ts";
import { network } from "./core/network.ts";
import { system } from "./core/os.ts";
import { virtualization } from "./core/virtual.ts";
import { askOnce, type Grains, type GrainsContext, program } from "./core/source.ts";

const PROGRAM = "import json, sys; print(json.dumps([list(sys.version_info), sys.path, sys.executable]))";

/** The grains of the host's `python3`, by which templates choose names of packages; none where there is none. */
export async function python(context: GrainsContext): Promise<Grains> {
  const executable = program(context, "python3");
  const text = executable === undefined ? "" : await askOnce(context, "python.json", [executable, "-I", "-c", PROGRAM]);
  if (text === "") return {};
  const [pythonversion, pythonpath, pythonexecutable] = JSON.parse(text) as unknown[];
  return { pythonversion, pythonpath, pythonexecutable };
}

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

import type { MasterOpts } from "../../model/config/master_opts.ts";
import { parseSignature, type Signature } from "../../model/loader/signature.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { RunnerPlugins } from "./runner_plugins.ts";
import { withCustomWheels } from "../../model/loader/custom_wheels.ts";
import { findRunner, runnersOf } from "./runner_registry.ts";

/** Finds signatures of runners and wheel functions, also custom ones; undefined for unknown functions. */
export function signatureOnMaster(
  host: { runtime: Runtime; log: Logger; opts: MasterOpts; plugins: RunnerPlugins },
): (type: "runner" | "wheel", name: string) => Promise<Signature | undefined> {
  return async (type, name) => {
    if (type === "runner") {
      const found = await findRunner(runnersOf(host), name);
      return found === undefined ? undefined : parseSignature(found.signature);
    }
    const [module = "", fun = ""] = name.split(".");
    const wheels = withCustomWheels(await host.plugins.wheels(), host);
    if (!Object.hasOwn(wheels, module)) return undefined;
    const { functions } = (await wheels[module]!()).wheel;
    return Object.hasOwn(functions, fun) ? parseSignature(functions[fun]!.signature) : undefined;
  };
}

import { type BeaconEvent, type BeaconModule, VALID } from "../../model/loader/beacons.ts";
import { truthy } from "../../language/python/values.ts";

/** Packages that were installed or removed, or that have an upgrade now. */
export const beacon: BeaconModule = {
  validate: (config) =>
    config.some((item) => Array.isArray(item.pkgs))
      ? VALID
      : [false, "Configuration for pkg beacon requires list of pkgs."],
  async beacon(config, { settings, context, memory }) {
    const refresh = truthy(settings.refresh ?? false);
    const found: BeaconEvent[] = [];
    for (const pkg of config.flatMap((item) => Array.isArray(item.pkgs) ? item.pkgs.map(String) : [])) {
      const before = memory.get(pkg);
      let version = await context.call("pkg.version", [pkg], { use_context: false });
      let status = "not-installed";
      if (truthy(version ?? null)) {
        const latest = await context.call("pkg.latest_version", [pkg], { refresh });
        status = truthy(latest ?? null) ? "upgrade" : "installed";
        if (status === "upgrade") version = latest;
      } else version = null;
      memory.set(pkg, status);
      if (before !== undefined && before !== status) found.push({ pkg, version, status });
    }
    return found;
  },
};

import { isMap } from "../../language/python/containers.ts";
import type { BeaconEvent, BeaconModule, BeaconRegistry } from "./beacons.ts";
import type { Context } from "./context.ts";
import { type CustomPlace, known, loadCustomFile } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import { withCustomFiles } from "./with_custom_files.ts";

type Validate = NonNullable<BeaconModule["validate"]>;

/** What a custom beacon returned, as events: a list of maps. */
function eventsOf(found: unknown, path: string): BeaconEvent[] {
  if (Array.isArray(found) && found.every(isMap)) return found as BeaconEvent[];
  throw new TypeError(`"${path}" returned ${typeof found}: a beacon returns a list of maps, which may be empty`);
}

/** A custom beacon: `beacon(config, run)` and, if it likes, `validate(config)` and `close(run)`; of a program `beacon(config)`. */
async function beaconModule(place: CustomPlace, file: CustomFile): Promise<BeaconModule> {
  const { exports, functions, virtual } = await loadCustomFile(place, "beacons", file);
  const available = virtual(place);
  const unavailable = () => typeof available === "object" ? available.unavailable : undefined;
  const { beacon, validate, close } = exports;
  if (typeof beacon === "function") {
    return {
      unavailable,
      ...(typeof validate === "function" ? { validate: validate as Validate } : {}),
      ...(typeof close === "function" ? { close: close as NonNullable<BeaconModule["close"]> } : {}),
      beacon: async (config, run) => eventsOf(await known(() => beacon(config, run)), file.path),
    };
  }
  const found = functions.get("beacon");
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "beacon"`);
  return {
    unavailable,
    beacon: async (config, { context }) =>
      eventsOf(
        await found.run(context, bindArguments("beacon", parseSignature(found.signature), [config], new Map())),
        file.path,
      ),
  };
}

/** Beacons with the custom ones of `_beacons` among them, as the directories are now. */
export function withCustomBeacons(beacons: BeaconRegistry, context: Context): BeaconRegistry {
  return withCustomFiles({ ...beacons }, context, "beacons", {
    load: (file) => beaconModule(context, file),
    unavailable: (why) => ({ unavailable: () => why, beacon: () => [] }),
  });
}

import { isMap } from "../../language/python/values.ts";
import { messageOf } from "../../base/errors.ts";
import type { BeaconEvent, BeaconItem, BeaconModule, BeaconRegistry } from "./beacons.ts";
import type { Context } from "./family.ts";
import { type CustomFunction, type CustomPlace, known, loadCustomFile } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import { lentFiles } from "./lent_files.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import { withCustomFiles } from "./with_custom_files.ts";

type Validate = NonNullable<BeaconModule["validate"]>;

/** Checks that a custom beacon has returned a list of maps. */
function eventsOf(found: unknown, path: string): BeaconEvent[] {
  if (Array.isArray(found) && found.every(isMap)) return found as BeaconEvent[];
  throw new TypeError(`"${path}" returned ${typeof found}: a beacon returns a list of maps, which may be empty`);
}

/** What the beacons were last called with, by their memories: what ends them is told of it. */
const LAST = new WeakMap<object, { config: readonly BeaconItem[]; context: Context }>();

/** A custom beacon: `beacon(config, run)` and, if it likes, `validate(config)` and `close(run)`; of a program `beacon(config)`. */
async function beaconModule(place: CustomPlace, file: CustomFile): Promise<BeaconModule> {
  const { exports, functions, virtual } = await loadCustomFile(place, "beacons", file);
  const available = virtual(place);
  const unavailable = () => typeof available === "object" ? available.unavailable : undefined;
  const named = typeof available === "string" ? { name: available } : {};
  const { beacon, validate, close } = exports;
  if (typeof beacon === "function") {
    return {
      ...named,
      unavailable,
      ...(typeof validate === "function" ? { validate: validate as Validate } : {}),
      ...(typeof close === "function" ? { close: close as NonNullable<BeaconModule["close"]> } : {}),
      beacon: async (config, run) => eventsOf(await known(() => beacon(config, run)), file.path),
    };
  }
  const found = functions.get("beacon");
  if (found === undefined) {
    if (unavailable() !== undefined) return { unavailable, beacon: () => [] };
    throw new TypeError(`"${file.path}" has no function "beacon"`);
  }
  const call = async (one: CustomFunction, name: string, config: readonly BeaconItem[], context: object) =>
    await one.run(context, bindArguments(name, parseSignature(one.signature), [config], new Map()));
  const [check, end] = [functions.get("validate"), functions.get("close")];
  return {
    ...named,
    unavailable,
    ...(check && {
      validate: async (config, context) => await call(check, "validate", config, context) as [boolean, string],
    }),
    ...(end && {
      close: ({ memory }) => {
        const last = LAST.get(memory);
        if (last === undefined) return;
        call(end, "close", last.config, last.context).catch((error: unknown) =>
          place.log.debug("a beacon did not close", { beacon: file.name, error: messageOf(error) })
        );
      },
    }),
    beacon: async (config, { context, memory }) => {
      LAST.set(memory, { config, context });
      return eventsOf(await call(found, "beacon", config, context), file.path);
    },
  };
}

/** Beacons with the custom ones of `_beacons` among them, as the directories are now, and behind them those of Salt's package. */
export function withCustomBeacons(beacons: BeaconRegistry, context: Context): BeaconRegistry {
  const load = (file: CustomFile) => beaconModule(context, file);
  const own = withCustomFiles({ ...beacons }, context, "beacons", {
    load,
    unavailable: (why) => ({ unavailable: () => why, beacon: () => [] }),
  });
  return { ...Object.fromEntries(lentFiles(context, "beacons").map((file) => [file.name, () => load(file)])), ...own };
}

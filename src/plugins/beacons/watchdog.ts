import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap } from "../../language/python/values.ts";
import { exists } from "../linux/paths.ts";
import type { Follower } from "./follower.ts";
import { endAll, lacksInotifywait, watchPath } from "./inotify.ts";

/** What is watched → the kernel's names for it. */
const MASKS: Readonly<Record<string, readonly string[]>> = {
  create: ["create", "moved_to", "moved_from"],
  modify: ["modify", "attrib"],
  delete: ["delete", "moved_from", "moved_to"],
  move: ["moved_from", "moved_to"],
};

/** The kernel's names → the mask that they belong to. */
const CHANGES: Readonly<Record<string, string>> = {
  CREATE: "create",
  MODIFY: "modify",
  ATTRIB: "modify",
  DELETE: "delete",
};

/** Masks → what they are called in events. */
const CALLED: Readonly<Record<string, string>> = {
  create: "created",
  modify: "modified",
  delete: "deleted",
  move: "moved",
};

const wrong = (comment: string): [boolean, string] => [false, comment];

/** Changes in directories, by the kernel's inotify: the program inotifywait watches. */
export const beacon: BeaconModule = {
  unavailable: lacksInotifywait,
  validate(config) {
    const { directories } = settingsOf(config);
    if (directories === undefined) return wrong("Configuration for watchdog beacon must include directories.");
    if (!isMap(directories)) return wrong("Configuration for watchdog beacon directories must be a dictionary.");
    for (const own of Object.values(directories)) {
      if (!isMap(own)) return wrong("Configuration for watchdog beacon directory path must be a dictionary.");
      const { mask } = own as { mask?: unknown };
      if (mask === undefined) continue;
      if (!Array.isArray(mask)) return wrong("Configuration for watchdog beacon mask must be list.");
      if (mask.some((one) => !Object.hasOwn(MASKS, String(one)))) {
        return wrong("Configuration for watchdog beacon contains invalid mask");
      }
    }
    return VALID;
  },
  beacon(_config, { settings, context, memory }) {
    const found: BeaconEvent[] = [];
    for (const [path, own] of Object.entries(settings.directories as Record<string, { mask?: string[] }>)) {
      let follower = memory.get(path) as Follower | undefined;
      if (follower?.error !== undefined) follower = undefined;
      if (follower === undefined) {
        memory.delete(path);
        if (!exists(context.runtime.fs, path)) continue;
        const events = [...new Set((own.mask ?? Object.keys(MASKS)).flatMap((one) => MASKS[one]!))];
        memory.set(path, watchPath(context, path, events, false));
        continue;
      }
      const masks = own.mask ?? Object.keys(MASKS);
      for (const { mask, path } of changesIn(follower.take().lines)) {
        if (masks.includes(mask)) found.push({ tag: "watchdog", path, change: CALLED[mask] });
      }
    }
    return found;
  },
  close: endAll,
};

/** What lines of the program say: a file that leaves a directory and comes again at once was moved in it. */
function changesIn(lines: readonly string[]): { mask: string; path: string }[] {
  const read = lines.map((line) => {
    const [names = "", watched = "", file = ""] = line.split("\t");
    return { names: names.split(","), path: `${watched}${file}` };
  });
  return read.flatMap(({ names, path }, at) => {
    const is = (name: string, of = at) => read[of]?.names.includes(name) === true;
    if (is("MOVED_FROM")) return [{ mask: is("MOVED_TO", at + 1) ? "move" : "delete", path }];
    if (is("MOVED_TO")) return is("MOVED_FROM", at - 1) ? [] : [{ mask: "create", path }];
    const name = names.find((one) => Object.hasOwn(CHANGES, one));
    return name === undefined ? [] : [{ mask: CHANGES[name]!, path }];
  });
}

import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../loader/beacons.ts";
import { isMap } from "../../python/containers.ts";
import { exists } from "../linux/paths.ts";
import type { Follower } from "./follower.ts";
import { endAll, lacksInotifywait, watchPath } from "./inotifywait.ts";

/** What is watched → the kernel's names for it. */
const MASKS: Readonly<Record<string, readonly string[]>> = {
  create: ["create", "moved_to"],
  modify: ["modify", "attrib"],
  delete: ["delete"],
  move: ["moved_from"],
};

/** The kernel's names → what they are called in events. */
const CHANGES: Readonly<Record<string, string>> = {
  CREATE: "created",
  MOVED_TO: "created",
  MODIFY: "modified",
  ATTRIB: "modified",
  DELETE: "deleted",
  MOVED_FROM: "moved",
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
        const events = (own.mask ?? Object.keys(MASKS)).flatMap((one) => MASKS[one]!);
        memory.set(path, watchPath(context, path, events, false));
        continue;
      }
      for (const line of follower.take().lines) {
        const [names = "", watched = "", file = ""] = line.split("\t");
        const name = names.split(",").find((one) => Object.hasOwn(CHANGES, one));
        if (name !== undefined) found.push({ tag: "watchdog", path: `${watched}${file}`, change: CHANGES[name] });
      }
    }
    return found;
  },
  close: endAll,
};

import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { dirName } from "../../base/paths.ts";
import { isMap } from "../../language/python/values.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { compileFinder } from "../../language/python/regexp.ts";
import { exists } from "../linux/paths.ts";
import { Follower } from "./follower.ts";
import type { Context } from "../../model/loader/family.ts";
import { which } from "../linux/programs.ts";

/** Why nothing can be watched; undefined if the program is there. */
export const lacksInotifywait = ({ runtime: { fs, process } }: Context): string | undefined =>
  which(fs, "inotifywait", process.env("PATH")) === undefined
    ? "there is no program inotifywait: install inotify-tools"
    : undefined;

/** Watches a path for some of the kernel's events; a line for each: the events, what is watched, and the name in it. */
export function watchPath(context: Context, path: string, events: readonly string[], recursive: boolean): Follower {
  const words = [...(recursive ? ["--recursive"] : []), ...events.flatMap((event) => ["--event", event])];
  return new Follower(context, ["inotifywait", "--monitor", "--quiet", ...words, "--format", "%e\t%w\t%f", "--", path]);
}

/** Ends all that a beacon watches. */
export function endAll({ memory }: { memory: Map<string, unknown> }): void {
  for (const follower of memory.values()) (follower as Follower).close();
}

const MASKS = [
  ...["access", "attrib", "close_nowrite", "close_write", "create", "delete", "delete_self", "excl_unlink", "ignored"],
  ...["modify", "moved_from", "moved_to", "move_self", "oneshot", "onlydir", "open", "unmount"],
];

/** What is watched unless a mask says otherwise. */
const USUAL = ["create", "delete", "modify"];

/** Masks that are no events of their own: the program has no such thing. */
const NO_EVENTS: ReadonlySet<string> = new Set(["excl_unlink", "ignored", "oneshot", "onlydir"]);

interface Watched {
  mask?: string[];
  recurse?: boolean;
  auto_add?: boolean;
  exclude?: unknown[];
}

const wrong = (comment: string): [boolean, string] => [false, comment];

/** Why one path of the configuration is wrong; undefined if it is not. */
function mistake(own: unknown): string | undefined {
  if (!isMap(own)) return "Configuration for inotify beacon must be a list of dictionaries.";
  const { mask, recurse, auto_add } = own as Record<string, unknown>;
  if (mask === undefined && recurse === undefined && auto_add === undefined) {
    return "Configuration for inotify beacon must contain mask, recurse or auto_add items.";
  }
  for (const [name, value] of Object.entries({ auto_add, recurse })) {
    if (value !== undefined && typeof value !== "boolean") {
      return `Configuration for inotify beacon ${name} must be boolean.`;
    }
  }
  if (mask === undefined) return undefined;
  if (!Array.isArray(mask)) return "Configuration for inotify beacon mask must be list.";
  const unknown = mask.find((one) => !MASKS.includes(String(one)));
  return unknown === undefined ? undefined : `Configuration for inotify beacon invalid mask option ${unknown}.`;
}

/** Changes of files and directories, by the kernel's inotify: the program inotifywait watches. */
export const beacon: BeaconModule = {
  unavailable: lacksInotifywait,
  validate(config) {
    const { files } = settingsOf(config);
    if (files === undefined) return wrong("Configuration for inotify beacon must include files.");
    if (!isMap(files)) return wrong("Configuration for inotify beacon invalid, files must be a dict.");
    for (const own of Object.values(files)) {
      const found = mistake(own);
      if (found !== undefined) return wrong(found);
    }
    return VALID;
  },
  beacon(_config, { settings, context, memory }) {
    const files = settings.files as Record<string, Watched>;
    const { fs } = context.runtime;
    const found: BeaconEvent[] = [];
    for (const [path, own] of Object.entries(files)) {
      let follower = memory.get(path) as Follower | undefined;
      if (follower?.error !== undefined) {
        memory.delete(path);
        follower = undefined;
      }
      // A path that is not there yet is watched once it is.
      if (follower === undefined) {
        if (!exists(fs, path)) continue;
        const events = (own.mask ?? USUAL).filter((one) => !NO_EVENTS.has(one));
        memory.set(path, watchPath(context, path, events, own.recurse === true));
        continue;
      }
      const { lines, dropped } = follower.take();
      for (const line of lines) {
        const event = eventOf(line, path);
        if (event !== undefined && !isExcluded(event.path, own.exclude)) found.push(event);
      }
      if (dropped > 0) found.push({ tag: path, path, error: `${dropped} changes were too many`, dropped });
    }
    return found;
  },
  close: endAll,
};

/** `CREATE,ISDIR<tab>/srv/<tab>new` as Salt has it: `{tag: "/srv", path: "/srv/new", change: "IN_CREATE|IN_ISDIR"}`. */
function eventOf(line: string, configured: string): { tag: string; path: string; change: string } | undefined {
  const [events, watched, name = ""] = line.split("\t");
  if (events === undefined || watched === undefined) return undefined;
  const folder = watched.length > 1 ? watched.replace(/\/$/, "") : watched;
  const path = name === "" ? folder : `${folder === "/" ? "" : folder}/${name}`;
  // The program names both kinds of closing once more.
  const change = events.split(",").filter((one) => one !== "CLOSE").map((one) => `IN_${one}`).join("|");
  return { tag: name === "" && path !== configured ? dirName(path) || "/" : folder, path, change };
}

/** `exclude`: beginnings of paths, globs, or `{regex: {regex: True}}`. */
function isExcluded(path: string, excludes: unknown): boolean {
  if (!Array.isArray(excludes)) return false;
  return excludes.some((exclude) => {
    if (isMap(exclude)) {
      const [pattern = "", how] = Object.entries(exclude as object)[0] ?? [];
      try {
        return isMap(how) && (how as { regex?: unknown }).regex === true && compileFinder(pattern)(path);
      } catch {
        return false;
      }
    }
    const text = String(exclude);
    return text.includes("*") ? compileGlob(text)(path) : path.startsWith(text);
  });
}

import type { Context } from "../../model/loader/family.ts";
import { which } from "../linux/programs.ts";
import { Follower } from "./follower.ts";

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

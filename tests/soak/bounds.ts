/** How much each figure of a soak may grow. */
import type { Bound } from "./judge.ts";

const MIB = 2 ** 20;

/**
 * The bounds by the last part of a figure's name. In a run of minutes a runtime is still growing into its work, so that memory and
 * descriptors are judged in full only from half an hour on; all else is the same in any run.
 */
export function boundOf(name: string, minutes: number): Bound {
  const long = minutes >= 30;
  const kind = name.slice(name.lastIndexOf(" ") + 1);
  switch (kind) {
    case "rss":
      return { absolute: (long ? 6 : 64) * MIB, share: long ? 0.06 : 0.25, lowestOf: long ? 10 : 4 };
    case "heap":
      return { absolute: (long ? 4 : 16) * MIB, share: long ? 0.05 : 0.3, lowestOf: long ? 10 : 4 };
    case "descriptors":
      // In minutes, streams and clients that happen to be there at once look like growth.
      return { absolute: long ? 4 : 16, lowestOf: long ? 1 : 4 };
    case "children":
      return { absolute: 1.5 };
    case "timers":
      return { absolute: 12 };
    case "files":
      return { absolute: long ? 20 : 40, share: long ? 0.02 : 0.5 };
    default:
      // Queues: bytes or entries, which come and go. A queue that is not worked off grows by far more.
      return { absolute: 4096, lowestOf: 10 };
  }
}

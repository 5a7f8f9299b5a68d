import type { RemoteRevision } from "./remote.ts";
import type { GitCheckout } from "./repository.ts";

/** How the tracking branch is changed: the words for it, and options of `git branch`. */
export interface TrackingChange {
  did: string;
  would: string;
  opts: string[];
}

/** The branch that is tracked now: undefined without a branch, empty if it tracks none. */
export async function upstreamOf(repository: GitCheckout, branch: string | undefined): Promise<string | undefined> {
  if (branch === undefined) return undefined;
  return await repository.resolve(`${branch}@{upstream}`, ["--abbrev-ref"]) ?? "";
}

/** What is to be done about the tracking branch. */
export function trackingChange(now: string | undefined, { upstream }: RemoteRevision): TrackingChange | undefined {
  const tracks = now !== undefined && now !== "";
  if (typeof upstream === "string" && !tracks) {
    return {
      did: `Tracking branch was set to ${upstream}`,
      would: `Tracking branch would be set to ${upstream}`,
      opts: ["--set-upstream-to", upstream],
    };
  }
  if (upstream === false && tracks) {
    return { did: "Tracking branch was unset", would: "Tracking branch would be unset", opts: ["--unset-upstream"] };
  }
  if (typeof upstream === "string" && now !== upstream) {
    return {
      did: `Tracking branch was updated to ${upstream}`,
      would: `Tracking branch would be updated to ${upstream}`,
      opts: ["--set-upstream-to", upstream],
    };
  }
  return undefined;
}

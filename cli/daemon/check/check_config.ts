/** Checks a daemon's configuration before it runs: for its start, for `--check` and for `salt-doctor`. */
import type { LoadedConfig } from "../../../src/model/config/load.ts";
import { type OptionReview, reviewOptions } from "../../../src/model/config/review.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Daemon } from "../daemon.ts";
import { type Finding, findingsBy } from "./finding.ts";

interface ConfigFindings {
  /** Options without effect, and names that are not options. */
  review: OptionReview;
  found: Finding[];
}

/** Runs the checks of a daemon. Every program that reports mistakes in a configuration uses this function. */
export async function checkConfig(
  { kind, checks }: Pick<Daemon, "kind" | "checks">,
  config: LoadedConfig,
  runtime: Runtime,
): Promise<ConfigFindings> {
  return { review: reviewOptions(kind, config), found: await findingsBy(checks, config, runtime) };
}

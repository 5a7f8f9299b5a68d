/** Checks that the npm packages which a master's options need can be loaded: the one file of all programs has few of them. */
import { messageOf } from "../../../src/base/errors.ts";
import { isRecord } from "../../../src/base/record.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { loadDriver } from "../../../src/plugins/driver.ts";
import type { FileSystem } from "../../../src/runtime/fs.ts";
import { jobCacheName } from "../../job_caches.ts";
import { telemetrySettings } from "../telemetry/settings.ts";
import { fatal, type Finding, wrong } from "./finding.ts";

interface Need {
  name: string;
  /** The option for the message: `master_job_cache: redis`. */
  neededBy: string;
  isNeeded(opts: MasterOpts, fs: FileSystem): boolean;
  /** `fatal` if the master does not start without the package. */
  finding: (problem: string) => Finding;
}

const NEEDS: readonly Need[] = [
  ...["postgres", "redis"].map((name): Need => ({
    name,
    neededBy: `master_job_cache: ${name}`,
    isNeeded: (opts) => jobCacheName(opts) === name,
    finding: fatal,
  })),
  {
    name: "prom-client",
    neededBy: "metrics",
    isNeeded: (opts, fs) => telemetrySettings(fs, opts).scrape !== undefined,
    finding: fatal,
  },
  {
    name: "ldapts",
    neededBy: "external_auth: ldap",
    isNeeded: ({ external_auth: backends }) => isRecord(backends) && Object.hasOwn(backends, "ldap"),
    finding: wrong,
  },
];

/** A wrong value of an option is a finding of another check. */
function isNeeded(need: Need, opts: MasterOpts, fs: FileSystem): boolean {
  try {
    return need.isNeeded(opts, fs);
  } catch {
    return false;
  }
}

/** @param load loads a package; for tests */
export async function checkPackages(opts: MasterOpts, fs: FileSystem, load = loadDriver): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const need of NEEDS) {
    if (!isNeeded(need, opts, fs)) continue;
    try {
      await load(need.name, need.neededBy);
    } catch (error) {
      findings.push(need.finding(messageOf(error)));
    }
  }
  return findings;
}

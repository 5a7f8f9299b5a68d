/** What `rpm -q` tells of packages, by a format of its own. */
import { utcDate } from "../fields.ts";
import type { InstalledVersion } from "../lists.ts";
import { resolveName } from "./names.ts";

export const QUERY_FORMAT = "%{NAME}_|-%{EPOCH}_|-%{VERSION}_|-%{RELEASE}_|-%{ARCH}_|-(none)_|-%{INSTALLTIME}";

interface QueriedPackage extends Omit<InstalledVersion, "install_date" | "install_date_time_t"> {
  name: string;
  install_date: string | null;
  install_date_time_t: number | null;
}

/** A line of {@link QUERY_FORMAT}; undefined if it is none. */
export function parseRpmQuery(line: string, osarch: string): QueriedPackage | undefined {
  const fields = line.split("_|-");
  if (fields.length !== 7) return undefined;
  const [name = "", epoch = "", version = "", release = "", arch = "", , time = ""] = fields;
  const seconds = /^[1-9]\d*$/.test(time) ? Number(time) : null;
  return {
    name: resolveName(name, arch, osarch),
    epoch: ["(none)", "0"].includes(epoch) ? "" : epoch,
    version,
    release,
    arch,
    install_date: seconds === null ? null : utcDate(seconds * 1000),
    install_date_time_t: seconds,
  };
}

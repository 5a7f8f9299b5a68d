/** Checks whether the clock of this host can be right: otherwise messages between hosts are refused. */
import { which } from "../../../src/plugins/linux/programs.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, wrong } from "../../daemon/check/finding.ts";
import { type Examination, printed } from "./examination.ts";

/** No host with this program has a clock before this time, at which it was written. */
const WRITTEN = Date.UTC(2026, 0, 1);

export async function checkClock(runtime: Runtime): Promise<Examination> {
  const now = runtime.clock.now();
  const shown = `${new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  if (now < WRITTEN) {
    const remedy = "set the clock, and keep it with a time service: systemctl enable --now systemd-timesyncd";
    return { well: [], findings: [wrong(`the clock shows ${shown}, which is in the past`, remedy)] };
  }
  const synchronized = await isSynchronized(runtime);
  if (synchronized !== false) {
    return { well: [synchronized ? `${shown}, synchronized by a time service` : shown], findings: [] };
  }
  const remedy = "start a time service: systemctl enable --now systemd-timesyncd";
  return { well: [shown], findings: [doubtful("no time service synchronizes the clock", remedy)] };
}

/** Whether systemd reports a synchronized clock; undefined on a host that cannot tell. */
async function isSynchronized(runtime: Runtime): Promise<boolean | undefined> {
  const program = which(runtime.fs, "timedatectl", runtime.process.env("PATH"));
  if (program === undefined) return undefined;
  const text = await printed(runtime, [program, "show", "-p", "NTPSynchronized", "--value"]);
  return text === "yes" ? true : text === "no" ? false : undefined;
}

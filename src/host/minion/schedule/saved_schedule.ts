import { dirName } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { Entry } from "../../../model/schedule/entry.ts";
import { dump } from "../../../language/yaml/dump.ts";

/** Writes a schedule as Salt does; a failure is logged. */
export function saveSchedule(fs: FileSystem, log: Logger, path: string | undefined, schedule: Entry): void {
  if (path === undefined) {
    log.debug("the schedule is not saved: the minion has no configuration files");
    return;
  }
  try {
    fs.mkdir(dirName(path), 0o755);
    fs.write(path, dump({ schedule }, { flow: "leaves" }), { mode: 0o644 });
  } catch (error) {
    log.error("Failed to persist the updated schedule", { path, error: messageOf(error) });
  }
}

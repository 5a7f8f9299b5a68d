import { joinPath } from "../../../base/paths.ts";
import { SystemError } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { basename, dirname, join } from "../../../language/python/posixpath.ts";
import { str } from "../../../language/python/values.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { osErrorText, withOsErrors } from "../../python_errors.ts";
import { overwrite } from "./content.ts";
import { pathOf } from "./stats.ts";
import { MONTH_NAMES } from "../../../model/job/jid.ts";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/** The name of a backup: `<name>_Sat_Nov_21_06:31:09_123456_2026`. */
const STAMP = /_([A-Z][a-z]{2})_([A-Z][a-z]{2})_(\d{1,2})_(\d{1,2}):(\d{1,2}):(\d{1,2})_(\d{1,6})_(\d{4})$/;

const two = (value: number | string) => String(value).padStart(2, "0");

/** Where copies of files are kept that were changed. */
const backupRoot = (context: JobContext) => joinPath(str(context.opts.cachedir ?? ""), "file_backup");

interface Backup {
  "Backup Time": string;
  Size: number;
  Location: string;
}

interface Dated {
  name: string;
  /** Sorts as the time does. */
  order: string;
  backup: Backup;
}

function dated(context: JobContext, directory: string, entry: string): Dated | undefined {
  const match = STAMP.exec(entry);
  if (match === null) return undefined;
  const [, day = "", month = "", date = "", hour = "", minute = "", second = "", micro = "", year = ""] = match;
  const number = MONTH_NAMES.indexOf(month);
  if (number < 0 || !DAYS.includes(day)) return undefined;
  const location = join(directory, entry);
  // A fraction: missing digits are missing at its end.
  const fraction = micro.padEnd(6, "0");
  const clock = `${two(hour)}:${two(minute)}:${two(second)}.${fraction}`;
  const weekday = DAYS[new Date(Date.UTC(Number(year), number, Number(date))).getUTCDay()];
  return {
    name: entry.slice(0, match.index),
    order: `${year}${two(number)}${two(date)}${clock}`,
    backup: {
      "Backup Time": `${weekday} ${month} ${two(date)} ${year} ${clock}`,
      Size: context.runtime.fs.stat(location)?.size ?? 0,
      Location: location,
    },
  };
}

function limitOf(limit: unknown): number | undefined {
  const text = str(limit);
  return limit !== null && /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : undefined;
}

/** Newest first, by numbers from 0. */
function numbered(found: Dated[], limit: unknown): Map<number, Backup> {
  const sorted = found.sort((a, b) => a.order < b.order ? 1 : a.order > b.order ? -1 : 0);
  return new Map(sorted.slice(0, limitOf(limit)).map(({ backup }, at) => [at, backup]));
}

function inDirectory(context: JobContext, path: string): Dated[] {
  const { fs } = context.runtime;
  const directory = joinPath(backupRoot(context), dirname(path).slice(1));
  if (!isDirectory(fs, directory)) return [];
  return fs.list(directory).filter((entry) => isFile(fs, join(directory, entry)))
    .map((entry) => dated(context, directory, entry)).filter((item) => item !== undefined);
}

/** The kept copies of a file. */
export function listBackups(context: JobContext, given: unknown, limit: unknown = null): Map<number, Backup> {
  const path = pathOf(context, given);
  return numbered(inDirectory(context, path).filter(({ name }) => name === basename(path)), limit);
}

/** The kept copies of all files of a directory, by name up to its first underscore. */
export function listBackupsDir(
  context: JobContext,
  given: unknown,
  limit: unknown,
): Record<string, Map<number, Backup>> {
  const groups = Map.groupBy(inDirectory(context, pathOf(context, given)), ({ name }) => name.split("_")[0]!);
  return Object.fromEntries([...groups].map(([name, found]) => [name, numbered(found, limit)]));
}

export function keepBackup(context: JobContext, path: string): void {
  const { clock, fs } = context.runtime;
  const now = new Date(clock.now());
  // Salt takes the last six digits of the microseconds since the epoch.
  const micro = String(Math.floor(clock.now() * 1000) % 1_000_000).padStart(6, "0");
  const stamp = [
    DAYS[now.getDay()],
    MONTH_NAMES[now.getMonth()],
    two(now.getDate()),
    `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`,
    micro,
    now.getFullYear(),
  ].join("_");
  const copy = joinPath(backupRoot(context), dirname(path).slice(1), `${basename(path)}_${stamp}`);
  const look = () => withOsErrors(path, () => fs.stat(path));
  const stat = look();
  const content = withOsErrors(path, () => fs.read(path));
  // Whoever owns the directory may have put a link to another's file there, which would then be given to the first one's owner.
  const after = look();
  if (stat === undefined || after?.ino !== stat.ino || after.dev !== stat.dev || after.uid !== stat.uid) {
    throw new CommandExecutionError(`Cannot keep a backup of "${path}": it became another file meanwhile`);
  }
  fs.mkdir(dirname(copy));
  fs.write(copy, content, { mode: stat.mode, owner: { uid: stat.uid, gid: stat.gid }, like: path });
}

interface Result {
  result: boolean;
  comment: string;
}

/** The backup with a number, or an error message. */
function chosen(context: JobContext, path: string, id: unknown): Backup | Result {
  const text = str(id);
  const refusal = (comment: string) => ({ result: false, comment });
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return refusal(`Invalid backup_id '${text}'`);
  const backup = listBackups(context, path).get(Number(text));
  return backup ?? refusal(`backup_id '${text}' does not exist for ${path}`);
}

/** Restores a file from a backup, after a backup of its current content. */
export function restoreBackup(context: JobContext, given: unknown, id: unknown): Result {
  const { fs } = context.runtime;
  const path = pathOf(context, given);
  const backup = chosen(context, path, id);
  if ("result" in backup) return backup;
  keepBackup(context, path);
  try {
    overwrite(context.runtime, path, fs.read(backup.Location));
  } catch (error) {
    return { result: false, comment: `Unable to restore ${backup.Location} to ${path}: ${(error as Error).message}` };
  }
  return { result: true, comment: `Successfully restored ${backup.Location} to ${path}` };
}

export function deleteBackup(context: JobContext, given: unknown, id: unknown): Result {
  const backup = chosen(context, pathOf(context, given), id);
  if ("result" in backup) return backup;
  try {
    context.runtime.fs.remove(backup.Location);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    return { result: false, comment: `Unable to remove ${backup.Location}: ${osErrorText(error, backup.Location)}` };
  }
  return { result: true, comment: `Successfully removed ${backup.Location}` };
}

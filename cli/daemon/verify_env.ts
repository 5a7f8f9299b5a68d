/**
 * Checks the directories of a daemon (`verify_env`): they are created, given to their user, and closed to others if they hold
 * secrets.
 */
import type { Host } from "../../src/model/config/review.ts";
import { dirName, joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import { strangersCode } from "../../src/model/loader/custom_files.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { isSyslogAddress } from "./syslog_address.ts";

/** A directory that a daemon uses. */
interface Place {
  option: string;
  path: string;
  mode: number;
  /** Modes that are accepted; any other is changed to `mode`. @default all modes that do not let all users write */
  allowed?: readonly number[];
  /** Suffix of file names in it that only the owner may read. */
  secrets?: string;
}

interface PlaceProblem {
  path: string;
  problem: string;
  remedy: string;
  mended: boolean;
  /** True if the daemon cannot work, or others can read a secret. */
  severe: boolean;
}

const text = (value: unknown) => typeof value === "string" ? value : "";

/** As in Salt, the group may read the keys; all other modes are changed. */
const KEYS = [0o700, 0o750];

function placesOf(kind: Host, opts: Record<string, unknown>): Place[] {
  const [pki, cache] = [text(opts.pki_dir), text(opts.cachedir)];
  const below = ["minions", "minions_pre", "minions_rejected", "minions_denied", "minions_autosign"];
  const logFile = text(opts.log_file);
  const places: Place[] = [
    { option: "pki_dir", path: pki, mode: 0o700, allowed: KEYS, secrets: ".pem" },
    ...(kind === "master" ? below.map((name) => ({ option: "pki_dir", path: joinPath(pki, name), mode: 0o700 })) : []),
    { option: "cachedir", path: cache, mode: 0o755, secrets: "_key" },
    { option: "sock_dir", path: text(opts.sock_dir), mode: 0o755 },
    { option: "extension_modules", path: text(opts.extension_modules), mode: 0o755 },
    ...(kind === "master" ? [{ option: "token_dir", path: text(opts.token_dir), mode: 0o700, allowed: KEYS }] : []),
    { option: "log_file", path: logFile === "" || isSyslogAddress(logFile) ? "" : dirName(logFile), mode: 0o755 },
  ];
  return places.filter(({ path }) => path !== "");
}

interface VerifyEnvOptions {
  runtime: Pick<Runtime, "fs" | "process">;
  kind: Host;
  opts: Record<string, unknown>;
  /** Uid of the daemon's user. */
  uid: number | undefined;
  /** False to report problems without fixing them. */
  mend: boolean;
}

const octal = (mode: number) => `0${mode.toString(8).padStart(3, "0")}`;

/** Checks every directory, and fixes what this user may. @returns the problems, fixed or not */
export function verifyEnv(options: VerifyEnvOptions): PlaceProblem[] {
  const problems: PlaceProblem[] = [];
  for (const place of placesOf(options.kind, options.opts)) {
    try {
      verifyPlace(place, options, (problem) => void problems.push(problem));
    } catch (error) {
      const remedy = `create it for the user of the daemon, or set ${place.option} to another directory`;
      problems.push({ path: place.path, problem: messageOf(error), remedy, mended: false, severe: true });
    }
  }
  return problems;
}

function verifyPlace(place: Place, options: VerifyEnvOptions, found: (problem: PlaceProblem) => void): void {
  const { runtime: { fs }, mend } = options;
  const { option, path, mode } = place;
  let stat = fs.stat(path);
  if (stat === undefined) {
    if (!mend) {
      const problem = missing(path, options);
      if (problem !== undefined) found(problem);
      return;
    }
    fs.mkdir(path, mode);
    stat = fs.stat(path)!;
  }
  if (stat.kind !== "directory") {
    const remedy = `move it away, or set ${option} to a directory`;
    return found({ path, problem: `it is a ${stat.kind}, not a directory`, remedy, mended: false, severe: true });
  }
  const link = fs.stat(path, { follow: false });
  if (link?.kind === "symlink" && link.uid !== 0 && options.runtime.process.uid() === 0) {
    // Such a link could make root close any directory of the host, because the daemon's user controls the parent directory.
    const remedy = `replace it by a directory or by a link of root, or set ${option} to another directory`;
    const problem = `it is a link that user ${link.uid} created`;
    return found({ path, problem, remedy, mended: false, severe: true });
  }
  // For the log directory, only the log file is given to the daemon's user.
  if (option !== "log_file" || options.runtime.process.uid() !== 0) verifyOwner(place, stat.uid, options, found);
  const open = place.allowed === undefined
    ? (stat.mode & 0o1002) === 0o002
    : !place.allowed.includes(stat.mode & 0o777);
  if (open) {
    const wanted = place.allowed === undefined ? stat.mode & 0o7777 & ~0o002 : mode;
    verifyMode(path, stat.mode, wanted, options, found);
  }
  const stranger = option === "cachedir" || option === "extension_modules"
    ? strangersCode(options.runtime, path)
    : undefined;
  if (stranger !== undefined) {
    const remedy = `set ${option} to a directory that only root and the user of the daemon can change`;
    found({ path, problem: `custom modules are not loaded from it: ${stranger}`, remedy, mended: false, severe: true });
  }
  if (place.secrets !== undefined) verifySecrets(place, options, found);
}

/** A missing directory is a problem only if it cannot be created. */
function missing(path: string, { runtime: { fs } }: VerifyEnvOptions): PlaceProblem | undefined {
  let parent = path;
  while (fs.stat(parent) === undefined && dirName(parent) !== parent) parent = dirName(parent);
  if (fs.stat(parent)?.kind === "directory" && fs.access(parent, "write")) return undefined;
  const remedy = `run: mkdir -p ${path}, and give it to the user of the daemon`;
  return { path, problem: `it is missing, and cannot be created in ${parent}`, remedy, mended: false, severe: true };
}

function verifyOwner(
  { option, path }: Place,
  owner: number,
  { runtime: { fs, process }, uid, mend }: VerifyEnvOptions,
  found: (problem: PlaceProblem) => void,
): void {
  // Root may use directories of others. A directory of another user is given to the daemon's user when the daemon becomes that
  // user.
  if (uid === undefined || owner === uid || process.uid() === 0 && mend) return;
  if (uid === 0 || process.uid() === uid && fs.access(path, "write")) return;
  found({
    path,
    problem: `it belongs to user ${owner}, not to user ${uid} of the daemon`,
    remedy: `if this daemon alone uses it, run: chown -R ${uid} ${path}. Else set ${option} to a separate directory`,
    mended: false,
    // A start as root gives the directory to the daemon's user.
    severe: process.uid() !== 0,
  });
}

function verifyMode(
  path: string,
  mode: number,
  wanted: number,
  { runtime: { fs, process }, mend }: VerifyEnvOptions,
  found: (problem: PlaceProblem) => void,
  follow = true,
): void {
  let mended = false;
  const uid = process.uid();
  // A key with open permissions is not fixed silently: others may have copied it.
  const isMendedByStart = !mend && follow && (uid === 0 || uid === fs.stat(path)?.uid);
  if (mend) {
    try {
      fs.chmod(path, wanted, { follow });
      mended = true;
    } catch {
      // The file belongs to another user: the problem is reported below.
    }
  }
  const problem = `its mode is ${octal(mode & 0o7777)}, which gives other users access`;
  const remedy = isMendedByStart
    ? `nothing to do: the daemon sets it to ${octal(wanted)} at startup`
    : `run: chmod ${octal(wanted)} ${path}`;
  found({ path, problem, remedy, mended, severe: !isMendedByStart });
}

/** Checks that files with secrets belong to the daemon's user, and are closed to others. */
function verifySecrets(place: Place, options: VerifyEnvOptions, found: (problem: PlaceProblem) => void): void {
  const { runtime: { fs } } = options;
  for (const name of fs.list(place.path)) {
    if (!name.endsWith(place.secrets!)) continue;
    const path = joinPath(place.path, name);
    const stat = fs.stat(path, { follow: false });
    if (stat?.kind !== "file" || (stat.mode & 0o037) === 0) continue;
    if (place.secrets === ".pem" && !fs.readText(path).includes("PRIVATE KEY")) continue;
    // Do not follow links: the file's user could replace it by a link, to make root close another file.
    verifyMode(path, stat.mode, stat.mode & 0o700, options, found, false);
  }
}

/** Logs the problems that {@link verifyEnv} has found. */
export function logPlaceProblems(log: Logger, problems: readonly PlaceProblem[]): void {
  for (const { path, problem, remedy, mended, severe } of problems) {
    if (mended) log.warning("fixed at startup", { path, problem });
    else log[severe ? "critical" : "warning"]("to fix", { path, problem, remedy });
  }
}

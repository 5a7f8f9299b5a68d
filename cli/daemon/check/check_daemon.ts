/** `--check`: finds what would prevent a daemon from starting or working, without starting it or changing anything. */
import type { LoadedConfig } from "../../../src/model/config/load.ts";
import { NARROW_REMEDY, type OptionReview } from "../../../src/model/config/review.ts";
import { namePatterns, type NarrowPattern } from "../../../src/model/config/review_permissions.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { ProgramContext } from "../../program/context.ts";
import { readConfig } from "../../program/read_config.ts";
import type { Daemon } from "../daemon.ts";
import { runningInstance } from "../pid_file.ts";
import { checkRunAs, userNumber } from "../run_as.ts";
import { verifyEnv } from "../verify_env.ts";
import { checkConfig } from "./check_config.ts";
import { checkPorts } from "./check_ports.ts";
import { doubtful, type Finding, findingCounts, findingLine, wrong } from "./finding.ts";

/** Prints the findings, one line for each. @returns the exit code: 1 if there is an error */
export async function checkDaemon(context: ProgramContext, daemon: Daemon): Promise<number> {
  const { findings } = await findingsOf(context, daemon);
  for (const finding of findings) context.print(`${findingLine(finding)}\n`);
  const { errors, text } = findingCounts(findings);
  context.print(`${text}\n`);
  return errors > 0 ? 1 : 0;
}

/** The findings about a daemon's configuration, directories, keys and ports. */
interface DaemonFindings {
  findings: Finding[];
  /** The configuration as the daemon would read it; undefined if it is unreadable. */
  config: LoadedConfig | undefined;
  /** The process of the daemon; undefined if it is not running. */
  running: number | undefined;
  /** True if this user may not read the directories of the daemon. */
  barred: boolean;
}

export async function findingsOf(context: ProgramContext, daemon: Daemon): Promise<DaemonFindings> {
  const findings: Finding[] = [];
  const config = await readAll(context, daemon, findings);
  if (config === undefined) return { findings, config, running: undefined, barred: false };
  const { runtime } = context;
  const { kind, program = `salt-${kind}` } = daemon;
  const { opts, given } = config;
  Object.assign(opts, daemon.files?.(opts));
  const { review, found } = await checkConfig(daemon, config, runtime);
  findings.push(...found, ...reviewFindings(review));
  if (kind === "master") findings.push(...(await beginningsOfNames(opts)).map(narrowFinding));
  const running = runningInstance(runtime, String(opts.pidfile), program);
  // A gateway does not use the master's directories.
  const own = daemon.directories === undefined ? [opts.pki_dir, opts.cachedir].map(String) : [];
  const barred = await barredUser(runtime, String(opts.user ?? ""), given.has("user"), own);
  if (barred !== undefined) {
    findings.push(barred);
    // What this user may not read says nothing about the daemon.
    if (runtime.process.uid() !== 0) return { findings, config, running, barred: true };
  }
  if (opts.verify_env !== false && daemon.directories === undefined) {
    const uid = given.has("user") ? await userNumber(runtime, String(opts.user)) : runtime.process.uid();
    for (const { path, problem, remedy, severe } of verifyEnv({ runtime, kind, opts, uid, mend: false })) {
      findings.push((severe ? wrong : doubtful)(`${path}: ${problem}`, remedy));
    }
  }
  try {
    const { findings: ofPlace = [], ports = [] } = await daemon.place?.(config, runtime) ?? {};
    findings.push(...ofPlace, ...await checkPorts(runtime, ports, running, program));
  } catch (error) {
    findings.push(wrong(messageOf(error)));
  }
  return { findings, config, running, barred: false };
}

/** What a user does who may not look at the files of a daemon. */
const AS_ROOT = "run this as root (sudo), or as the user of the daemon";

/** One line for a user who is neither root nor that of the daemon, in place of one for each file. */
async function barredUser(
  runtime: Runtime,
  user: string,
  given: boolean,
  directories: readonly string[],
): Promise<Finding | undefined> {
  const problem = await checkRunAs(runtime, user, given);
  if (problem !== undefined) return wrong(problem);
  const { fs, process, host } = runtime;
  if (process.uid() === 0) return undefined;
  const isClosed = (path: string) => {
    try {
      return fs.stat(path) !== undefined && !fs.access(path, "read");
    } catch {
      return true;
    }
  };
  const closed = directories.find(isClosed);
  if (closed === undefined) return undefined;
  return wrong(
    `user ${host.user().name} may not read ${closed}: keys, directories and ports were not checked`,
    AS_ROOT,
  );
}

/** Reads the configuration as the daemon would, and reports every wrong value; undefined if it is unreadable. */
async function readAll(
  context: ProgramContext,
  daemon: Daemon,
  findings: Finding[],
): Promise<LoadedConfig | undefined> {
  const said: LogRecord[] = [];
  const log = createLogger((record) => void said.push(record), "warning");
  const complain = (text: string) => void findings.push(wrong(text.replace(/^WARNING: /, "").trim()));
  const { logging: _, ...quiet } = context;
  try {
    const read = await readConfig({ ...quiet, log, complain }, daemon.kind, daemon.table, false);
    return await daemon.settle?.(read) ?? read;
  } catch (error) {
    const text = messageOf(error);
    const closed = /Cannot read "(.+)": permission denied/.exec(text)?.[1];
    const { process, host } = context.runtime;
    findings.push(
      closed !== undefined && process.uid() !== 0
        ? wrong(`user ${host.user().name} may not read ${closed}: nothing was checked`, AS_ROOT)
        : wrong(text),
    );
    return undefined;
  } finally {
    for (const { message, fields } of said) {
      if (message === "the default is used") findings.push(wrong(String(fields.problem)));
      else findings.push(doubtful(`${message}: ${Object.values(fields).join(", ")}`));
    }
  }
}

/** Patterns of permissions that are the beginnings of names of functions, such as `cmd.r`. */
async function beginningsOfNames(opts: Record<string, unknown>): Promise<NarrowPattern[]> {
  const found: NarrowPattern[] = [];
  for (const pattern of namePatterns(opts)) {
    const { isBeginning, lookUp } = await import("../../compat/known_parts.ts");
    const known = await Promise.all(pattern.names.map((name) => lookUp(...name)));
    const begins = await Promise.all(pattern.names.map((name) => isBeginning(...name)));
    if (begins.includes(true) && !known.some((one) => "signature" in one)) found.push(pattern);
  }
  return found;
}

const narrowFinding = ({ place, pattern }: NarrowPattern): Finding =>
  doubtful(`${place}: the pattern "${pattern}" matches the whole text, not its beginning`, NARROW_REMEDY);

/** Findings about options that have no effect, are probably mistyped, or match less than in Salt. */
function reviewFindings({ mistyped, ineffective, unneeded, narrow }: OptionReview): Finding[] {
  const findings = narrow.map(narrowFinding);
  for (const { option, meant, place } of mistyped) {
    findings.push(
      doubtful(`unknown option ${option}${place === undefined ? "" : ` (${place})`}`, `did you mean ${meant}?`),
    );
  }
  for (const { options, instead } of ineffective) findings.push(doubtful(`no effect: ${options.join(", ")}`, instead));
  if (unneeded.length > 0) findings.push(doubtful(`no effect, and not needed: ${unneeded.join(", ")}`, "remove them"));
  return findings;
}

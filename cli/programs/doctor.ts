/** The program `salt-doctor`: finds what is wrong on this host, with remedies. */
import { globPaths } from "../../src/model/config/glob_paths.ts";
import type { LoadedConfig } from "../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { dirName, joinPath } from "../../src/base/paths.ts";
import type { Host } from "../../src/model/config/review.ts";
import { createLogger } from "../../src/base/log.ts";
import { findingsOf } from "../daemon/check/check_daemon.ts";
import { type Finding, findingCounts, findingLine, wrong } from "../daemon/check/finding.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { startCommand } from "../daemon/manage_service.ts";
import { isSaltsOwn } from "../daemon/pid_file.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";
import { readConfig } from "../program/read_config.ts";
import { checkClock } from "./doctor/clock.ts";
import type { Examination } from "./doctor/examination.ts";

/** Parts that a host may have. */
export type Role = "master" | "minion" | "syndic" | "api";

/** A checked part of this host. */
interface Examined {
  role: Role;
  /** True if its daemon is not running. */
  isDown: boolean;
  /** Lines about what is in order. */
  well: string[];
  findings: Finding[];
}

const PROGRAMS: Readonly<Record<Role, string>> = {
  master: "salt-master",
  minion: "salt-minion",
  syndic: "salt-syndic",
  api: "salt-api",
};

/** Exit code if a daemon that is configured on this host is not running. */
const DOWN = 2;

/** Runs `salt-doctor`. @returns the exit code: 2 if a daemon is not running, 1 if there is another error */
export async function doctorMain(context: ProgramContext): Promise<number> {
  const asked = context.options.as as Role[];
  const roles = asked.length > 0 ? asked : await rolesOf(context);
  if (roles.length === 0) {
    throw new Exit(
      1,
      `No configuration in ${context.configDir}: it has no file "master" or "minion", and no *.conf in ` +
        "master.d or minion.d. Name another directory with -c, or the role of this host with --as",
    );
  }
  const clock = await checkClock(context.runtime);
  const all: Examined[] = [];
  for (const role of roles) all.push(await examine(context, role));
  const { errors, text } = findingCounts([clock, ...all].flatMap(({ findings }) => findings));
  if (context.options.output === "json") printJson(context, clock, all);
  else printText(context, clock, all, text);
  return all.some(({ isDown }) => isDown) ? DOWN : errors > 0 ? 1 : 0;
}

/** True if a configuration exists: its file, the file that a variable names, or a file in its directory. */
function isConfigured({ runtime: { fs, process }, configDir, explicit }: ProgramContext, name: Host): boolean {
  const replaced = explicit.has("config_dir") ? undefined : process.env(`SALT_${name.toUpperCase()}_CONFIG`);
  const file = replaced ?? joinPath(configDir, name);
  return fs.stat(file)?.kind === "file" || globPaths(fs, joinPath(dirName(file), `${name}.d/*.conf`)).length > 0;
}

/** The configured parts. A syndic and a gateway are sections of the master's configuration. */
async function rolesOf(context: ProgramContext): Promise<Role[]> {
  const minion: Role[] = isConfigured(context, "minion") ? ["minion"] : [];
  if (!isConfigured(context, "master")) return minion;
  const { logging: _, ...quiet } = context;
  try {
    const read = { ...quiet, log: createLogger(() => {}, "quiet"), complain: () => {} };
    const { opts, given } = await readConfig(read, "master", MASTER_OPTIONS, false);
    const syndic: Role[] = given.has("syndic_master") ? ["syndic"] : [];
    const api: Role[] = GATEWAYS.some((name) => opts[name] !== undefined && opts[name] !== null) ? ["api"] : [];
    return ["master", ...syndic, ...api, ...minion];
  } catch {
    // The check of the master reports what is wrong with its configuration.
    return ["master", ...minion];
  }
}

/** Sections for salt-api, including one that Brine cannot serve. */
const GATEWAYS = ["rest_cherrypy", "rest_tornado", "rest_wsgi"];

async function daemonOf(context: ProgramContext, role: Role): Promise<Daemon> {
  switch (role) {
    case "master":
      return await (await import("./master.ts")).masterDaemon();
    case "minion":
      return await (await import("./minion.ts")).minionDaemon(context);
    case "syndic":
      return await (await import("./syndic.ts")).syndicDaemon(context);
    case "api":
      return await (await import("./api.ts")).apiDaemon(context);
  }
}

async function examine(context: ProgramContext, role: Role): Promise<Examined> {
  const { findings, config, running, barred } = await findingsOf(context, await daemonOf(context, role));
  if (config === undefined) return { role, well: [], findings, isDown: false };
  const { runtime, configDir } = context;
  const well = [`configuration: ${filesOf(config)}`];
  const program = PROGRAMS[role];
  if (running !== undefined) {
    const whose = isSaltsOwn(runtime, running, program) ? "Salt's own " : "";
    well.push(`${whose}${program} is running as process ${running}`);
  }
  const more = barred && role !== "api"
    ? { well: [], findings: [] }
    : await examineMore(context, role, config.opts, running !== undefined);
  const all = [...findings, ...more.findings];
  if (running === undefined) {
    // It would end again for the same reason: the reason comes first.
    const isCaused = all.some(({ severity }) => severity === "error");
    const start = `start it: ${startCommand(runtime, program, { configDir })}`;
    const down = wrong(`${program} is not running`, isCaused ? `fix the errors above, then ${start}` : start);
    if (isCaused) all.push(down);
    else all.unshift(down);
  }
  return { role, well: [...well, ...more.well], findings: all, isDown: running === undefined };
}

function filesOf({ opts, places }: LoadedConfig): string {
  const files = [...new Set([...places.values()].map((place) => place.replace(/, line \d+$/, "")))];
  return files.length === 0 ? `${opts.conf_file} (nothing is set)` : files.join(", ");
}

async function examineMore(
  context: ProgramContext,
  role: Role,
  opts: Record<string, unknown>,
  running: boolean,
): Promise<Examination> {
  try {
    if (role === "master") {
      return await (await import("./doctor/master.ts")).examineMaster(context, opts, running);
    }
    if (role === "minion") return await (await import("./doctor/minion.ts")).examineMinion(context, opts);
    if (role === "api") return await (await import("./doctor/api.ts")).examineApi(context, opts, running);
    return { well: [], findings: [] };
  } catch (error) {
    return { well: [], findings: [wrong(error instanceof Error ? error.message : String(error))] };
  }
}

function printText({ print }: ProgramContext, clock: Examination, all: readonly Examined[], summary: string): void {
  const section = (title: string, { well, findings }: Examination) => {
    print(`${title}:\n`);
    for (const line of well) print(`  OK      ${line}\n`);
    for (const finding of findings) print(`  ${findingLine(finding)}\n`);
  };
  section("clock", clock);
  for (const one of all) section(one.role, one);
  print(`${summary}\n`);
}

function printJson({ print }: ProgramContext, clock: Examination, all: readonly Examined[]): void {
  const rows = [{ role: "clock", ...clock }, ...all].flatMap(({ role, well, findings }) => [
    ...well.map((problem) => ({ part: role, severity: "ok", text: problem, remedy: "" })),
    ...findings.map(({ severity, problem, remedy }) => ({ part: role, severity, text: problem, remedy })),
  ]);
  print(`${JSON.stringify(rows, null, 4)}\n`);
}

/** The program `salt-doctor`: what is wrong on this host, and what to do about it. */
import { joinPath } from "../../src/config/paths.ts";
import { findingsOf } from "../daemon/check/check_daemon.ts";
import { doubtful, type Finding, findingCounts, findingLine, wrong } from "../daemon/check/finding.ts";
import type { Daemon } from "../daemon/daemon.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";
import { checkClock } from "./doctor/clock.ts";
import type { Examination } from "./doctor/examination.ts";

/** What a host can be. */
export type Role = "master" | "minion" | "syndic" | "api";

/** A part of this host that was looked at. */
interface Examined {
  role: Role;
  /** What is as it should be, a line each. */
  well: string[];
  findings: Finding[];
}

const PROGRAMS: Readonly<Record<Role, string>> = {
  master: "salt-master",
  minion: "salt-minion",
  syndic: "salt-syndic",
  api: "salt-api",
};

/** Runs `salt-doctor`. @returns the exit code: 1 if there is an error */
export async function doctorMain(context: ProgramContext): Promise<number> {
  const asked = context.options.as as Role[];
  const roles = asked.length > 0 ? asked : rolesOf(context);
  if (roles.length === 0) {
    throw new Exit(
      1,
      `Nothing is configured in ${context.configDir}: there is no file "master" and no file "minion". ` +
        "Name another directory with -c, or what this host is to be with --as",
    );
  }
  const clock = await checkClock(context.runtime);
  const all: Examined[] = [];
  for (const role of roles) all.push(await examine(context, role));
  const { errors, text } = findingCounts([clock, ...all].flatMap(({ findings }) => findings));
  if (context.options.output === "json") printJson(context, clock, all);
  else printText(context, clock, all, text);
  return errors > 0 ? 1 : 0;
}

/** What is configured here. A syndic and a gateway are sections of the master's configuration. */
function rolesOf({ runtime: { fs }, configDir }: ProgramContext): Role[] {
  const has = (name: string) => fs.stat(joinPath(configDir, name))?.kind === "file";
  if (!has("master")) return has("minion") ? ["minion"] : [];
  const text = fs.readText(joinPath(configDir, "master"));
  return [
    "master",
    ...(/^\s*"?syndic_master"?:/m.test(text) ? ["syndic"] as const : []),
    ...(/^\s*"?rest_(?:cherrypy|tornado)"?:/m.test(text) ? ["api"] as const : []),
    ...(has("minion") ? ["minion"] as const : []),
  ];
}

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
  const { findings, config, running } = await findingsOf(context, await daemonOf(context, role));
  if (config === undefined) return { role, well: [], findings };
  const well = [`configuration: ${config.opts.conf_file}`];
  const program = PROGRAMS[role];
  if (running === undefined) findings.push(doubtful(`${program} does not run`, `start it: systemctl start ${program}`));
  else well.push(`${program} runs as process ${running}`);
  const more = await examineMore(context, role, config.opts, running !== undefined);
  return { role, well: [...well, ...more.well], findings: [...findings, ...more.findings] };
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

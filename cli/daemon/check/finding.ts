import { ConfigError, messageOf } from "../../../src/base/errors.ts";
import type { LoadedConfig } from "../../../src/model/config/load.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

export interface Finding {
  /** An error prevents the daemon from starting, or from doing what the configuration asks for. */
  severity: "error" | "warning";
  problem: string;
  /** The remedy; empty if the problem names it. */
  remedy: string;
  /** True if the daemon does not start with it. */
  stops?: true;
}

/** Checks one part of a configuration without changing anything. The start, `--check` and `salt-doctor` share all checks. */
export type Check = (config: LoadedConfig, runtime: Runtime) => Finding[] | Promise<Finding[]>;

export const wrong = (problem: string, remedy = ""): Finding => ({ severity: "error", problem, remedy });
export const doubtful = (problem: string, remedy = ""): Finding => ({ severity: "warning", problem, remedy });
/** An error that prevents the daemon's start. */
export const fatal = (problem: string, remedy = ""): Finding => ({ ...wrong(problem, remedy), stops: true });

/** A check that runs a function of the daemon's start: an exception would prevent the start. */
export function unlessItThrows(call: (config: LoadedConfig, runtime: Runtime) => unknown): Check {
  return async (config, runtime) => {
    try {
      await call(config, runtime);
      return [];
    } catch (error) {
      return [fatal(messageOf(error))];
    }
  };
}

/** Runs checks one after another. */
export async function findingsBy(
  checks: readonly Check[],
  config: LoadedConfig,
  runtime: Runtime,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...await check(config, runtime));
  return findings;
}

/** Throws the first finding that prevents the start. @throws {ConfigError} with its text */
export function refuseToStart(findings: readonly Finding[]): void {
  const found = findings.find(({ stops }) => stops === true);
  if (found === undefined) return;
  throw new ConfigError(found.remedy === "" ? found.problem : `${found.problem}: ${found.remedy}`);
}

/** Findings in the log, at most, because the log drops repeats of one message after 20 lines. */
const MAX_LINES = 19;

/** Logs findings, errors first. The rest is only counted: `--check` prints all. */
export function logFindings(log: Logger, findings: readonly Finding[]): void {
  for (const severity of ["error", "warning"] as const) {
    const found = findings.filter((one) => one.severity === severity);
    for (const { problem, remedy } of found.slice(0, MAX_LINES)) {
      log[severity]("configuration", { problem, ...(remedy === "" ? {} : { remedy }) });
    }
    if (found.length > MAX_LINES) {
      log[severity]("the configuration has more mistakes: --check lists them", { more: found.length - MAX_LINES });
    }
  }
}

/** A finding as one line: `ERROR   /etc/salt/pki: … Remedy: …`. */
export function findingLine({ severity, problem, remedy }: Finding): string {
  return `${severity.toUpperCase().padEnd(7)} ${problem}${remedy === "" ? "" : `. Remedy: ${remedy}`}`;
}

/** The number of findings of each severity: `1 error, 2 warnings`. */
export function findingCounts(findings: readonly Finding[]): { errors: number; text: string } {
  const count = (wanted: Finding["severity"]) => findings.filter(({ severity }) => severity === wanted).length;
  const errors = count("error");
  return { errors, text: `${counted(errors, "error")}, ${counted(count("warning"), "warning")}` };
}

/** `1 key`, `2 keys`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

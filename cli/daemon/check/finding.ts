/** Something that `--check` has found. */
export interface Finding {
  /** An error keeps the daemon from starting or from doing what the configuration asks for. */
  severity: "error" | "warning";
  /** What is wrong, with the value. */
  problem: string;
  /** What to do about it; empty where the problem says so. */
  remedy: string;
}

export const wrong = (problem: string, remedy = ""): Finding => ({ severity: "error", problem, remedy });
export const doubtful = (problem: string, remedy = ""): Finding => ({ severity: "warning", problem, remedy });

/** A finding as one line: `ERROR   /etc/salt/pki: … Remedy: …`. */
export function findingLine({ severity, problem, remedy }: Finding): string {
  return `${severity.toUpperCase().padEnd(7)} ${problem}${remedy === "" ? "" : `. Remedy: ${remedy}`}`;
}

/** How many there are of each severity: `1 error, 2 warnings`. */
export function findingCounts(findings: readonly Finding[]): { errors: number; text: string } {
  const count = (wanted: Finding["severity"]) => findings.filter(({ severity }) => severity === wanted).length;
  const errors = count("error");
  return { errors, text: `${counted(errors, "error")}, ${counted(count("warning"), "warning")}` };
}

/** `1 key`, `2 keys`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

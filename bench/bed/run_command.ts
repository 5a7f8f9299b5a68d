import process from "node:process";
import { ProcessGroup } from "./process_group.ts";

/** The environment of programs that are compared: Python's deprecation warnings are not part of Salt's output. */
export const ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  PYTHONWARNINGS: "ignore",
  NO_COLOR: undefined,
};

/** How a command ended. */
export interface CommandResult {
  command: string;
  /** Null if it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** From the start of the process to its end, in milliseconds. */
  ms: number;
}

export interface RunCommandOptions {
  /** A command that takes longer is killed. @default 90000 */
  timeoutMs?: number;
}

/** Runs a command to its end. */
export async function runCommand(argv: readonly string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  const began = performance.now();
  const group = new ProcessGroup(argv, { env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
  const { child } = group;
  const output = { stdout: "", stderr: "" };
  child.stdout!.setEncoding("utf8").on("data", (text: string) => output.stdout += text);
  child.stderr!.setEncoding("utf8").on("data", (text: string) => output.stderr += text);
  const timer = setTimeout(() => group.signal("SIGKILL"), options.timeoutMs ?? 90_000);
  let ms = 0;
  child.once("exit", () => ms = performance.now() - began);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { command: argv.join(" "), code, ...output, ms };
  } finally {
    clearTimeout(timer);
    group.release();
  }
}

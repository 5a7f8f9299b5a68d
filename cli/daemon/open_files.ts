import { messageOf } from "../../src/base/errors.ts";
import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

interface Limits {
  soft: number;
  hard: number;
}

/** The limits of open files; undefined on a system that does not show them. */
function limitsOf({ fs }: Pick<Runtime, "fs">): Limits | undefined {
  try {
    const [, soft, hard] = /^Max open files +(\S+) +(\S+)/m.exec(fs.readText("/proc/self/limits")) ?? [];
    const number = (text: string) => text === "unlimited" ? Infinity : Number(text);
    return soft === undefined || hard === undefined ? undefined : { soft: number(soft), hard: number(hard) };
  } catch {
    return undefined;
  }
}

/** Sets the soft limit of this process with the program `prlimit`. */
async function setSoft({ process }: Pick<Runtime, "process">, soft: number, { hard }: Limits): Promise<void> {
  const most = hard === Infinity ? "unlimited" : String(hard);
  const argv = ["prlimit", "--pid", String(process.pid), `--nofile=${soft}:${most}`];
  const child = await process.spawn({ argv, env: process.environment() });
  await child.exited;
}

/**
 * Raises the limit of open files to `max_open_files`, as far as this user may. Most runtimes have raised it themselves by then.
 *
 * @param given true if the configuration sets the option: a lower limit is then a warning
 */
export async function raiseOpenFiles(
  runtime: Pick<Runtime, "fs" | "process">,
  wanted: number,
  given: boolean,
  log: Logger,
): Promise<void> {
  let limits = limitsOf(runtime);
  if (limits === undefined || limits.soft >= wanted) return;
  const reach = Math.min(wanted, limits.hard);
  if (reach > limits.soft) {
    try {
      await setSoft(runtime, reach, limits);
    } catch (error) {
      log.debug("limit of open files cannot be raised by prlimit", { error: messageOf(error) });
    }
    limits = limitsOf(runtime) ?? limits;
  }
  if (limits.soft >= wanted) return;
  log[given ? "warning" : "info"]("open-file limit is below max_open_files", {
    max_open_files: wanted,
    limit: limits.soft,
    remedy: "set LimitNOFILE= of the systemd unit, or ulimit -Hn, to max_open_files; each minion needs two",
  });
}

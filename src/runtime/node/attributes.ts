import { builtin } from "./builtin.ts";

/** All but what the caller sets itself. With `all`, what the file system or the kernel does not have is no failure. */
const OPTIONS = ["--attributes-only", "--preserve=all", "--no-preserve=timestamps,ownership,links"];

/** A program that hangs, as on a network file system that is away, is not waited for. */
const MOST_MS = 5000;

/**
 * Gives one open file the access control list, the extended attributes and the SELinux label of another, and its mode. Node has no
 * calls for these; `cp` of GNU has. Without it they are left out.
 */
export function takeAttributes(from: number, to: number): void {
  builtin("node:child_process").spawnSync(
    "cp",
    [...OPTIONS, "/proc/self/fd/0", "/proc/self/fd/1"],
    // By descriptor: whatever has taken the place of either name by now is left alone.
    { stdio: [from, to, "ignore"], timeout: MOST_MS, killSignal: "SIGKILL" },
  );
}

import { builtin } from "./builtin.ts";

/** Copies all attributes except those that the caller sets. With `all`, it is no failure if the file system or kernel lacks some. */
const OPTIONS = ["--attributes-only", "--preserve=all", "--no-preserve=timestamps,ownership,links"];

/** How long `cp` may take, in milliseconds: on a network file system without its server it would hang. */
const MAX_MS = 5000;

/**
 * Gives one open file the access control list, the extended attributes and the SELinux label of another, and its mode. Node has no
 * calls for these; `cp` of GNU has. Without it they are left out.
 */
export function takeAttributes(from: number, to: number): void {
  builtin("node:child_process").spawnSync(
    "cp",
    [...OPTIONS, "/proc/self/fd/0", "/proc/self/fd/1"],
    // Passes descriptors and not names: another file may have taken one of the names by now.
    { stdio: [from, to, "ignore"], timeout: MAX_MS, killSignal: "SIGKILL" },
  );
}

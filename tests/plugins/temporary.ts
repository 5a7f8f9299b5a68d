import type { Runtime } from "../../src/runtime/runtime.ts";

/** Runs `use` with a directory of its own, and removes that. */
export async function inTemporary<T>(runtime: Runtime, use: (directory: string) => Promise<T>): Promise<T> {
  const random = Array.from(runtime.crypto.randomBytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const directory = `${runtime.process.env("TMPDIR") ?? "/tmp"}/brine-test-${random}`;
  runtime.fs.mkdir(directory, 0o755);
  try {
    return await use(directory);
  } finally {
    runtime.fs.remove(directory, { recursive: true });
  }
}

/** True for a process that still runs; one that only waits to be reaped does not. */
export function runs(runtime: Runtime, pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(runtime.fs.readText(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

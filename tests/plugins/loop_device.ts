/** A disk of a test's own: a file as a loop device, where root may have one. */
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";

const runtime = await currentRuntime();
const MEBIBYTE = 1 << 20;

export interface LoopDevice {
  /** Such as /dev/loop3. */
  path: string;
  detach(): Promise<void>;
}

/** Makes the file, which must not exist, and the device. @throws {Error} if the host has none */
export async function loopDevice(file: string, mebibytes: number): Promise<LoopDevice> {
  runtime.fs.write(file, "");
  runtime.fs.truncate(file, mebibytes * MEBIBYTE);
  const minion = await testMinion();
  const path = String(await minion.value("cmd.run", ["losetup", "--find", "--show", "--partscan", file]));
  if (!path.startsWith("/dev/loop")) throw new Error(`There is no loop device: ${path}`);
  return { path, detach: async () => void await minion.value("cmd.run", ["losetup", "--detach", path]) };
}

/** Why there can be no such device here; false if there can. */
export async function withoutLoop(): Promise<string | false> {
  if (runtime.process.uid() !== 0) return "only root can make a loop device";
  if (programPath({ runtime }, "losetup") === undefined) return "there is no losetup";
  const minion = await testMinion();
  const free = await minion.value("cmd.retcode", ["losetup", "--find"], kwargs({ ignore_retcode: true }));
  return free === 0 ? false : "there is no free loop device";
}

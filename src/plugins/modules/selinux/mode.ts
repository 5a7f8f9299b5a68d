/** The mode of SELinux: now, and after the next boot. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { isInteger, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { exists, isFile } from "../../linux/paths.ts";

const CONFIG = "/etc/selinux/config";

/** Where the kernel's file system of SELinux is; null if SELinux is off. */
export const kernelPath = ({ runtime: { fs } }: JobContext): string | null =>
  ["/sys/fs/selinux", "/selinux"].find((directory) => isFile(fs, `${directory}/enforce`)) ?? null;

export function getenforce(context: JobContext): string {
  const path = kernelPath(context);
  if (path === null) return "Disabled";
  return context.runtime.fs.readText(`${path}/enforce`).trim() === "0" ? "Permissive" : "Enforcing";
}

/** The mode that the configuration says; null if it says none. */
export function getconfig({ runtime: { fs } }: JobContext): string | null {
  if (!exists(fs, CONFIG)) return null;
  const line = splitLines(fs.readText(CONFIG)).find((one) => one.trim().startsWith("SELINUX="));
  const value = line?.split("=")[1]?.trim();
  return value === undefined ? null : value.slice(0, 1).toUpperCase() + value.slice(1).toLowerCase();
}

const MODES: Readonly<Record<string, string>> = { enforcing: "1", permissive: "0", disabled: "0" };

export function setenforce(context: JobContext, given: unknown): string {
  const { fs } = context.runtime;
  const isNumber = typeof given === "boolean" || isInteger(given);
  const mode = isNumber ? (truthy(given) ? "enforcing" : "permissive") : str(given).toLowerCase();
  if (!isNumber && (typeof given !== "string" || !Object.hasOwn(MODES, mode))) return `Invalid mode ${str(given)}`;
  const attempt = <T>(work: () => T, what: string): T => {
    try {
      return work();
    } catch (cause) {
      throw new CommandExecutionError(`Could not ${what}: ${(cause as Error).message}`, { cause });
    }
  };
  const path = kernelPath(context);
  const encode = (text: string) => new TextEncoder().encode(text);
  if (path !== null) {
    attempt(() => fs.writeAt(`${path}/enforce`, 0, encode(MODES[mode]!)), "write SELinux enforce file");
  }
  const config = attempt(() => fs.readText(CONFIG), "read SELinux config file");
  const changed = config.replace(/\nSELINUX=.*\n/g, () => `\nSELINUX=${mode}\n`);
  attempt(() => fs.writeAt(CONFIG, 0, encode(changed), { truncate: true }), "write SELinux config file");
  return getenforce(context);
}

/** Settings of interfaces that cannot be, in Salt's words. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import { isInteger, str } from "../../../language/python/values.ts";

export type InterfaceSettings = Record<string, unknown>;

/** @param expected what would be right */
export const wrongOption = (iface: string, option: unknown, expected: readonly unknown[]): SaltInvocationError =>
  new SaltInvocationError(
    `Invalid option -- Interface: ${iface}, Option: ${str(option)}, Expected: [${expected.map(str).join("|")}]`,
  );

export const YES: readonly unknown[] = ["yes", "on", "true", "1", true];
export const NO: readonly unknown[] = ["no", "off", "false", "0", false];

/** What Salt takes for yes and no; undefined for anything else. */
export function yesOrNo(value: unknown): boolean | undefined {
  if (YES.includes(value) || value === 1) return true;
  return NO.includes(value) || value === 0 ? false : undefined;
}

/** An integer as Python's `int()` reads it; undefined if it is none. */
export function integerSetting(value: unknown): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (isInteger(value)) return Number(value);
  if (typeof value === "number") return Math.trunc(value);
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
}

/** The name of an interface: it becomes part of files and of a script. @throws {SaltInvocationError} if it is none */
export function interfaceName(value: unknown): string {
  const name = str(value);
  if (/^[A-Za-z0-9][\w.:@+-]*$/.test(name)) return name;
  throw new SaltInvocationError(`Cannot use "${name}" as an interface: expected its name, such as eth0 or eth0.100`);
}

/** @throws {SaltInvocationError} if one of the values would begin another line of a file */
export function refuseLines(settings: InterfaceSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!/[\n\r\0]/.test(str(one))) continue;
      throw new SaltInvocationError(`Cannot set ${name} to ${JSON.stringify(str(one))}: it has more than one line`);
    }
  }
}

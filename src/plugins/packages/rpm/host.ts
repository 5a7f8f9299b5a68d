import type { Context } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";

/** Systems with RPM that name no family that has it. */
const OTHERS = ["amazon", "xcp", "xenserver", "virtuozzolinux", "virtuozzo", "issabel pbx", "openeuler"];

/** True on hosts of these families, and on some that name none of them. */
export function hasRpm({ grains }: Pick<Context, "grains">, families: readonly string[] = ["redhat", "suse"]): boolean {
  const word = (name: string) => str(grains[name] ?? "").toLowerCase();
  return families.includes(word("os_family")) || OTHERS.includes(word("os"));
}

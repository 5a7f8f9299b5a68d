import type { Context } from "../../model/loader/family.ts";

/** True if this host is of one of these families, or if its grains do not say. */
export function isFamily({ grains }: Pick<Context, "grains">, families: readonly string[]): boolean {
  const { os_family: family } = grains;
  return typeof family !== "string" || families.includes(family);
}

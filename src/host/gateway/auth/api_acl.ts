import type { GatewaySettings } from "../settings.ts";

/** Option `api_acl`: true if this user may sign in from this address. */
export function mayComeFrom({ apiAcl }: Pick<GatewaySettings, "apiAcl">, user: string, address: string): boolean {
  if (apiAcl === undefined) return true;
  const places = apiAcl.get(user) ?? apiAcl.get("*");
  return places !== undefined && (places.includes(address) || places.includes("*"));
}

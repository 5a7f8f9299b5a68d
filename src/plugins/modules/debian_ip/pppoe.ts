/** The file of a provider, for pppd. */
import { str, truthy } from "../../../language/python/values.ts";
import type { InterfaceFields } from "./interfaces_file.ts";

/** @param fields those of IPv4; without a user there is no text */
export function providerText(fields: InterfaceFields): string {
  if (!truthy(fields.user ?? "")) return "";
  const flag = (name: string) => fields[name] === "False" ? "" : name;
  const number = (name: string, otherwise: string) =>
    fields[name] === "" ? "" : `${name} ${str(fields[name] ?? otherwise)}`;
  const spaced = (text: string) => text === "" ? "" : `${text} `;
  return [
    `user ${str(fields.user)}`,
    truthy(fields.password ?? "") ? `password ${str(fields.password)} ` : "",
    `plugin rp-pppoe.so ${str(fields.pppoe_iface ?? "eth0")}`,
    "",
    flag("noipdefault"),
    spaced(flag("usepeerdns")),
    flag("defaultroute"),
    "",
    number("holdoff", "15"),
    number("maxfail", "0"),
    "",
    flag("hide-password"),
    spaced(number("lcp-echo-interval", "20")),
    spaced(number("lcp-echo-failure", "3")),
    "",
    flag("noauth"),
    flag("persist"),
    spaced(number("mtu", "1492")),
    flag("noaccomp"),
    truthy(fields["default-asyncmap"] ?? "") ? "default-asyncmap" : "",
    ...("linkname" in fields ? ["", `linkname ${str(fields.linkname)}`, ""] : [""]),
    "",
  ].join("\n");
}

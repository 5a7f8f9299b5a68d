/** Settings of the whole host: whether there is a network at start, its name and domain. */
import { executionFunction, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { splitLines, splitLinesKeepEnds, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { exists } from "../../linux/paths.ts";
import { type InterfaceSettings, NO, refuseLines, YES, yesOrNo } from "./errors.ts";

const NETWORKING = "/etc/default/networking";
const HOSTNAME = "/etc/hostname";
const RESOLVER = "/etc/resolv.conf";
const PAUSE_MS = 2000;

const wrong = (setting: string, expected: readonly unknown[]) =>
  new SaltInvocationError(`Invalid network setting -- Setting: ${setting}, Expected: [${expected.map(str).join("|")}]`);

const lines = ({ runtime: { fs } }: JobContext, path: string): string[] =>
  exists(fs, path) ? splitLines(fs.readText(path)) : [];

interface Resolver {
  domain: string;
  search: string[];
}

function resolver(context: JobContext): Resolver {
  const found: Resolver = { domain: "", search: [] };
  for (const line of lines(context, RESOLVER)) {
    const [directive = "", ...words] = splitWords(line);
    const comment = words.findIndex((word) => /^[#;]/.test(word));
    const given = comment < 0 ? words : words.slice(0, comment);
    if (directive.toLowerCase() === "domain" && given.length > 0) found.domain = given[0]!;
    else if (directive.toLowerCase() === "search") found.search = given;
  }
  return found;
}

/** Ubuntu has services for it since 12.04, and no such file. */
const hasServices = ({ grains }: JobContext): boolean =>
  grains.osfullname === "Ubuntu" && parseInt(str(grains.osrelease), 10) >= 12;

const hostname = (context: JobContext): string => lines(context, HOSTNAME)[0] ?? "";

/** `CONFIGURE_INTERFACES` of the file; empty if it does not say. */
function networking(context: JobContext): string {
  const line = lines(context, NETWORKING).findLast((one) => one.startsWith("CONFIGURE_INTERFACES"));
  return line?.slice(line.indexOf("=") + 1).trim() ?? "";
}

function shown(
  settings: { networking: string; hostname: string; domainname: string; searchdomain?: unknown },
): string[] {
  const rows: [name: string, value: unknown][] = [
    ["NETWORKING", settings.networking],
    ["HOSTNAME", settings.hostname],
    ["DOMAIN", settings.domainname],
    ["SEARCH", settings.searchdomain ?? ""],
  ];
  return rows.filter(([, value]) => truthy(value)).map(([name, value]) => `${name}=${str(value)}\n`);
}

const available = async (context: JobContext, name: string): Promise<boolean> =>
  truthy(await context.call("service.available", [name]));

export const getSettings = executionFunction({
  signature: "",
  doc: "Whether there is a network at start, the host's name and domain.\n\n    salt '*' ip.get_network_settings",
  async run(context): Promise<string[]> {
    const { domain, search } = resolver(context);
    if (!hasServices(context)) {
      return shown({
        networking: networking(context),
        hostname: hostname(context),
        domainname: domain,
        searchdomain: search,
      });
    }
    const runs = await available(context, "networking") && truthy(await context.call("service.status", ["networking"]));
    return shown({ networking: runs ? "yes" : "no", hostname: hostname(context), domainname: domain });
  },
});

const fileText = (value: string): string =>
  `# Configuration for networking init script being run during
# the boot sequence

# Set to 'no' to skip interfaces configuration on boot
CONFIGURE_INTERFACES=${value}

# Don't configure these interfaces. Shell wildcards supported/
#EXCLUDE_INTERFACES=

# Set to 'yes' to enable additional verbosity
#VERBOSE=no`;

function write({ runtime: { fs } }: JobContext, path: string, text: string): void {
  fs.writeAt(path, 0, new TextEncoder().encode(text), { truncate: true, mode: 0o644 });
}

async function setNetworking(context: JobContext, value: string): Promise<void> {
  if (!hasServices(context)) return write(context, NETWORKING, fileText(value));
  const change = value === "yes" ? "service.enable" : "service.disable";
  for (const name of ["NetworkManager", "networking"]) {
    if (await available(context, name)) await context.call(change, [name]);
  }
}

/** Lines of the resolver with another domain and search list. */
function resolverText(context: JobContext, domain: string, search: readonly string[]): string {
  const wanted: [directive: string, value: string][] = [["domain", domain], ["search", search.join(" ")]];
  const found = lines(context, RESOLVER);
  const missing: string[] = [];
  for (const [directive, value] of wanted) {
    if (value === "") continue;
    const at = found.findIndex((line) => new RegExp(`^${directive}\\s`).test(line));
    if (at >= 0) found[at] = `${directive} ${value}`;
    else missing.push(`${directive} ${value}`);
  }
  return [...missing, ...found].map((line) => `${line}\n`).join("");
}

/** Sets them, unless `test` says that they are only shown. @returns the settings then */
export async function buildSettings(context: JobContext, given: InterfaceSettings): Promise<string[]> {
  const wanted = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  refuseLines({ hostname: wanted.hostname ?? "", search: wanted.search ?? "" });
  const enabled = yesOrNo("enabled" in wanted ? wanted.enabled : networking(context));
  if (enabled === undefined) throw wrong("networking", [...YES, ...NO]);
  const full = str(wanted.hostname ?? hostname(context));
  if (full === "") throw wrong("hostname", ["server1.example.com"]);
  const now = resolver(context);
  const dot = full.indexOf(".");
  const domainname = dot < 0 ? now.domain : full.slice(dot + 1);
  const searchdomain = wanted.search ?? now.search;
  const words = Array.isArray(searchdomain) ? searchdomain.map(str) : splitWords(str(searchdomain));
  if (!truthy(wanted.test ?? false)) {
    await setNetworking(context, enabled ? "yes" : "no");
    const changed = domainname !== now.domain || words.join(" ") !== now.search.join(" ");
    if (changed) write(context, RESOLVER, resolverText(context, domainname, words));
  }
  return shown({
    networking: enabled ? "yes" : "no",
    hostname: dot < 0 ? full : full.slice(0, dot),
    domainname,
    // As it is read back.
    ...(hasServices(context) ? {} : { searchdomain: words }),
  });
}

/** Makes the settings hold: the host's name, and the network anew. */
export async function applySettings(context: JobContext, settings: InterfaceSettings): Promise<boolean> {
  let named = true;
  if (yesOrNo(settings.apply_hostname ?? false) === true) {
    named = "hostname" in settings && truthy(await context.call("network.mod_hostname", [settings.hostname]));
    if (!("hostname" in settings)) context.log.warning("Cannot apply a hostname: none is set");
  }
  if (yesOrNo(settings.require_reboot ?? false) === true) {
    context.log.warning("The host must be rebooted for its network settings to hold");
    return named;
  }
  const stopped = truthy(await context.call("service.stop", ["networking"]));
  await context.runtime.clock.sleep(PAUSE_MS, context.signal);
  return named && stopped && truthy(await context.call("service.start", ["networking"]));
}

/** Lines of a file with their ends; an empty text if it is missing. */
export const fileLines = ({ runtime: { fs } }: JobContext, path: string): string[] | "" =>
  exists(fs, path) ? splitLinesKeepEnds(fs.readText(path)) : "";

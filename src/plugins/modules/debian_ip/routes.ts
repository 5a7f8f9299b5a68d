/** Routes of interfaces: a script that runs when it comes up, and one when it goes down. */
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { splitLinesKeepEnds } from "../../../language/python/text.ts";
import { exists, isDirectory } from "../../linux/paths.ts";
import { interfaceName, type InterfaceSettings } from "./errors.ts";
import { replaceContent } from "../../host_files.ts";

const UP = "/etc/network/if-up.d";
const DOWN = "/etc/network/if-down.d";

/** A field of a route. The text becomes part of a script that root runs. */
function field(route: unknown, name: string): string {
  const value = isMap(route) ? lookup(route, name) : undefined;
  if (!truthy(value ?? "")) return "";
  const text = str(value);
  const right = name === "name" ? /^[^\n\r\0]*$/ : /^[\w.:/]+$/;
  if (right.test(text)) return text;
  throw new SaltInvocationError(`Cannot use ${JSON.stringify(text)} as ${name} of a route`);
}

function script(verb: "add" | "del", iface: string, routes: readonly unknown[]): string {
  const lines = routes.map((route) => {
    const [name, address, netmask, gateway, metric] = ["name", "ipaddr", "netmask", "gateway", "metric"].map((one) =>
      field(route, one)
    );
    const net = `${address}${netmask === "" ? "" : `/${netmask}`}`;
    const via = gateway === "" ? "" : `via ${gateway}`;
    return `${name === "" ? "" : `# ${name}\n`}ip route ${verb} ${net} ${via} dev ${iface}` +
      `${metric === "" ? "" : ` metric ${metric}`}\n`;
  });
  return `#!/bin/sh\n# ${verb}\ntest "\${IFACE}" = "${iface}" || exit 0\n${lines.join("")}`;
}

const read = ({ runtime: { fs } }: JobContext, path: string): string[] =>
  exists(fs, path) ? splitLinesKeepEnds(fs.readText(path)) : [];

/** The lines of both scripts; an empty text if there are none. */
export function getRoutes(context: JobContext, given: unknown): string[] | "" {
  // Where run-parts looks, names have no dots.
  const name = interfaceName(given).replaceAll(".", "_");
  const lines = [UP, DOWN].flatMap((directory) => read(context, `${directory}/route-${name}`));
  return lines.length === 0 ? "" : lines;
}

/** Writes both scripts, unless `test` says that they are only shown. @returns their lines */
export async function buildRoutes(context: JobContext, given: unknown, settings: InterfaceSettings): Promise<string[]> {
  const iface = interfaceName(given);
  const routes = Object.entries(settings).find(([name]) => name.toLowerCase() === "routes")?.[1];
  if (!Array.isArray(routes)) {
    throw new SaltInvocationError(
      `Invalid option -- Route interface: ${iface}, Option: routes, Expected: [List of routes]`,
    );
  }
  const scripts: [directory: string, text: string][] = [
    [UP, script("add", iface, routes)],
    [DOWN, script("del", iface, routes)],
  ];
  if (!truthy(settings.test ?? false)) {
    for (const [directory, text] of scripts) {
      const path = `${directory}/route-${iface.replaceAll(".", "_")}`;
      if (!isDirectory(context.runtime.fs, directory)) {
        throw new SaltInvocationError(`${path} cannot be written. ${directory} does not exist`);
      }
      replaceContent(context.runtime, path, text, { mode: 0o755 });
    }
  }
  return scripts.flatMap(([, text]) => splitLinesKeepEnds(text));
}

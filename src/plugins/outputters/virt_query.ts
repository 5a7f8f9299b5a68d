import { entriesOf, isMap, lookup, sizeOf, str } from "../../language/python/values.ts";
import { MissingKeyError } from "./outputter.ts";

/** Shows the hosts of a `virt.query`. Salt looks up their machines in the wrong place, so a host that has any cannot be shown. */
export function virtQuery(data: unknown): string {
  const hosts = isMap(data) ? lookup(data, "data") : undefined;
  if (!isMap(hosts)) throw new MissingKeyError('Cannot show hosts: expected a map "data"');
  return entriesOf(hosts).map(([id, host]) => {
    const machines = isMap(host) ? lookup(host, "vm_info") : undefined;
    if (!isMap(machines) || sizeOf(machines) > 0) {
      throw new MissingKeyError(`Cannot show the machines of ${str(id)}`);
    }
    return `${str(id)}\n`;
  }).join("");
}

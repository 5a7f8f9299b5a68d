import { entriesOf, isMap, lookup, sizeOf, str } from "../../python/mod.ts";
import { MissingKeyError } from "./outputter.ts";

/** The hosts of a `virt.query`. Salt looks up their machines where they are not, so that a host with any cannot be shown. */
export function virtQuery(data: unknown): string {
  const hosts = isMap(data) ? lookup(data, "data") : undefined;
  if (!isMap(hosts)) throw new MissingKeyError('There is no map "data" of hosts');
  return entriesOf(hosts).map(([id, host]) => {
    const machines = isMap(host) ? lookup(host, "vm_info") : undefined;
    if (!isMap(machines) || sizeOf(machines) > 0) {
      throw new MissingKeyError(`The machines of ${str(id)} cannot be shown`);
    }
    return `${str(id)}\n`;
  }).join("");
}

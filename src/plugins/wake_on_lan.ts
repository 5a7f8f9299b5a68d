import type { Runtime } from "../runtime/runtime.ts";
import { pythonError } from "./python_errors.ts";

/** The six bytes of a hardware address: twelve hexadecimal digits, or pairs of them with one and the same sign between. */
function hardwareAddress(text: string): number[] {
  const digits = text.length === 17 ? text.replaceAll(text[2]!, "") : text;
  if (!/^[0-9a-f]{12}$/i.test(digits)) {
    throw pythonError("ValueError", `Invalid MAC address: expected one such as 08:00:27:13:69:77, not ${text}`);
  }
  return Array.from({ length: 6 }, (_item, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** Wakes a host up: six bytes of ones, then its address sixteen times, to everybody on the network. */
export async function wakeOnLan({ net }: Runtime, mac: string, broadcast: string, port: number): Promise<true> {
  const address = hardwareAddress(mac);
  const packet = new Uint8Array([...Array(6).fill(0xff), ...Array(16).fill(address).flat()]);
  await net.datagram({ host: broadcast, port }, packet, { broadcast: true });
  return true;
}

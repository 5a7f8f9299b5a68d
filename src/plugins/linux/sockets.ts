import { splitLines, splitWords } from "../../language/python/text.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import { addressText } from "./addresses.ts";

interface SocketEnd {
  address: string;
  port: number;
}

/** A TCP connection as the kernel lists it. */
interface TcpSocket {
  local: SocketEnd;
  remote: SocketEnd;
  /** `01`: established; `0A`: listening. */
  state: string;
}

/** `0100007F:1F90`: bytes of each 32 bits the wrong way round, as they stand in the memory of the usual processors. */
function endOf(text = ""): SocketEnd {
  const [hex = "", port = "0"] = text.split(":");
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse()).join("");
  const address = addressText({ version: hex.length === 8 ? 4 : 6, bits: BigInt(`0x${bytes || 0}`) });
  return { address: address.replace(/^::ffff:([0-9a-f]+):([0-9a-f]+)$/, mapped), port: Number.parseInt(port, 16) };
}

/** IPv4 on a socket of IPv6 is IPv4. */
function mapped(_: string, high: string, low: string): string {
  const bits = BigInt(`0x${high.padStart(4, "0")}${low.padStart(4, "0")}`);
  return addressText({ version: 4, bits });
}

export function tcpSockets(fs: FileSystem): TcpSocket[] {
  return ["/proc/net/tcp", "/proc/net/tcp6"].filter((path) => fs.stat(path) !== undefined).flatMap((path) =>
    splitLines(fs.readText(path)).slice(1).map((line) => {
      const [, local, remote, state = ""] = splitWords(line);
      return { local: endOf(local), remote: endOf(remote), state };
    })
  );
}

/** The other ends of open connections to a port. */
export function remoteAddresses(fs: FileSystem, port: number): string[] {
  return tcpSockets(fs).filter(({ state, remote }) => state === "01" && remote.port === port)
    .map(({ remote }) => remote.address);
}

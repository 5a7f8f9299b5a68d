import type { Net } from "../net.ts";
import { type DatagramCalls, sendUnixDatagram } from "../unix_datagram.ts";

/** The part of Bun that is used here: its own types are not available to Node's type checker. */
interface BunForeign {
  dlopen(name: string, symbols: object): { symbols: unknown };
  ptr(data: Uint8Array): unknown;
}
interface Symbols {
  socket: DatagramCalls["socket"];
  sendto(
    fd: number,
    data: unknown,
    length: number,
    flags: number,
    address: unknown,
    addressLength: number,
  ): number | bigint;
  close: DatagramCalls["close"];
}

declare const process: { platform: string; getBuiltinModule(name: string): unknown };

/** Datagrams to Unix sockets by the C library: Bun's `node:dgram` has none. Undefined where that cannot be called. */
export function bunUnixDatagram(): Net["unixDatagram"] {
  if (process.platform !== "linux") return undefined;
  let calls: DatagramCalls | undefined;
  const open = (): DatagramCalls => {
    const { dlopen, ptr } = process.getBuiltinModule("bun:ffi") as BunForeign;
    const symbols = dlopen("libc.so.6", {
      socket: { args: ["i32", "i32", "i32"], returns: "i32" },
      sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
      close: { args: ["i32"], returns: "i32" },
    }).symbols as Symbols;
    return {
      socket: symbols.socket,
      sendto: (fd, data, length, flags, address, addressLength) =>
        Number(symbols.sendto(fd, ptr(data), length, flags, ptr(address), addressLength)),
      close: symbols.close,
    };
  };
  return (path, data) => sendUnixDatagram(calls ??= open(), path, data);
}

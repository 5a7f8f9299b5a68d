import type { Net } from "../net.ts";
import { type DatagramCalls, sendUnixDatagram } from "../unix_datagram.ts";

/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: unknown };
}
interface Symbols {
  socket: DatagramCalls["socket"];
  sendto(
    fd: number,
    data: Uint8Array,
    length: bigint,
    flags: number,
    address: Uint8Array,
    addressLength: number,
  ): bigint;
  close: DatagramCalls["close"];
}

/**
 * Datagrams to Unix sockets by the C library: Deno's own need a flag that a program cannot set. Undefined where the library cannot
 * be called.
 */
export function denoUnixDatagram(): Net["unixDatagram"] {
  const { Deno } = globalThis as unknown as { Deno: DenoForeign };
  // Requesting the permission would stop the program with a prompt.
  if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
  let calls: DatagramCalls | undefined;
  const open = (): DatagramCalls => {
    const symbols = Deno.dlopen("libc.so.6", {
      socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
      sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "isize" },
      close: { parameters: ["i32"], result: "i32" },
    }).symbols as Symbols;
    return {
      socket: symbols.socket,
      sendto: (fd, data, length, flags, address, addressLength) =>
        Number(symbols.sendto(fd, data, BigInt(length), flags, address, addressLength)),
      close: symbols.close,
    };
  };
  return (path, data) => sendUnixDatagram(calls ??= open(), path, data);
}

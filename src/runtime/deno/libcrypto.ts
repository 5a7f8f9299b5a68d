import { type Calls, Libcrypto, SYMBOLS } from "../node/libcrypto.ts";

/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: unknown };
  UnsafePointer: { of(buffer: Uint8Array): object | null; value(pointer: object | null): bigint };
}

/** OpenSSL 3 if the library is installed and the program may call it without a prompt; else undefined. */
export function openLibcrypto(): Libcrypto | undefined {
  const deno = (globalThis as unknown as { Deno: DenoForeign }).Deno;
  if (deno.build.os !== "linux") return undefined;
  try {
    if (deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
    const { symbols } = deno.dlopen("libcrypto.so.3", SYMBOLS);
    return new Libcrypto(symbols as Calls, (buffer) => deno.UnsafePointer.value(deno.UnsafePointer.of(buffer)));
  } catch {
    // The library is missing or lacks these functions: Deno's own cryptography is used.
    return undefined;
  }
}

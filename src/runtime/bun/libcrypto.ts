import { type Calls, Libcrypto, SYMBOLS } from "../node/libcrypto.ts";

/** The part of `bun:ffi` that is used here: Bun's types are not available to the other runtimes. */
interface BunForeign {
  dlopen(name: string, symbols: object): { symbols: Record<string, (...args: unknown[]) => unknown> };
  ptr(buffer: Uint8Array): number;
}

/** Bun's names of the types in {@link SYMBOLS}. */
const TYPES = { buffer: "ptr", pointer: "ptr", isize: "i64", usize: "u64", i32: "i32", void: "void" } as const;

/** OpenSSL 3 if the library is installed; else undefined. */
export function openBunLibcrypto(): Libcrypto | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { dlopen, ptr } = process.getBuiltinModule("bun:ffi" as string) as unknown as BunForeign;
    // Bun calls no C functions on other threads: see `bunCrypto`.
    const wanted = Object.entries(SYMBOLS).filter(([name]) => name !== "signElsewhere");
    const { symbols } = dlopen(
      "libcrypto.so.3",
      Object.fromEntries(wanted.map(([name, { parameters, result }]) => [name, {
        args: parameters.map((type) => TYPES[type]),
        returns: TYPES[result],
      }])),
    );
    return new Libcrypto(symbols as unknown as Calls, (buffer) => BigInt(ptr(buffer)));
  } catch {
    // The library is missing or lacks these functions: Bun's own cryptography is used.
    return undefined;
  }
}

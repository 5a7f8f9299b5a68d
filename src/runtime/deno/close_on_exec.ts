/** The part of Deno that is used here: its own types are not there under Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: { ioctl(fd: number, request: bigint): number } };
}

/** The library with the system's calls, and what FIOCLEX is there: close this descriptor in programs that are started. */
const SYSTEMS: Record<string, readonly [library: string, closeOnExec: bigint]> = {
  linux: ["libc.so.6", 0x5451n],
  darwin: ["libSystem.dylib", 0x20006601n],
};

/**
 * Gives what keeps a descriptor from the programs that this process starts: Deno opens the Unix sockets of `node:net` so that
 * they are inherited. False if that could not be done, for want of the permission or the library.
 */
export function closeOnExec(): (fd: number) => boolean {
  const { Deno } = globalThis as unknown as { Deno: DenoForeign };
  const [library, request] = SYSTEMS[Deno.build.os] ?? [];
  // Asked for, it would stop the program with a question.
  if (library === undefined || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return () => false;
  try {
    // Not fcntl: what comes after its second argument is passed in another way on some systems.
    const { symbols } = Deno.dlopen(library, { ioctl: { parameters: ["i32", "u64"], result: "i32" } });
    return (fd) => symbols.ioctl(fd, request!) === 0;
  } catch {
    return () => false;
  }
}

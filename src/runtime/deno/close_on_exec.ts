/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: { ioctl(fd: number, request: bigint): number } };
}

/** For each system, its C library and the value of FIOCLEX, which closes a descriptor in programs that are started. */
const SYSTEMS: Record<string, readonly [library: string, closeOnExec: bigint]> = {
  linux: ["libc.so.6", 0x5451n],
  darwin: ["libSystem.dylib", 0x20006601n],
};

/**
 * Returns a function that prevents started programs from inheriting a descriptor: Deno opens the Unix sockets of `node:net`
 * inheritable. It returns false if that failed: without the permission or the library.
 */
export function closeOnExec(): (fd: number) => boolean {
  const { Deno } = globalThis as unknown as { Deno: DenoForeign };
  const [library, request] = SYSTEMS[Deno.build.os] ?? [];
  // Requesting the permission would stop the program with a prompt.
  if (library === undefined || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return () => false;
  try {
    // Uses ioctl and not fcntl: on some systems, variadic arguments such as those of fcntl are passed in another way.
    const { symbols } = Deno.dlopen(library, { ioctl: { parameters: ["i32", "u64"], result: "i32" } });
    return (fd) => symbols.ioctl(fd, request!) === 0;
  } catch {
    return () => false;
  }
}

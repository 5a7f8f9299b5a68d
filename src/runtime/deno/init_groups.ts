import type { InitGroups } from "../node/become.ts";

/** The part of Deno that is used here: its own types are not available to Node's type checker. */
interface DenoForeign {
  build: { os: string };
  permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
  dlopen(name: string, symbols: object): { symbols: { initgroups(name: Uint8Array, gid: number): number } };
}

/** Sets supplementary groups by the C library: Deno's `node:process` cannot. */
export const denoInitGroups: InitGroups = (name, gid) => {
  const { Deno } = globalThis as unknown as { Deno: DenoForeign };
  if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return false;
  try {
    const { symbols } = Deno.dlopen("libc.so.6", { initgroups: { parameters: ["buffer", "u32"], result: "i32" } });
    return symbols.initgroups(new TextEncoder().encode(`${name}\0`), gid) === 0;
  } catch {
    return false;
  }
};

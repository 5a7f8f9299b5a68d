/** Frees memory of an idle daemon: engines collect garbage when they need memory, not when other programs do. */

import { setFlags, type V8Flag } from "../v8_flags.ts";

declare const process: {
  cpuUsage(): { user: number; system: number };
  memoryUsage: { rss(): number };
  getBuiltinModule(name: "node:vm"): typeof import("node:vm");
};
declare function setInterval(callback: () => void, ms: number): { unref?(): void };

/** Interval of checks for idleness, in milliseconds. */
const LOOK_MS = 3000;
/** Processor time in one interval, in microseconds, below which the daemon is idle. */
const IDLE_US = 60_000;
/** Processor time since the last collection, in microseconds, that makes another one worthwhile. */
const WORTH_US = 250_000;
/** Checks until a second collection: by then, data that is kept for a while has been dropped, such as the latest events. */
const AGAIN_LOOKS = 15;

/**
 * Resident memory, in bytes, above which growth by a tenth causes a collection even under load. Only on Bun: its engine
 * underestimates sockets that open and close by the thousand, and leaves many uncollected. For V8 see `HEAP_GROWTH`.
 */
const PRESSURE_BYTES = 250_000_000;
const PRESSURE_GROWTH = 1.1;
/** Interval of checks for growth, in milliseconds: a fleet that connects adds a hundred megabytes in a few seconds. */
const PRESSURE_MS = 500;

/**
 * Growth of V8's heap before a collection, in percent of the memory in use. V8 itself chooses 250 under load: that much is
 * wasted, and the C allocator never returns it.
 */
const HEAP_GROWTH = 40;

/** Flags of a daemon: the second gives it a function that collects garbage. */
export const REST_FLAGS: readonly V8Flag[] = [
  { usual: "--heap-growing-percent=0", set: `--heap-growing-percent=${HEAP_GROWTH}` },
  { usual: "--no-expose-gc", set: "--expose-gc" },
];

/** Returns a function that gives free memory back to the system by `malloc_trim`, if it can be called: on Deno, on Linux. */
function trimmer(): () => void {
  const { Deno } = globalThis as {
    Deno?: {
      build: { os: string };
      permissions: { querySync(descriptor: { name: "ffi" }): { state: string } };
      dlopen(name: string, symbols: object): { symbols: { malloc_trim(keep: bigint): number } };
    };
  };
  try {
    if (Deno?.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return () => {};
    const { symbols } = Deno.dlopen("libc.so.6", { malloc_trim: { parameters: ["usize"], result: "i32" } });
    return () => void symbols.malloc_trim(0n);
  } catch {
    // The C library has no such function.
    return () => {};
  }
}

/** The engine's full collection, if it can be called, and whether it is needed under load. */
function collector(): { collect(): void; underPressure: boolean } | undefined {
  const { Bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (Bun !== undefined) return { collect: () => Bun.gc(true), underPressure: true };
  try {
    setFlags(REST_FLAGS);
    const collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as unknown;
    // This flavor also frees the pages that V8 reserves: after a burst these are as many as the pages in use.
    const thoroughly = { type: "major", execution: "sync", flavor: "last-resort" };
    return typeof collect === "function" ? { collect: () => collect(thoroughly), underPressure: false } : undefined;
  } catch {
    // The collection cannot be called: the engine frees memory when it decides to.
    return undefined;
  }
}

/** Resident memory in bytes; 0 if it cannot be read, for example without free file descriptors. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Limits wasted memory under load, and collects garbage after each period of work. */
export function restWhenIdle(): void {
  const engine = collector();
  if (engine === undefined) return;
  const trim = trimmer();
  const used = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  let last = used();
  // Count the start of the daemon as work.
  let collected = 0;
  const least = PRESSURE_BYTES / PRESSURE_GROWTH;
  let resident = least;
  let looks = 0;
  const collect = () => {
    engine.collect();
    trim();
    collected = used();
    last = collected;
    resident = Math.max(residentBytes(), least);
  };
  setInterval(() => {
    const now = used();
    const worth = now - collected > WORTH_US;
    if (worth) looks = AGAIN_LOOKS;
    const idle = now - last < IDLE_US && (worth || --looks === 0);
    if (idle) collect();
    else last = now;
  }, LOOK_MS).unref?.();
  if (!engine.underPressure) return;
  setInterval(() => {
    if (residentBytes() > resident * PRESSURE_GROWTH) collect();
  }, PRESSURE_MS).unref?.();
}

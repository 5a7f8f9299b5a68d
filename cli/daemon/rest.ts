/** Frees memory of an idle daemon: engines collect when they need room, not when other programs could use it. */

declare const process: {
  cpuUsage(): { user: number; system: number };
  memoryUsage: { rss(): number };
  getBuiltinModule(name: "node:v8"): typeof import("node:v8");
  getBuiltinModule(name: "node:vm"): typeof import("node:vm");
};
declare function setInterval(callback: () => void, ms: number): { unref?(): void };

/** How often the daemon is checked for work. */
const LOOK_MS = 3000;
/** Processor time within that, in microseconds, below which the daemon counts as idle. */
const IDLE_US = 60_000;
/** Work since the last collection, in microseconds, that makes another one worthwhile. */
const WORTH_US = 250_000;
/** Looks after a collection at which there is one more: what is kept for a while, such as the latest events, is given up by then. */
const AGAIN_LOOKS = 15;

/**
 * Resident memory from which growth by a tenth causes a collection even while there is work. On Bun alone: sockets that
 * open and close by the thousand look small to its engine, which leaves many of them uncollected; for V8 `HEAP_GROWTH` does it.
 */
const PRESSURE_BYTES = 250_000_000;
const PRESSURE_GROWTH = 1.1;
/** How often growth is looked at: a fleet that signs in adds a hundred megabytes in a few seconds. */
const PRESSURE_MS = 500;

/**
 * By how much the heap of V8 grows, in percent of what is used, before it is collected. Its own choice is 250 under load: the
 * waste is then as much as that, and the C allocator never gives that room back.
 */
const HEAP_GROWTH = 40;

/** Gives free memory between used blocks back to the system by `malloc_trim`, where it can be called: on Deno, on Linux. */
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
    // Another C library, which has no such function.
    return () => {};
  }
}

/** The engine's full collection, where it can be called, and whether it needs one under pressure. */
function collector(): { collect(): void; underPressure: boolean } | undefined {
  const { Bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (Bun !== undefined) return { collect: () => Bun.gc(true), underPressure: true };
  try {
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
    setFlagsFromString("--expose-gc");
    const collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as unknown;
    // This flavor also gives up the pages that V8 keeps for later: after a burst they are as much as what is in use.
    const thoroughly = { type: "major", execution: "sync", flavor: "last-resort" };
    return typeof collect === "function" ? { collect: () => collect(thoroughly), underPressure: false } : undefined;
  } catch {
    // It cannot be called here: the engine frees memory when it decides to.
    return undefined;
  }
}

/** Bytes of memory that are resident; 0 where they cannot be read: without file descriptors, the system's file cannot be. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Keeps waste small while there is work, and collects it after each spell. */
export function restWhenIdle(): void {
  const engine = collector();
  if (engine === undefined) return;
  const trim = trimmer();
  const used = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  let last = used();
  // Starting up counts as work.
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

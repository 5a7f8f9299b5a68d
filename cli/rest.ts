/** A daemon that has nothing to do gives memory back: engines collect when they need room, not when others could use it. */

declare const process: {
  cpuUsage(): { user: number; system: number };
  getBuiltinModule(name: "node:v8"): typeof import("node:v8");
  getBuiltinModule(name: "node:vm"): typeof import("node:vm");
};
declare function setInterval(callback: () => void, ms: number): { unref?(): void };

/** How often it is looked whether there is something to do. */
const LOOK_MS = 3000;
/** Processor time within that, in microseconds, below which the daemon counts as idle. */
const IDLE_US = 60_000;
/** Work since the last collection, in microseconds, that makes another one worth its while. */
const WORTH_US = 250_000;

/** The engine's full collection, where it can be had. */
function collector(): (() => void) | undefined {
  const { Bun } = globalThis as { Bun?: { gc(force: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  try {
    process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
    const collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as unknown;
    return typeof collect === "function" ? () => collect() : undefined;
  } catch {
    // Not to be had here: memory comes back when the engine thinks it right.
    return undefined;
  }
}

/** Collects once after each spell of work. */
export function restWhenIdle(): void {
  const collect = collector();
  if (collect === undefined) return;
  const used = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  let last = used();
  // Starting up was work, too.
  let collected = 0;
  setInterval(() => {
    const now = used();
    if (now - last < IDLE_US && now - collected > WORTH_US) {
      collect();
      collected = used();
      last = collected;
    } else last = now;
  }, LOOK_MS).unref?.();
}

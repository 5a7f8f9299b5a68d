/**
 * Before all else in every program: SIGUSR1 makes a runtime open its inspector on loopback, where any user of the host could
 * then run code as the user that we run as. Node leaves that to a handler of ours, Deno opens it beside, so that it is closed
 * again before a connection is accepted. SIGUSR2 would end the program. Daemons add their own use of both signals
 * (`daemon/signals.ts`).
 */
interface Inspector {
  url(): string | undefined;
  close(): void;
}

declare const process: {
  execArgv: string[];
  env: { NODE_OPTIONS?: string };
  on(event: string, handler: () => void): void;
  getBuiltinModule(name: "node:inspector"): Inspector | undefined;
};
declare function setTimeout(callback: () => void, ms: number): { unref?(): void } | number;
declare function setImmediate(callback: () => void): void;

const onDeno = "Deno" in globalThis;

/** Loaded late: the module takes longer to load than a command takes to run, and is hardly ever needed. */
function inspector(): Inspector | undefined {
  try {
    return process.getBuiltinModule("node:inspector");
  } catch {
    return undefined;
  }
}

/** True if the program was started with an inspector. */
function isWanted(): boolean {
  try {
    // Deno does not report its flags, and does not listen for the signal yet.
    if (onDeno) return inspector()?.url() !== undefined;
    return [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((flag) => flag.includes("--inspect"));
  } catch {
    return false;
  }
}

const wanted = isWanted();

function shut(): void {
  try {
    if (!wanted && inspector()?.url() !== undefined) inspector()!.close();
  } catch {
    // No permission to close it on Deno: a program with fewer permissions than in deno.json cannot do that.
  }
}

process.on("SIGUSR1", () => {
  if (!onDeno) return;
  // The runtime opens the inspector later in this turn of the event loop.
  let turns = 0;
  const again = () => {
    shut();
    if (++turns < 50) setImmediate(again);
  };
  again();
  for (const ms of [5, 50, 500]) setTimeout(shut, ms);
});
process.on("SIGUSR2", () => {});
// A signal that came before this line is still under way in Node, which opens the inspector on it more than once.
for (const ms of [50, 100, 200, 400, 800, 1500, 3000, 5000, 10_000]) {
  const timer = setTimeout(shut, ms);
  if (typeof timer === "object") timer.unref?.();
}

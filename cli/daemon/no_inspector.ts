/**
 * Before all else in every program: SIGUSR1 makes a runtime open its inspector on loopback, where any user of the host could
 * then run code as the one that we run as. Node leaves that to a handler of ours, Deno opens it beside, so that it is closed
 * again before anybody has been heard. SIGUSR2 would end the program. Daemons add what the signals are good for
 * (`daemon_signals.ts`).
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

/** Its module takes longer to load than a command line has, and nearly always nobody needs it. */
function inspector(): Inspector | undefined {
  try {
    return process.getBuiltinModule("node:inspector");
  } catch {
    return undefined;
  }
}

/** True if whoever started the program wants to look into it. */
function isWanted(): boolean {
  try {
    // Deno does not tell its flags, and does not listen to the signal yet.
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
    // No permission to close it on Deno: whoever runs us with less than deno.json gives has to look after that.
  }
}

process.on("SIGUSR1", () => {
  if (!onDeno) return;
  // It is opened after this, within the same turn.
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

/**
 * Imported first in every program. On SIGUSR1 a runtime opens its inspector on loopback, through which any user of the host
 * could run code as this program's user. With a handler, Node does not open the inspector; Deno still does, so it is closed
 * again before a connection is accepted. SIGUSR2 would end the program. Daemons use both signals for reports
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

/** Loads the module only when needed: that takes longer than a command runs, and is rarely necessary. */
function inspector(): Inspector | undefined {
  try {
    return process.getBuiltinModule("node:inspector");
  } catch {
    return undefined;
  }
}

function isWanted(): boolean {
  try {
    // Deno does not list its flags, and its handler is not installed yet.
    if (onDeno) return inspector()?.url() !== undefined;
    return [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((flag) =>
      /--inspect(?:-brk|-wait)?(?:[= ]|$)/.test(flag)
    );
  } catch {
    return false;
  }
}

const wanted = isWanted();

function shut(): void {
  try {
    if (!wanted && inspector()?.url() !== undefined) inspector()!.close();
  } catch {
    // Deno denies permission to close the inspector if the program has fewer permissions than in deno.json.
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
// Node may still be handling a signal that came before this line, and then opens the inspector more than once. A command has mostly ended
// before the first look, which takes Node 13 ms.
for (const ms of [200, 400, 800, 1500, 3000, 5000, 10_000]) {
  const timer = setTimeout(shut, ms);
  if (typeof timer === "object") timer.unref?.();
}

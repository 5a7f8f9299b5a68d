import type { Logger } from "../../src/base/log.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Signal } from "../../src/runtime/process.ts";

declare const process: { getBuiltinModule(name: "node:tty"): typeof import("node:tty") };

/** Maximum milliseconds to stop: pending requests are answered, and acknowledged data is written. */
const STOP_MS = 15_000;

/** True if the daemon was started at a terminal: it stops when the terminal closes. */
export function atTerminal(): boolean {
  return process.getBuiltinModule("node:tty").isatty(0);
}

/** The signals that ask a daemon to stop. */
const stops = (): Signal[] => ["SIGTERM", "SIGINT", ...atTerminal() ? ["SIGHUP" as const] : []];

/** Resolves with the name of the signal that asks the daemon to stop. */
export function stopSignal(runtime: Pick<Runtime, "process">): Promise<string> {
  return new Promise((resolve) => {
    const off = stops().map((signal) =>
      runtime.process.onSignal(signal, () => {
        for (const end of off) end();
        resolve(signal);
      })
    );
  });
}

/** Limits the stop of a daemon: a second signal or a timeout ends the process at once. The returned function removes the limit. */
export function boundStop(
  { process, clock }: Pick<Runtime, "process" | "clock">,
  log: Logger,
  leave: () => void,
): () => void {
  const end = (code: number) => {
    leave();
    process.exit(code);
  };
  const off = stops().map((signal) =>
    process.onSignal(signal, () => {
      log.warning("second signal: stopping at once", { signal });
      end(signal === "SIGINT" ? 130 : 143);
    })
  );
  const stop = clock.after(STOP_MS, () => {
    log.error("stopping with unfinished work", { seconds: STOP_MS / 1000 });
    end(1);
  });
  return () => {
    stop();
    for (const one of off) one();
  };
}

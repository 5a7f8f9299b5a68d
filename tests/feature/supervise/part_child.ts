/** The program of a part, for tests: it answers, stops itself, and runs wild. */
import { existsSync, writeFileSync } from "node:fs";
import process from "node:process";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { PART_VARIABLE } from "../../../src/feature/supervise/part_protocol.ts";
import { servePart } from "../../../src/feature/supervise/serve_part.ts";

const runtime = await currentRuntime();
process.exit(
  await servePart({
    runtime,
    ticket: process.env[PART_VARIABLE]!,
    open: (part, config, log) => {
      const once = (mark: string, act: () => void) => {
        const file = `${(config as { directory: string }).directory}/${mark}`;
        if (existsSync(file)) return;
        writeFileSync(file, String(process.pid));
        act();
      };
      return {
        echo: (body) => ({ part, config, body }),
        pid: () => process.pid,
        log: () => log.child("part").warning("a message", { value: 1.5, error: new Error("wrong"), call: () => {} }),
        fail: () => Promise.reject(new RangeError("out of range")),
        stopOnce: () => once("stopped", () => process.kill(process.pid, "SIGSTOP")),
        loopOnce: () =>
          once("looped", () => {
            for (;;);
          }),
        dieOnce: () =>
          once("died", () => {
            console.error("these are my last words");
            process.exit(7);
          }),
        stop: () => process.kill(process.pid, "SIGSTOP"),
      };
    },
  }),
);

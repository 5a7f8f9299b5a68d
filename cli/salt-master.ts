#!/usr/bin/env -S node --max-semi-space-size=16
import "./daemon/no_inspector.ts";
import "./compile_cache.ts";

declare const process: { argv: string[] };

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
if (process.argv[2] === "--runner-process") {
  // The master starts its own program for each runner: do not load what only a master needs.
  await (await import("./programs/runner.ts")).runnerMain();
} else if (process.argv[2] === "--part-process") {
  await (await import("./programs/part.ts")).partMain();
} else {
  const [{ runProgram }, { masterMain }] = await Promise.all([
    import("./program/run_program.ts"),
    import("./programs/master.ts"),
  ]);
  await runProgram("salt-master", masterMain);
}

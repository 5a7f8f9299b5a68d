#!/usr/bin/env -S node --max-semi-space-size=1
import "./daemon/no_inspector.ts";
import "./compile_cache.ts";

declare const process: { argv: string[] };

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
if (process.argv[2] === "--job-process") {
  // The minion starts its own program for each job: do not load what only a minion needs.
  await (await import("./programs/job.ts")).jobMain();
} else if (process.argv[2] === "--part-process") {
  await (await import("./programs/part.ts")).partMain();
} else {
  const [{ runProgram }, { minionMain }] = await Promise.all([
    import("./program/run_program.ts"),
    import("./programs/minion.ts"),
  ]);
  await runProgram("salt-minion", minionMain);
}

#!/usr/bin/env -S node --max-semi-space-size=1
import "./compile_cache.ts";

// Not imported above: that would be compiled before the cache is there.
const [{ runProgram }, { minionMain }] = await Promise.all([import("./program.ts"), import("./minion_program.ts")]);
await runProgram("salt-minion", minionMain);

#!/usr/bin/env -S node --max-semi-space-size=1
import "./compile_cache.ts";

// Not imported above: that would be compiled before the cache is there.
const [{ runProgram }, { masterMain }] = await Promise.all([import("./program.ts"), import("./master_program.ts")]);
await runProgram("salt-master", masterMain);

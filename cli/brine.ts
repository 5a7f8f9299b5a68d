#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

await (await import("./programs/brine.ts")).runBrine();

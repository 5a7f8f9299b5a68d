/** Starts three programs, guards two of them for a second beyond its own death, prints their numbers, and waits to be killed. */
import process from "node:process";
import { OrphanGuard } from "../../../src/feature/supervise/orphan_guard.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const guard = new OrphanGuard(runtime, 1000);
const start = () =>
  runtime.process.spawn({ argv: ["sleep", "60"], env: runtime.process.environment(), detached: true });
const children = await Promise.all([start(), start(), start()]);
const release = children.map(({ pid }) => guard.add(pid));
release[1]!();
// The list is written in this turn of the event loop.
await new Promise<void>((resolve) => runtime.later(resolve));
console.log(JSON.stringify(children.map(({ pid }) => pid)));
process.stdin.resume();

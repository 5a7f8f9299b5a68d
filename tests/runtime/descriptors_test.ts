import assert from "node:assert/strict";
import { test } from "node:test";
import { limitForPrograms } from "../../src/runtime/descriptors.ts";

/** A process 100 with its parents, each with its soft limit. */
function host(limits: Record<string, number>, parents: Record<number, number>, env: Record<string, string> = {}) {
  return {
    fs: {
      readText(path: string) {
        const [, , pid = "", file = ""] = path.split("/");
        if (file === "status" && Number(pid) in parents) return `Name:\tx\nPPid:\t${parents[Number(pid)]}\n`;
        if (file !== "limits" || !(pid in limits)) throw new Error(`there is no ${path}`);
        return `Limit  Soft  Hard  Units\nMax open files            ${limits[pid]}              524288   files\n`;
      },
    },
    process: { pid: 100, env: (name: string) => env[name] },
  };
}

const CASES: [name: string, given: ReturnType<typeof host>, want: number | undefined][] = [
  ["that of the shell", host({ self: 524288, 90: 1024 }, { 100: 90 }), 1024],
  ["that of the minion's shell", host({ self: 524288, 90: 524288, 80: 2048 }, { 100: 90, 90: 80 }), 2048],
  ["its own where no parent has less", host({ self: 1024, 90: 1024 }, { 100: 90, 90: 1 }), undefined],
  ["what a daemon was told", host({ self: 524288 }, { 100: 1 }, { BRINE_OPEN_FILES: "1024" }), 1024],
  ["what systemd gives to services", host({ self: 524288 }, { 100: 1 }, { INVOCATION_ID: "x" }), 1024],
  ["its own as the first process of a container", host({ self: 524288, 1: 1024 }, { 100: 1 }), undefined],
  ["its own where nothing is known", host({}, {}), undefined],
  ["its own where parents cannot be seen", host({ self: 524288 }, { 100: 90 }), undefined],
];
for (const [name, given, want] of CASES) {
  test(`programs get the limit of open files: ${name}`, () => assert.equal(limitForPrograms(given), want));
}

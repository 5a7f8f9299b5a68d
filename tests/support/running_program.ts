/** Programs of ours that run as processes of their own, and what they say. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { until } from "../../bench/bed/until.ts";

const cli = fileURLToPath(new URL("../../cli/", import.meta.url));
const RUN = "Deno" in globalThis ? ["run", "-A", "--no-check", "--node-modules-dir=manual"] : [];

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program of ours as a process of its own. */
export class RunningProgram {
  readonly child: ChildProcess;
  said = "";
  code: number | null | undefined;
  ended = false;

  /** @param through a program that becomes the one that the words after it name */
  constructor(
    program: string,
    words: string[],
    flags: string[] = [],
    env: Record<string, string> = {},
    through: readonly string[] = [],
  ) {
    const argv = [...through, process.execPath, ...RUN, ...flags, path.join(cli, `${program}.ts`), ...words];
    this.child = spawn(argv[0]!, argv.slice(1), {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...env },
    });
    this.child.stderr!.on("data", (chunk) => this.said += chunk);
    this.child.on("exit", (code) => {
      this.code = code;
      this.ended = true;
    });
  }

  count(text: string): number {
    return this.said.split(text).length - 1;
  }

  saying(text: string, times = 1): Promise<void> {
    const check = () => assert.equal(this.ended, false, `the program has ended and said: ${this.said}`);
    return until(`the program says "${text}"`, () => this.count(text) >= times, { check });
  }

  /** TCP ports that it listens at. */
  ports(): number[] {
    const inodes = new Set(
      readdirSync(`/proc/${this.child.pid}/fd`).flatMap((fd) => {
        try {
          return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${this.child.pid}/fd/${fd}`))?.[1]];
        } catch {
          return [];
        }
      }),
    );
    return ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && inodes.has(inode))
      .map(([, local]) => parseInt(local!.split(":")[1]!, 16)).sort();
  }

  // Not by the child itself, which on Deno takes one signal only.
  kill(signal: NodeJS.Signals): void {
    process.kill(this.child.pid!, signal);
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null | undefined> {
    this.kill(signal);
    await until("its end", () => this.ended);
    return this.code;
  }
}

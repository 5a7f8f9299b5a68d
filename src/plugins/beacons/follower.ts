/** A program that goes on printing lines, and what of them has not been looked at. */
import type { Context } from "../../model/loader/family.ts";
import type { Child } from "../../runtime/process.ts";

/** Lines that wait; of more, the oldest go, and are counted. */
const MOST_LINES = 10_000;
/** Characters of one line. */
const LONGEST = 64 * 1024;

export class Follower {
  #lines: string[] = [];
  #rest = "";
  #dropped = 0;
  #child: Child | undefined;
  #closed = false;
  #error: string | undefined;

  constructor({ runtime: { process } }: Pick<Context, "runtime">, argv: readonly string[]) {
    const decoder = new TextDecoder();
    let complaint = "";
    process.spawn({
      argv,
      onStdout: (chunk) => this.#take(decoder.decode(chunk, { stream: true })),
      onStderr: (chunk) => void (complaint = (complaint + new TextDecoder().decode(chunk)).slice(-500)),
    }).then((child) => {
      this.#child = child;
      if (this.#closed) child.kill("SIGTERM");
      void child.exited.then(({ code, signal }) => {
        if (!this.#closed) this.#error = `${argv[0]} ended with ${code ?? signal}: ${complaint.trim()}`;
      });
    }, (error: Error) => void (this.#error = error.message));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!.slice(0, LONGEST);
    this.#lines.push(...lines.map((line) => line.slice(0, LONGEST)));
    const over = this.#lines.length - MOST_LINES;
    if (over > 0) {
      this.#lines.splice(0, over);
      this.#dropped += over;
    }
  }

  /** Why it ended by itself; undefined while it runs. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The lines since the last time, and how many were too many. */
  take(): { lines: string[]; dropped: number } {
    const taken = { lines: this.#lines, dropped: this.#dropped };
    this.#lines = [];
    this.#dropped = 0;
    return taken;
  }

  close(): void {
    this.#closed = true;
    this.#child?.kill("SIGTERM");
  }
}

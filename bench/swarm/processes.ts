/** A swarm over several processes: its parts are told apart by their lines, and what they tell becomes one event for all. */
import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { OWN_RUNTIME, runtimeCommand } from "../bed/runtimes.ts";
import type { SwarmEvent } from "./event.ts";
import { Tally } from "./tally.ts";

/** The minions of part `index` of `parts`: from, and up to. */
export function shareOf(minions: number, index: number, parts: number): { first: number; last: number } {
  return { first: Math.floor(minions * index / parts), last: Math.floor(minions * (index + 1) / parts) };
}

/** The same event of all parts as one: the longest time, the sum of what is counted. */
export function merged(events: readonly SwarmEvent[]): SwarmEvent {
  const one: Record<string, unknown> = { ...events[0]! };
  for (const event of events.slice(1) as readonly Record<string, unknown>[]) {
    for (const [name, value] of Object.entries(event)) {
      if (name === "ms") one.ms = Math.max(Number(one.ms), Number(value));
      else if (name === "minions" || name === "failed") one[name] = Number(one[name]) + Number(value);
    }
  }
  if (events[0]!.event === "summary") {
    const tally = new Tally();
    for (const event of events) if (event.event === "summary") tally.add(event.deeds);
    one.deeds = tally.deeds;
  }
  return one as unknown as SwarmEvent;
}

/** Starts the parts; each waits for the others before it signs in. */
export class SwarmProcesses {
  readonly #tell: ((line: string) => void)[] = [];
  readonly #heard = new Map<string, SwarmEvent[]>();
  readonly #parts: number;
  readonly #onEvent: (event: SwarmEvent) => void;

  /** @param file the program `swarm.ts` @param words its options */
  constructor(file: string, words: readonly string[], parts: number, onEvent: (event: SwarmEvent) => void) {
    this.#parts = parts;
    this.#onEvent = onEvent;
    const [program, ...flags] = runtimeCommand(OWN_RUNTIME)!;
    for (let index = 0; index < parts; index++) {
      const child = spawn(program!, [...flags, file, ...words, "--json", "--part", `${index}/${parts}`], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      this.#tell.push((line) => void child.stdin!.write(`${line}\n`));
      createInterface({ input: child.stdout! }).on("line", (line) => this.#hear(JSON.parse(line) as SwarmEvent));
      child.once("exit", (code) => {
        if (code !== 0 || this.#heard.size > 0) process.exit(code ?? 1);
        if (--this.#running === 0) process.exit(0);
      });
      this.#running++;
    }
  }
  #running = 0;

  tell(line: string): void {
    for (const tell of this.#tell) tell(line);
  }

  #hear(event: SwarmEvent): void {
    const key = event.event === "job" ? `job ${event.jid}` : event.event;
    const events = this.#heard.get(key) ?? [];
    events.push(event);
    this.#heard.set(key, events);
    if (events.length < this.#parts) return;
    this.#heard.delete(key);
    if (event.event === "connected") this.tell("go");
    this.#onEvent(merged(events));
  }
}

import { messageOf } from "../../base/errors.ts";
import type { EngineContext, EngineModule } from "../../model/loader/engines.ts";
import { Lines } from "../../model/loader/lines.ts";
import { entriesOf, equal, isMap, lookup, sizeOf, str, truthy } from "../../language/python/values.ts";
import { shellWords } from "../linux/words.ts";
import { SERIALIZERS } from "../serializers/mod.ts";

/** Time for a script that is to end to do so by itself. */
const GRACE_MS = 2000;
/** Tags whose last data are remembered for `onchange`; of more, those that were seen first are forgotten. */
const MOST_TAGS = 10_000;
/** Characters of a line that the log shows. */
const SHOWN = 500;
/** Seconds between two runs at least: a script that ends at once must not take a whole processor. */
const SHORTEST = 0.1;

type Deserialize = (line: string) => unknown;

/** How lines are read. @throws {TypeError} naming the formats that there are */
function deserializer(output: string): Deserialize {
  const found = Object.hasOwn(SERIALIZERS, output) ? SERIALIZERS[output]!.deserialize : undefined;
  if (found === undefined) {
    const known = Object.keys(SERIALIZERS).filter((name) => SERIALIZERS[name]!.deserialize !== undefined);
    throw new TypeError(
      `Unknown serializer \`${output}\` found for output option: expected one of ${known.join(", ")}`,
    );
  }
  return (line) => found(new TextEncoder().encode(line), {});
}

class ScriptEvents {
  readonly #engine: EngineContext;
  readonly #read: Deserialize;
  /** The last data by tag, where only changes are fired. */
  readonly #last: Map<string, unknown> | undefined;
  #unread = 0;

  constructor(engine: EngineContext, read: Deserialize, onchange: boolean) {
    this.#engine = engine;
    this.#read = read;
    this.#last = onchange ? new Map() : undefined;
  }

  async take(line: string): Promise<void> {
    const { log, id, fire } = this.#engine;
    const event = await this.#event(line);
    if (event === undefined) return;
    const tag = lookup(event, "tag");
    const given = lookup(event, "data") ?? {};
    if (!truthy(tag)) return;
    const data = isMap(given)
      ? Object.fromEntries(entriesOf(given).map(([key, value]) => [str(key), value]))
      : undefined;
    if (data === undefined) {
      return log.warning("the data of a script's event is not a map: the event is not sent", { tag: str(tag) });
    }
    if (sizeOf(data) > 0 && !("id" in data)) data.id = id;
    if (this.#isSame(str(tag), data)) return;
    try {
      await fire(str(tag), data);
    } catch (error) {
      log.warning("event of a script not sent", { error: messageOf(error) });
    }
  }

  async #event(line: string): Promise<ReturnType<typeof asMap>> {
    let problem = "it is not a map";
    try {
      const event = asMap(await this.#read(line));
      if (event !== undefined) return event;
    } catch (error) {
      problem = messageOf(error);
    }
    this.#engine.report({ lines_not_read: ++this.#unread });
    this.#engine.log.warning("a line of a script is not an event", { line: line.slice(0, SHOWN), problem });
    return undefined;
  }

  /** True if the last event of this tag had the same data. */
  #isSame(tag: string, data: unknown): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    if (last.has(tag) && equal(last.get(tag), data)) return true;
    if (!last.has(tag) && last.size >= MOST_TAGS) last.delete(last.keys().next().value!);
    last.set(tag, data);
    return false;
  }
}

const asMap = (value: unknown) => isMap(value) ? value : undefined;

/** Runs the script once. @returns how it ended, unless it ended well */
async function runOnce(
  { runtime: { process, clock }, signal, log }: EngineContext,
  argv: readonly string[],
  events: ScriptEvents,
): Promise<string | undefined> {
  const tooLong = (characters: number) => log.warning("a line of a script is too long: it is skipped", { characters });
  // Salt reads both as one; here each has its own lines, so that one does not tear those of the other.
  const [stdout, stderr] = [0, 1].map(() => new Lines((line) => events.take(line), tooLong)) as [Lines, Lines];
  const child = await process.spawn({
    argv,
    env: process.environment(),
    onStdout: (chunk) => stdout.push(chunk),
    onStderr: (chunk) => stderr.push(chunk),
  });
  // It is in the group of this process, which its supervisor kills: what the script has started goes with it.
  const stop = () => {
    child.kill("SIGTERM");
    void child.exited.then(clock.after(GRACE_MS, () => child.kill("SIGKILL")));
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const { code, signal: by } = await child.exited;
    await Promise.all([stdout.end(), stderr.end()]);
    return code === 0 ? undefined : by === null ? `exit code ${code}` : `signal ${by}`;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Runs a command again and again, and fires an event for each line that it prints: `{"tag": "…", "data": {…}}`.
 *
 * @see salt/engines/script.py
 */
export const engine: EngineModule = {
  signature: "cmd, output='json', interval=1, onchange=False",
  doc: "Runs a command again and again, and fires an event for each line that it prints.",
  async start(engine, { cmd, output, interval, onchange }) {
    const { log, signal, report, runtime: { clock } } = engine;
    const argv = Array.isArray(cmd) ? cmd.map(str) : shellWords(str(cmd));
    const seconds = Number(interval);
    if (argv.length === 0) throw new TypeError("Cannot run a script: cmd is empty");
    if (!(seconds >= 0)) throw new TypeError(`Cannot use ${str(interval)} as interval: expected a number of seconds`);
    const events = new ScriptEvents(engine, deserializer(str(output)), truthy(onchange));
    for (let runs = 1; !signal.aborted; runs++) {
      const problem = await runOnce(engine, argv, events);
      report({ runs, last_end: problem ?? "exit code 0" });
      if (problem !== undefined && !signal.aborted) {
        log.error("the script has failed", { command: argv[0], how: problem });
      }
      await clock.sleep(Math.max(SHORTEST, seconds) * 1000, signal).catch(() => {});
    }
  },
};

import { messageOf } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import type { EngineContext, EngineModule } from "../../model/loader/engines.ts";
import { entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { decode, encode, Float } from "../../protocol/wire/msgpack.ts";

/** Seconds by which a round may be late before the time between two counts as one in which nobody looked. */
const LATE_S = 60;

/** When each minion was seen last, in seconds since the epoch. */
type Seen = Map<string, number>;

/** What a round was based on: when the one before it was. */
interface Presence {
  seen: Seen;
  /** Undefined if there was none. */
  writtenS: number | undefined;
}

/** The file that real Salt's engine keeps, too: a map of minions and times. */
class PresenceFile {
  readonly #engine: EngineContext;
  readonly #path: string;

  constructor(engine: EngineContext) {
    this.#engine = engine;
    this.#path = joinPath(String(engine.opts.cachedir), "presence.p");
  }

  /** @returns undefined if it cannot be read: nothing is deleted then */
  read(): Presence | undefined {
    const { runtime: { fs }, log } = this.#engine;
    try {
      const stat = fs.stat(this.#path);
      if (stat === undefined) return { seen: new Map(), writtenS: undefined };
      const kept = decode(fs.read(this.#path), { mode: "bin" });
      if (!isMap(kept)) throw new TypeError("it is not a map");
      const seen = new Map(entriesOf(kept).map(([id, at]) => [str(id), Number(at)]));
      if ([...seen.values()].some((at) => !Number.isFinite(at))) throw new TypeError("a time in it is not a number");
      return { seen, writtenS: stat.mtimeMs / 1000 };
    } catch (error) {
      log.error("the file of presences cannot be read: remove or repair it; until then no key is deleted", {
        path: this.#path,
        error: messageOf(error),
      });
      return undefined;
    }
  }

  write(seen: Seen): void {
    const { runtime: { fs, clock } } = this.#engine;
    fs.write(this.#path, encode(new Map([...seen].map(([id, at]) => [id, new Float(at)])), "bin"), { mode: 0o644 });
    // By the clock of this process, whose jumps are to be seen.
    fs.utimes(this.#path, clock.now(), clock.now());
  }
}

/**
 * Moves times on by the time in which nobody looked: while the master was down, or because the clock was set. Only a time in which the
 * minion was looked for counts against it.
 *
 * @returns seconds by which they were moved
 */
export function withoutUnseenTime({ seen, writtenS }: Presence, nowS: number, intervalS: number): number {
  if (writtenS === undefined) return 0;
  const unseen = nowS - writtenS - intervalS;
  const moved = unseen > LATE_S || unseen < -intervalS - LATE_S ? unseen : 0;
  for (const [id, at] of seen) seen.set(id, Math.min(nowS, at + moved));
  return moved;
}

/** One round. @returns ids whose keys are to be deleted */
export function staleMinions(
  seen: Seen,
  { accepted, present, nowS, expireS }: {
    accepted: readonly string[];
    present: ReadonlySet<string>;
    nowS: number;
    expireS: number;
  },
): string[] {
  const keys = new Set(accepted);
  for (const id of [...seen.keys()]) if (!keys.has(id)) seen.delete(id);
  for (const id of accepted) if (!seen.has(id) || present.has(id)) seen.set(id, nowS);
  return [...seen].filter(([, at]) => nowS - expireS > at).map(([id]) => id);
}

async function round(
  engine: EngineContext,
  file: PresenceFile,
  { intervalS, expireS }: { intervalS: number; expireS: number },
): Promise<void> {
  const { runtime: { clock }, log, report, master } = engine;
  const [accepted, connected] = await Promise.all([master!.accepted(), master!.connected()]);
  const presence = file.read();
  if (presence === undefined) return;
  const nowS = clock.now() / 1000;
  const moved = withoutUnseenTime(presence, nowS, intervalS);
  if (moved !== 0) {
    log.warning("the engine was stopped, or the clock was set: that time does not count", {
      seconds: Math.round(moved),
    });
  }
  const { seen } = presence;
  const stale = staleMinions(seen, { accepted, present: new Set(connected), nowS, expireS });
  for (const id of stale) {
    log.info("key deleted: its minion was not connected for too long", { minion: id, expire: expireS });
    // By its name: as a pattern it might mean others, too.
    await master!.wheel("key.delete_dict", [{ minions: [id] }]);
    seen.delete(id);
    // What was deleted is on record before the next one is.
    file.write(seen);
  }
  file.write(seen);
  report({
    minions: accepted.length,
    connected: connected.length,
    deleted_last: stale.length,
    looked: new Date(clock.now()).toISOString(),
  });
}

/** Deletes the keys of minions that were not connected for long. @see salt/engines/stalekey.py */
export const engine: EngineModule = {
  signature: "interval=3600, expire=604800",
  doc: "Deletes the keys of minions that were not connected for long.",
  unavailable({ role, opts }) {
    if (role !== "master") return "keys are deleted by masters: configure it there";
    return truthy(opts.minion_data_cache ?? true)
      ? undefined
      : "stalekey engine requires minion_data_cache to be enabled";
  },
  async start(engine, { interval, expire }) {
    const { log, signal, runtime: { clock } } = engine;
    const [intervalS, expireS] = [Number(interval), Number(expire)];
    if (!(intervalS >= 1)) throw new TypeError(`Cannot use ${str(interval)} as interval: expected seconds, 1 or more`);
    if (!(expireS > 0)) throw new TypeError(`Cannot use ${str(expire)} as expire: expected seconds, more than 0`);
    const file = new PresenceFile(engine);
    while (!signal.aborted) {
      try {
        await round(engine, file, { intervalS, expireS });
      } catch (error) {
        log.error("keys not checked: trying again", { error: messageOf(error), seconds: intervalS });
      }
      await clock.sleep(intervalS * 1000, signal).catch(() => {});
    }
  },
};

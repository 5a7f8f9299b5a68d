import { entriesOf, isMap, listOf, sizeOf, str } from "../../../language/python/values.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { REQUISITES } from "../keywords.ts";
import { type StateEntry, tagOf } from "./chunk.ts";

/** The chunks to run, and the entries to add, after all states have run. */
interface AfterRun {
  chunks: LowChunk[];
  /** Entries for `listen` on states that do not exist: tag → entry without its number. */
  errors: Map<string, StateEntry>;
}

/** A state as `listen` names it: module, and id or name. */
interface Named {
  module: string;
  text: unknown;
}

/** Chunks by module and by id, name or module, for one lookup each. */
class Listened {
  readonly #by = new Map<string, LowChunk[]>();
  readonly #anyBy = new Map<unknown, LowChunk>();

  constructor(chunks: readonly LowChunk[]) {
    const unique = new Map(chunks.map((chunk) => [tagOf({ ...chunk, fun: "" }), chunk]));
    for (const chunk of unique.values()) {
      const module = str(chunk.state);
      for (const text of new Set([chunk.__id__, chunk.name, chunk.state])) {
        const key = `${module}\0${str(text)}`;
        const found = this.#by.get(key);
        if (found === undefined) this.#by.set(key, [chunk]);
        else found.push(chunk);
      }
    }
    for (const chunk of chunks) {
      for (const text of [chunk.__id__, chunk.name]) if (!this.#anyBy.has(text)) this.#anyBy.set(text, chunk);
    }
  }

  find({ module, text }: Named): readonly LowChunk[] {
    return this.#by.get(`${module}\0${str(text)}`) ?? [];
  }

  /** The states that one item of `listen` names; a bare text is the id or name of a state of any module. */
  named(declared: unknown): Named[] {
    if (isMap(declared)) return entriesOf(declared).map(([module, text]) => ({ module: str(module), text }));
    const chunk = this.#anyBy.get(declared);
    return chunk === undefined ? [] : [{ module: str(chunk.state), text: chunk.__id__ }];
  }
}

const declaredBy = (value: unknown): unknown[] => value === undefined ? [] : listOf(value);

/** Pairs of a listening state and the state that it listens to, in the order of the chunks. */
function* listeners(chunks: readonly LowChunk[], listened: Listened): Generator<{ who: Named; what: Named }> {
  for (const chunk of chunks) {
    const own = { module: str(chunk.state), text: chunk.__id__ };
    for (const declared of declaredBy(chunk.listen)) {
      for (const what of listened.named(declared)) yield { who: own, what };
    }
    for (const declared of declaredBy(chunk.listen_in)) {
      for (const who of listened.named(declared)) yield { who, what: own };
    }
  }
}

/**
 * The chunks that call `mod_watch` of all states that listen to a state with changes.
 *
 * @param dry chunks that were marked for a dry run and never ran: as listeners they would run dry, too, and are left out
 * @see salt/state.py State.call_listen
 */
export function listeningChunks(
  chunks: readonly LowChunk[],
  running: ReadonlyMap<string, StateEntry>,
  dry: ReadonlySet<LowChunk>,
): AfterRun {
  const after: AfterRun = { chunks: [], errors: new Map() };
  const listening = chunks.some((chunk) => chunk.listen !== undefined || chunk.listen_in !== undefined);
  if (!listening) return after;
  const listened = new Listened(chunks);
  const chosen = new Set<LowChunk>();
  for (const { who, what } of listeners(chunks, listened)) {
    const heard = listened.find(what);
    if (heard.length === 0) missing(after, what);
    if (!heard.some((chunk) => sizeOf(running.get(tagOf(chunk))?.changes ?? {}) > 0)) continue;
    const found = listened.find(who);
    if (found.length === 0) missing(after, who);
    for (const chunk of found) if (!dry.has(chunk)) chosen.add(chunk);
  }
  after.chunks = [...chosen].map((chunk) => afterChunk(chunk, "mod_watch", "listener"));
  return after;
}

function missing({ errors }: AfterRun, { module, text }: Named): void {
  const tag = tagOf({
    state: "Listen_Error",
    __id__: `listen_${str(text)}`,
    name: `listen_${module}`,
    fun: "Listen_Error",
  });
  errors.set(tag, {
    comment: `Referenced state ${module}: ${str(text)} does not exist`,
    name: `listen_${module}:${str(text)}`,
    result: false,
    changes: {},
  });
}

/** The chunks of `mod_beacon` of all states with `beacon`. */
export function beaconChunks(chunks: readonly LowChunk[]): LowChunk[] {
  return chunks.filter((chunk) => chunk.beacon !== undefined).map((chunk) => afterChunk(chunk, "mod_beacon", "beacon"));
}

/** A chunk to run after all states: a copy without requisites that calls another function. */
function afterChunk(chunk: LowChunk, fun: string, prefix: string): LowChunk {
  const own = Object.entries(chunk).filter(([key]) => !REQUISITES.includes(key));
  return { ...Object.fromEntries(own), sfun: chunk.fun, fun, __id__: `${prefix}_${str(chunk.__id__)}` };
}

/** What an engine of Python may do: call functions of its host, and hear and fire events. */
import { within } from "../../../base/async/within.ts";
import { isRecord } from "../../../base/record.ts";
import type { EngineContext, EngineEvent } from "../engines.ts";
import type { CustomPlace } from "../loaded_file.ts";
import type { Callable, PythonCaller } from "./helper.ts";
import { pythonCallerOf } from "./python_file.ts";

/** The events that an engine reads one by one: all of its bus from the first time that it asks. */
function eventReader(engine: EngineContext): (waitMs: number) => Promise<EngineEvent | null> {
  let events: AsyncIterator<EngineEvent> | undefined;
  let next: Promise<IteratorResult<EngineEvent>> | undefined;
  return async (waitMs) => {
    events ??= engine.events()[Symbol.asyncIterator]();
    next ??= events.next();
    // One that has not come stays the next one.
    const found = await within(engine.runtime.clock, waitMs, undefined, next);
    if (found === undefined) return null;
    next = undefined;
    return found.done === true ? null : found.value;
  };
}

/** What `__salt__` of an engine calls: the host's functions, whose names are not listed. */
function modulesOf({ call }: EngineContext): Callable {
  return {
    find: () => Promise.resolve({ doc: "", run: {} }),
    run: async (name, positional, keyword) => await call(name, positional, keyword),
    names: () => Promise.resolve([]),
  };
}

function runnersOf({ master }: EngineContext): Callable {
  return {
    find: (name) => Promise.resolve(master === undefined ? undefined : { doc: name, run: {} }),
    run: async (name, positional, keyword) => await master!.runner(name, positional, keyword),
    names: () => Promise.resolve([]),
  };
}

export function engineCaller(place: CustomPlace, engine: EngineContext): PythonCaller {
  const read = eventReader(engine);
  return {
    ...pythonCallerOf(place, { ...engine, call: undefined }, {
      modules: modulesOf(engine),
      runners: runnersOf(engine),
    }),
    opts: { ...engine.opts, __role: engine.role, id: engine.id },
    ...(engine.master === undefined ? {} : { jobs: engine.master.jobPublisher }),
    events: {
      next: read,
      fire: async (tag, data) => await engine.fire(tag, isRecord(data) ? data : { data }),
    },
  };
}

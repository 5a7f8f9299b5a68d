/** What an engine of Python may do: call functions of its host, and hear and fire events. */
import { within } from "../../../base/async/within.ts";
import { messageOf } from "../../../base/errors.ts";
import { isRecord } from "../../../base/record.ts";
import type { EngineContext, EngineEvent } from "../engines.ts";
import type { CustomPlace } from "../loaded_file.ts";
import type { Callable, PythonCaller } from "./helper.ts";
import { pythonCallerOf } from "./python_file.ts";

/** The events that an engine reads one by one: all of its bus, from when it begins to listen. */
function eventReader(engine: EngineContext): Pick<NonNullable<PythonCaller["events"]>, "listen" | "next"> {
  let events: AsyncIterator<EngineEvent> | undefined;
  let pending: Promise<IteratorResult<EngineEvent>> | undefined;
  const listen = () => events ??= engine.events()[Symbol.asyncIterator]();
  const next = async (waitMs: number) => {
    pending ??= listen().next();
    // One that has not come stays the next one.
    const found = await within(engine.runtime.clock, waitMs, undefined, pending);
    if (found === undefined) return null;
    pending = undefined;
    return found.done === true ? null : found.value;
  };
  return { listen: () => void listen(), next };
}

/** What `__salt__` of an engine calls: the host's functions, whose names are not listed. */
function modulesOf({ call }: EngineContext): Callable {
  return {
    find: () => Promise.resolve({ doc: "", run: {} }),
    run: async (name, positional, keyword) => await call(name, positional, keyword),
    names: () => Promise.resolve([]),
  };
}

/** What `__runners__` and `RunnerClient` of an engine call: the master runs it, and the engine waits. */
function runnersOf({ master }: EngineContext): Callable {
  return {
    find: (name) => Promise.resolve(master === undefined ? undefined : { doc: name, run: {} }),
    async run(name, positional, keyword) {
      try {
        return await master!.runnerReturn(name, positional, keyword);
      } catch (error) {
        // As in Salt, a missing function is a KeyError.
        if (messageOf(error).includes(`'${name}' is not available.`)) {
          throw Object.assign(new Error(name), { name: "KeyError" });
        }
        throw error;
      }
    },
    names: () => Promise.resolve([]),
  };
}

/** Wheel functions of an engine's master. */
function wheelOf({ master }: EngineContext): Callable {
  return {
    find: (name) => Promise.resolve(master === undefined ? undefined : { doc: name, run: {} }),
    run: async (name, positional, keyword) => await master!.wheel(name, positional, keyword),
    names: () => Promise.resolve([]),
  };
}

export function engineCaller(place: CustomPlace, engine: EngineContext): PythonCaller {
  const read = eventReader(engine);
  return {
    ...pythonCallerOf(place, { ...engine, call: undefined }, {
      modules: modulesOf(engine),
      runners: runnersOf(engine),
      wheel: wheelOf(engine),
    }),
    opts: { ...engine.opts, __role: engine.role, id: engine.id },
    ...(engine.master === undefined ? {} : {
      jobs: engine.master.jobPublisher,
      startRunner: engine.master.runner,
    }),
    events: {
      ...read,
      fire: async (tag, data, here) => await engine.fire(tag, isRecord(data) ? data : { data }, { here }),
    },
  };
}

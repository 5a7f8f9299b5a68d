/** The state of the minion that a job sees, packed for the process of the job and unpacked there. */
import type { Context } from "../../../model/loader/family.ts";
import { customStamp } from "../../../model/loader/custom_files.ts";
import { entriesOf, isMap, tupleOf } from "../../../language/python/values.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";
import type { MinionState } from "./job_protocol.ts";

/** Packs a {@link MinionState}. Values that msgpack cannot hold are left out. */
export function packMinionState({ runtime, opts, grains, pillar, master }: Context): Uint8Array {
  const rest = { master: master !== undefined, customModules: customStamp(runtime, opts, "modules") };
  try {
    return encode({ opts, grains, pillar, ...rest }, "bin");
  } catch {
    return encode({ opts: packable(opts), grains: packable(grains), pillar: packable(pillar), ...rest }, "bin");
  }
}

/** Unpacks what {@link packMinionState} made. */
export function unpackMinionState(packed: Uint8Array): MinionState {
  const state = decode(packed, { mode: "bin" }) as MinionState;
  const grains = recordOf(state.grains);
  // The one tuple among the grains: msgpack has made a list of it.
  if (Array.isArray(grains.osrelease_info)) grains.osrelease_info = tupleOf(grains.osrelease_info);
  return { ...state, opts: recordOf(state.opts), grains, pillar: recordOf(state.pillar) };
}

/** The values that msgpack can hold. */
export function packable(values: Record<string, unknown>): Record<string, unknown> {
  if (isPackable(values)) return values;
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isPackable(value)));
}

/** True if msgpack can hold the value. */
function isPackable(value: unknown): boolean {
  try {
    encode(value, "bin");
    return true;
  } catch {
    return false;
  }
}

/** Returns a map as an object: the codec makes a `Map` of a map whose keys are numbers. */
function recordOf(value: unknown): Record<string, unknown> {
  if (value instanceof Map) return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), item]));
  return isMap(value) ? value as Record<string, unknown> : {};
}

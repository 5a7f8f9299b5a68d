import { joinPath } from "../base/paths.ts";
import type { Context } from "../model/loader/family.ts";
import { isMap } from "../language/python/values.ts";
import { decode, encode } from "../protocol/wire/msgpack.ts";

type Place = Pick<Context, "runtime" | "opts">;

const pathOf = ({ opts }: Place) => joinPath(String(opts.cachedir ?? ""), "datastore");

/** The values that a minion keeps for its operator, by name: a map in `cachedir`; empty if there is no such file. */
export function loadDatastore(place: Place): Map<unknown, unknown> {
  const { fs } = place.runtime;
  const path = pathOf(place);
  if (fs.stat(path)?.kind !== "file") return new Map();
  const bytes = fs.read(path);
  const value = bytes.length === 0 ? {} : decode(bytes, { mode: "wire" });
  if (!isMap(value)) return new Map();
  return value instanceof Map ? value : new Map(Object.entries(value));
}

/** Replaces all of them. */
export function dumpDatastore(place: Place, values: unknown): void {
  place.runtime.fs.write(pathOf(place), encode(values, "bin"), { mode: 0o600 });
}

/** Forgets all of them. */
export function clearDatastore(place: Place): void {
  place.runtime.fs.remove(pathOf(place));
}

import { Packed, unpack } from "../../protocol/wire/msgpack.ts";

/** A return whose value is read: a master gives it as it came. */
export function wholeReturn(ret: Record<string, unknown>): Record<string, unknown> {
  return ret.return instanceof Packed ? { ...ret, return: unpack(ret.return, "wire") } : ret;
}

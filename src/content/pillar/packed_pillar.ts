import { sameBytes } from "../../runtime/bytes.ts";
import { type AnyMap, entriesOf, mapOf } from "../../language/python/values.ts";
import { encode, Packed } from "../../protocol/wire/msgpack.ts";

/** A pillar that another process has packed: its bytes are sent and stored unchanged, however large. */
export class PackedPillar {
  /** The bytes that minions receive. */
  readonly wire: Packed;
  /** The bytes that are stored for targeting: the keys of the top level are texts. */
  readonly bin: Packed;

  constructor({ wire, bin }: { wire: Uint8Array; bin?: Uint8Array | null }) {
    this.wire = new Packed(wire);
    this.bin = bin === undefined || bin === null ? this.wire : new Packed(bin);
  }
}

/** Packs a pillar for {@link PackedPillar}. `bin` is absent if its bytes equal those of `wire`, as they nearly always do. */
export function packPillar(pillar: AnyMap): { wire: Uint8Array; bin?: Uint8Array } {
  const wire = encode(pillar, "wire");
  const bin = encode(mapOf(entriesOf(pillar)), "bin");
  return sameBytes(wire, bin) ? { wire } : { wire, bin };
}

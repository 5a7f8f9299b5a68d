import { sameBytes } from "../../runtime/bytes.ts";
import { type AnyMap, entriesOf, mapOf } from "../../language/python/containers.ts";
import { encode, Packed } from "../../protocol/wire/msgpack.ts";

/** A pillar as another process has packed it: it is sent and stored as it is, however large. */
export class PackedPillar {
  /** As minions receive it. */
  readonly wire: Packed;
  /** As it is kept for targeting: its own keys are text. */
  readonly bin: Packed;

  constructor({ wire, bin }: { wire: Uint8Array; bin?: Uint8Array | null }) {
    this.wire = new Packed(wire);
    this.bin = bin === undefined || bin === null ? this.wire : new Packed(bin);
  }
}

/** The bytes of a {@link PackedPillar}; `bin` is absent where it is the same as `wire`, as nearly always. */
export function packPillar(pillar: AnyMap): { wire: Uint8Array; bin?: Uint8Array } {
  const wire = encode(pillar, "wire");
  const bin = encode(mapOf(entriesOf(pillar)), "bin");
  return sameBytes(wire, bin) ? { wire } : { wire, bin };
}

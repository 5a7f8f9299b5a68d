import type { CustomSerializer } from "../../model/loader/custom_serializers.ts";
import type { CustomPlace } from "../../model/loader/loaded_file.ts";
import type { Serializer } from "./serializer.ts";

/** One of Brine answers at once, a custom one with promises. */
export type NamedSerializer = Serializer | CustomSerializer;

/** A serializer of Brine, a custom one or one of Salt's package; in the place of none, the names of those of Brine. */
export async function serializerNamed(place: CustomPlace, name: string): Promise<NamedSerializer | string[]> {
  const { SERIALIZERS } = await import("./mod.ts");
  if (Object.hasOwn(SERIALIZERS, name)) return SERIALIZERS[name]!;
  const { customSerializer } = await import("../../model/loader/custom_serializers.ts");
  return await customSerializer(place, name) ?? Object.keys(SERIALIZERS);
}

import type { CustomPlace } from "../../model/loader/loaded_file.ts";
import type { Serializer } from "./serializer.ts";

/** A serializer of Brine, a custom one or one of Salt's package; in the place of none, the names of those of Brine. */
export async function serializerNamed(place: CustomPlace, name: string): Promise<Serializer | string[]> {
  const { SERIALIZERS } = await import("./mod.ts");
  if (Object.hasOwn(SERIALIZERS, name)) return SERIALIZERS[name]!;
  const { customSerializer } = await import("../../model/loader/custom_serializers.ts");
  return await customSerializer(place, name) ?? Object.keys(SERIALIZERS);
}

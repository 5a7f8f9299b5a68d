import { type CustomFunction, type CustomPlace, loadCustomFile } from "./custom_file.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import { byName } from "./with_custom_files.ts";

type Options = Readonly<Record<string, unknown>>;

/** A custom serializer; see `src/plugins/serializers`. */
export interface CustomSerializer {
  serialize(value: unknown, options: Options): Promise<string | Uint8Array>;
  deserialize?(bytes: Uint8Array, options: Options): Promise<unknown>;
}

/** The custom serializer of a name, or that of Salt's package; undefined if there is none. */
export async function customSerializer(place: CustomPlace, name: string): Promise<CustomSerializer | undefined> {
  const registry = byName({}, place, "serializers", (file) => loadCustomFile(place, "serializers", file));
  if (!Object.hasOwn(registry, name)) return undefined;
  const { functions, virtual } = await registry[name]!();
  const [serialize, deserialize] = [functions.get("serialize"), functions.get("deserialize")];
  if (serialize === undefined || typeof virtual(place) === "object") return undefined;
  const call = async ({ signature, run }: CustomFunction, value: unknown, options: Options) =>
    await run(place, bindArguments(name, parseSignature(signature), [value], new Map(Object.entries(options))));
  return {
    serialize: async (value, options) => await call(serialize, value, options) as string,
    ...(deserialize &&
      { deserialize: (bytes, options) => call(deserialize, new TextDecoder().decode(bytes), options) }),
  };
}

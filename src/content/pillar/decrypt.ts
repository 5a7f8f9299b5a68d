import { messageOf } from "../../base/errors.ts";
import { type AnyMap, entriesOf, isMap, lookup, OrderedMap, str, truthy } from "../../language/python/values.ts";

/** The options `decrypt_pillar` and `decrypt_pillar_delimiter`, parsed. */
export interface EncryptedKeys {
  /** Path of a value → the renderer that decrypts it; undefined for the default renderer. */
  keys: ReadonlyMap<string, string | undefined>;
  delimiter: string;
  /** True if `decrypt_pillar` has a value that is neither a map nor a list of texts and maps. */
  isMalformed: boolean;
}

/** Parses the options: `decrypt_pillar` is a map, or a list of texts and maps with one entry. */
export function encryptedKeysOf(opts: Readonly<Record<string, unknown>>): EncryptedKeys {
  const { decrypt_pillar: given, decrypt_pillar_delimiter: delimiter } = opts;
  const entries = entriesGiven(given);
  const keys = (entries ?? []).map(([key, renderer]): [string, string | undefined] => [
    str(key),
    truthy(renderer ?? null) ? str(renderer) : undefined,
  ]);
  return {
    keys: new Map(keys),
    delimiter: str(delimiter ?? ":"),
    isMalformed: truthy(given ?? null) && keys.length === 0,
  };
}

/** Pairs of path and renderer; undefined for a value that is neither a map nor a list of texts and maps. */
function entriesGiven(given: unknown): [unknown, unknown][] | undefined {
  if (isMap(given)) return entriesOf(given);
  if (!Array.isArray(given)) return undefined;
  const entries = given.flatMap((one): [unknown, unknown][] =>
    isMap(one) ? entriesOf(one) : typeof one === "object" ? [[one, undefined], [one, undefined]] : [[one, undefined]]
  );
  return entries.length === given.length ? entries : undefined;
}

/** The value at a path of keys; undefined if it is missing or null. As in Salt, lists are not searched. */
function valueAt(pillar: AnyMap, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => isMap(at) ? lookup(at, key) : undefined, pillar) ?? undefined;
}

/** A copy of the pillar with another value at the path. Maps on the way are copied, because other files may share them. */
function withValue(pillar: AnyMap, [key, ...rest]: readonly string[], value: unknown): AnyMap {
  const copy = new OrderedMap(entriesOf(pillar));
  copy.set(key, rest.length === 0 ? value : withValue(copy.get(key) as AnyMap, rest, value));
  return copy;
}

/**
 * Decrypts the values of a pillar that the options name. A value that cannot be decrypted stays as it is, and gives an error.
 *
 * @param decrypt decrypts one value by a renderer
 * @see salt/pillar/__init__.py decrypt_pillar
 */
export async function decryptPillar(
  pillar: AnyMap,
  { keys, delimiter, isMalformed }: EncryptedKeys,
  decrypt: (value: unknown, renderer: string | undefined) => Promise<unknown>,
): Promise<{ pillar: AnyMap; errors: string[] }> {
  const errors = isMalformed ? ["decrypt_pillar config option is malformed"] : [];
  let whole = pillar;
  for (const [key, renderer] of keys) {
    const path = delimiter === "" ? [key] : key.split(delimiter);
    const value = valueAt(whole, path);
    if (value === undefined) continue;
    try {
      whole = withValue(whole, path, await decrypt(value, renderer));
    } catch (error) {
      errors.push(`Failed to decrypt pillar key '${key}': ${messageOf(error)}`);
    }
  }
  return { pillar: whole, errors };
}

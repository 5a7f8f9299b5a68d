import { entriesOf, isMap, OrderedMap } from "../python/containers.ts";
import { sorted } from "../python/compare.ts";
import { isFloat, isInteger } from "../python/float.ts";
import { floatRepr, str } from "../python/repr.ts";
import { emit, type EmitOptions, type EmittedNode } from "./emitter.ts";
import { scalarKind } from "./scalar.ts";

/**
 * Writes a value as a YAML document, as PyYAML's safe dumper does. The keys of a map are sorted, unless it is an
 * `OrderedMap` or its keys cannot be compared. Anchors are never written: a value that occurs twice is written twice.
 *
 * @returns the document with a line feed at its end
 */
export function dump(value: unknown, options: EmitOptions = {}): string {
  return emit(represent(value), options);
}

function plain(text: string): EmittedNode {
  return { kind: "scalar", scalar: { text, style: "plain", plainImplicit: true } };
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = floatRepr(value);
  // YAML 1.1 requires a point in a float: 1e+16 would be read back as text.
  return text.includes(".") ? text : text.replace("e", ".0e");
}

function base64Lines(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replace(/.{1,76}/g, "$&\n");
}

function represent(value: unknown): EmittedNode {
  if (value === null || value === undefined) return plain("null");
  if (typeof value === "boolean") return plain(String(value));
  if (isInteger(value)) return plain(BigInt(value).toString());
  if (isFloat(value)) return plain(floatText(value.valueOf()));
  if (typeof value === "string") {
    return { kind: "scalar", scalar: { text: value, style: "plain", plainImplicit: scalarKind(value) === "str" } };
  }
  if (value instanceof Uint8Array) {
    const scalar = { text: base64Lines(value), style: "literal", plainImplicit: false, tag: "!!binary" } as const;
    return { kind: "scalar", scalar };
  }
  if (Array.isArray(value)) return { kind: "sequence", items: Array.from(value, represent) };
  if (isMap(value)) {
    const entries = entriesOf(value);
    const ordered = value instanceof OrderedMap ? entries : sorted(entries, ([key]) => key) ?? entries;
    return { kind: "mapping", entries: ordered.map(([key, item]) => [represent(key), represent(item)]) };
  }
  return represent(str(value));
}

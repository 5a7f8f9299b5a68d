import { type Der, prettyHex } from "./der.ts";

/** The attributes of a name, in the order in which functions show them. */
export const ATTRIBUTES: Record<string, string> = {
  C: "2.5.4.6",
  ST: "2.5.4.8",
  L: "2.5.4.7",
  STREET: "2.5.4.9",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  CN: "2.5.4.3",
  MAIL: "1.2.840.113549.1.9.1",
  SN: "2.5.4.4",
  GN: "2.5.4.42",
  UID: "0.9.2342.19200300.100.1.1",
  SERIALNUMBER: "2.5.4.5",
};
/** The short names of RFC 4514. */
export const SHORT_NAMES: Record<string, string> = {
  "2.5.4.3": "CN",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "2.5.4.6": "C",
  "2.5.4.9": "STREET",
  "0.9.2342.19200300.100.1.25": "DC",
  "0.9.2342.19200300.100.1.1": "UID",
};

interface Attribute {
  oid: string;
  value: string;
}

function partsOf(name: Der): Attribute[][] {
  return name.children.map((part) =>
    part.children.map((attribute) => ({ oid: attribute.child(0).oid, value: attribute.child(1).text }))
  );
}

/** True if two names have the same parts; the kinds of text that they are written in do not count. */
export function sameName(a: Der, b: Der): boolean {
  const [x, y] = [a, b].map((name) =>
    JSON.stringify(partsOf(name).map((part) => part.map(({ oid, value }) => `${oid}=${value}`).sort()))
  );
  return x === y;
}

/** A name as a map of its attributes; of several of a kind the first. */
export function nameMap(name: Der): Record<string, string> {
  const all = partsOf(name).flat();
  const found = Object.entries(ATTRIBUTES).map(([short, oid]) => [short, all.find((item) => item.oid === oid)?.value]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function escaped(value: string): string {
  const text = value.replace(/[\\"+,;<>]/g, "\\$&").replaceAll("\0", "\\00");
  return text.replace(/^[# ]/, "\\$&").replace(/(?<=.) $/, "\\ ");
}

/** A name in the notation of RFC 4514, the last part first. */
export function nameText(name: Der): string {
  return partsOf(name).reverse().map((part) =>
    part.map(({ oid, value }) => `${SHORT_NAMES[oid] ?? oid}=${escaped(value)}`).join("+")
  ).join(",");
}

/** The common name, or undefined. */
export function commonName(name: Der): string | undefined {
  return nameMap(name).CN;
}

/** An address of four or sixteen bytes; with a mask as long, a network. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 8 || bytes.length === 32) {
    const half = bytes.length / 2;
    const ones = Array.from(bytes.subarray(half)).reduce((sum, byte) => {
      let bits = byte;
      let count = sum;
      for (; bits > 0; bits >>= 1) count += bits & 1;
      return count;
    }, 0);
    return `${addressText(bytes.subarray(0, half))}/${ones}`;
  }
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0));
  return groups.map((group) => group.toString(16).padStart(4, "0")).join(":");
}

/** A GeneralName with its kind before it. */
export function generalName(name: Der): string {
  switch (name.tag & 0x1f) {
    case 0: {
      const [type, value] = name.children;
      const inner = value?.children[0];
      const text = inner?.tag === 0x0c
        ? `UTF8:${inner.text}`
        : `<hex:${prettyHex(inner?.whole ?? new Uint8Array(0)).replaceAll(":", "").toLowerCase()}>`;
      return `otherName:${type?.oid};${text}`;
    }
    case 1:
      return `email:${name.text}`;
    case 2:
      return `DNS:${name.text}`;
    case 4:
      return `dirName:${nameText(name.child(0))}`;
    case 6:
      return `URI:${name.text}`;
    case 7:
      return `IP:${addressText(name.content)}`;
    case 8:
      return `RID:${name.oid}`;
    default:
      return `<hex:${prettyHex(name.whole).replaceAll(":", "").toLowerCase()}>`;
  }
}

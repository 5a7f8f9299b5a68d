import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { isMap, lookup, repr, str, typeName } from "../../../language/python/values.ts";
import { decodeBase64 } from "../../../language/python/binascii.ts";
import { type IpInterface, networkRange, parseInterface } from "../../../language/python/ipaddress.ts";
import { derSequence, explicit, ia5, implicit, nothing, octets, oid as oidOf, utf8String } from "./der_write.ts";
import { hostName, wildcardName } from "./domain_names.ts";
import { builtName } from "./name_build.ts";

export type NamePair = readonly [kind: unknown, value: unknown];

/** The OBJECT IDENTIFIER of a text in dots. @throws {CommandExecutionError} if it is none */
export function oidText(oid: unknown): string {
  const text = str(oid);
  if (/^[012][\d.]*$/.test(text)) {
    try {
      oidOf(text);
      return text;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  throw new CommandExecutionError(`Invalid oid: ${text}`);
}

function needText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new CommandExecutionError(`Expected string value, got ${typeName(value)}: \`${repr(value)}\``);
}

function bigEndian(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16).padStart(length * 2, "0");
  return Uint8Array.from(digits.match(/../g)!, (pair) => parseInt(pair, 16));
}

/** The bytes of an address, or of a network with its mask. */
function addressBytes(value: unknown, network: boolean): Uint8Array {
  const text = str(value);
  const found: IpInterface | undefined = parseInterface(text);
  const bits = found?.version === 4 ? 32 : 128;
  const usable = found !== undefined && found.scope === undefined &&
    (network ? networkRange(found).first === found.value : !text.includes("/"));
  if (!usable) {
    const kind = network ? "network range" : "address";
    throw new CommandExecutionError(`Provided value ${repr(value)} does not seem to be an IPv4/IPv6 ${kind}.`);
  }
  const bytes = bigEndian(found.value, bits / 8);
  if (!network) return bytes;
  const { first, last } = networkRange(found);
  const mask = (1n << BigInt(bits)) - 1n ^ (last ^ first);
  return Uint8Array.of(...bytes, ...bigEndian(mask, bits / 8));
}

function emailText(value: unknown, constraints: boolean): string {
  const text = needText(value);
  const at = text.lastIndexOf("@");
  if (at < 0) {
    if (!constraints) throw new CommandExecutionError(`Not a valid email in this context: ${text}`);
    return hostName(text, { leadingDot: true });
  }
  const user = text.slice(0, at);
  // deno-lint-ignore no-control-regex
  if (/[^\x00-\x7f]/.test(user)) {
    throw new CommandExecutionError(
      "Email address username must not contain non-ASCII chars, use SmtpUTF8Mailbox otherName instead",
    );
  }
  return `${user}@${hostName(text.slice(at + 1), { leadingDot: false })}`;
}

/** A part of an address with everything percent-encoded that Python's `quote` does not leave. */
function quoted(text: string, safe: string): string {
  return text.replace(
    /[^]/gu,
    (character) =>
      /[\w.~-]/.test(character) && character < "\x7f" || safe.includes(character)
        ? character
        : Array.from(new TextEncoder().encode(character), (byte) =>
          `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** The host of an address, with its port and user. */
function authority(text: string): string {
  const [, user, password, rest = ""] = /^(?:([^@]*?)(?::([^@]*))?@)?([^]*)$/.exec(text) ?? [];
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(rest) ?? [];
  const host = (bracketed ?? plain).toLowerCase();
  if (host === "") return text;
  const address = parseInterface(host);
  const shown = address !== undefined && !host.includes("/")
    ? address.version === 6 ? `[${host}]` : host
    : wildcardName(host, { trailingDot: true });
  if (port !== undefined && !/^\d*$/.test(port)) {
    throw new CommandExecutionError(`Port could not be cast to integer value as ${repr(port)}`);
  }
  if (Number(port ?? 0) > 65535) throw new CommandExecutionError("Port out of range 0-65535");
  const place = port === undefined || port === "" ? shown : `${shown}:${Number(port)}`;
  if (user === undefined) return place;
  return `${quoted(password === undefined ? user : `${user}:${password}`, "!$&'()*+,;=:%")}@${place}`;
}

function uriText(value: unknown): string {
  const text = needText(value);
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    throw new CommandExecutionError(`Invalid percent-encoding in URI: ${text}`);
  }
  const [, scheme, , place, path = "", query, fragment] =
    /^(?:([a-zA-Z][\w+.-]*):)?(\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/.exec(text) ?? [];
  if (scheme === undefined) {
    throw new CommandExecutionError(
      text.startsWith(".") ? "Leading dots are not allowed in this context" : "URI must contain a scheme",
    );
  }
  const safe = "/:@!$&'()*+,;=%";
  const parts = [
    `${scheme.toLowerCase()}:`,
    place === undefined || place === "" ? "" : `//${authority(place)}`,
    quoted(path, safe),
    query === undefined || query === "" ? "" : `?${quoted(query, `${safe}?`)}`,
    fragment === undefined || fragment === "" ? "" : `#${quoted(fragment, `${safe}?`)}`,
  ];
  return parts.join("");
}

/** The name of a host or domain that an address is constrained to. */
function constrainedUri(value: unknown): string {
  try {
    return hostName(value, { leadingDot: true });
  } catch (error) {
    const text = needText(value);
    if (/^[a-zA-Z][\w+.-]*:/.test(text)) {
      throw new CommandExecutionError(
        `NameConstraints URI should be the same format as DNS, not a full URI. Got: ${text}`,
      );
    }
    throw error;
  }
}

/** What an `otherName` holds when a map says it: a text, or DER of the caller's own. */
function otherValue(value: unknown): Uint8Array {
  if (!isMap(value)) {
    throw new SaltInvocationError(`Invalid otherName definition, dict or string required, got ${repr(value)}`);
  }
  const [der, own] = [lookup(value, "der"), lookup(value, "value")];
  if (der instanceof Uint8Array) return der;
  if (typeof der === "string" && /^hex:(?:[0-9a-fA-F]{2}\s*)*$/.test(der)) {
    return Uint8Array.from(der.slice(4).match(/[0-9a-fA-F]{2}/g) ?? [], (pair) => parseInt(pair, 16));
  }
  if (typeof der === "string" && der.startsWith("hex:")) {
    throw new SaltInvocationError("Failed to parse otherName `der` input as hex");
  }
  if (typeof der === "string" && der.startsWith("b64:")) return decodeBase64(new TextEncoder().encode(der.slice(4)));
  if (der !== undefined) {
    throw new SaltInvocationError("Failed to parse otherName `der` input, needs `hex:` or `b64:` prefix");
  }
  if (own === undefined) throw new SaltInvocationError("Invalid otherName definition, missing `value` or `der` key");
  if (own === null) return nothing;
  if (typeof own === "string") return utf8String(own);
  throw new SaltInvocationError(`Failed to encode otherName value ${repr(own)} to ASN1: write it as der`);
}

function otherName(value: unknown): Uint8Array {
  if (typeof value !== "string") {
    if (isMap(value) && lookup(value, "oid") === undefined) {
      throw new SaltInvocationError("Invalid otherName definition, missing `oid` key");
    }
    const content = otherValue(value);
    return implicit(
      0,
      derSequence(oidOf(oidText(lookup(value as Record<string, unknown>, "oid"))), explicit(0, content)),
    );
  }
  const [, oid, rest] = /^([^;]*);([^]*)$/.exec(value) ?? [];
  if (rest === undefined) {
    throw new SaltInvocationError(
      "`othername` string definition needs semicolon (;) between OID and value: othername:1.2.3.4;UTF8:value",
    );
  }
  const [, type, text] = /^([^:]*):([^]*)$/.exec(rest.replace(/^FORMAT:UTF8,/, "")) ?? [];
  if (type === undefined) {
    throw new SaltInvocationError(
      "`othername` string definition needs colon (:) between value type and value: othername:1.2.3.4;UTF8:value",
    );
  }
  if (!["UTF8", "UTF8STRING"].includes(type.toUpperCase())) {
    throw new SaltInvocationError(`Unsupported otherName ASN.1 type ${repr(type)}; only UTF8STRING is supported`);
  }
  return implicit(0, derSequence(oidOf(oidText(oid)), explicit(0, utf8String(text!))));
}

/** How each kind of name is written. */
const KINDS: Record<string, (value: unknown, constraints: boolean) => Uint8Array> = {
  othername: otherName,
  email: (value, constraints) => ia5(emailText(value, constraints), 0x81),
  dns: (value, constraints) => ia5(constraints ? hostName(value, { leadingDot: true }) : wildcardName(value), 0x82),
  dirname: (value) => explicit(4, builtName(value)),
  uri: (value, constraints) => ia5(constraints ? constrainedUri(value) : uriText(value), 0x86),
  ip: (value, constraints) => implicit(7, octets(addressBytes(value, constraints))),
  rid: (value) => implicit(8, oidOf(oidText(value))),
};

/**
 * Names as DER, each under the tag of its kind.
 *
 * @param constraints they are those of `nameConstraints`: networks, and domains with a dot before them
 * @throws {CommandExecutionError} in Salt's words
 */
export function generalNames(pairs: Iterable<NamePair>, { constraints = false } = {}): Uint8Array[] {
  return Array.from(pairs, ([kind, value]) => {
    const name = str(kind).toLowerCase();
    const write = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (write === undefined) throw new CommandExecutionError(`GeneralName type ${name} is invalid`);
    return write(value, constraints);
  });
}

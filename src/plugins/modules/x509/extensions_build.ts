import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { entriesOf, isMap, lookup, repr, str, truthy } from "../../../language/python/values.ts";
import { timeReader } from "../../../language/python/strptime.ts";
import type { Der } from "./der.ts";
import { readDer } from "./der.ts";
import {
  derBoolean,
  derInteger,
  derSequence,
  explicit,
  generalizedTime,
  ia5,
  implicit,
  namedBits,
  nothing,
  octets,
  oid as oidOf,
  utf8String,
} from "./der_write.ts";
import type { Extension } from "./extensions.ts";
import {
  CERTIFICATE_EXTENSIONS as SHOWN,
  ENTRY as SHOWN_ENTRY,
  extensionList,
  OID_NAMES,
  REASONS,
  USAGES,
} from "./extensions.ts";
import { generalNames, type NamePair, oidText } from "./general_names_build.ts";
import { namePart } from "./name_build.ts";
import { certificateOf } from "./read.ts";

/** What extensions are made from beside their own value. */
interface ExtensionSource {
  context: JobContext;
  /** The key of the certificate, as SubjectPublicKeyInfo. */
  subjectKey?: Der;
  /** The certificate that signs; absent if it signs itself. */
  signer?: Der;
  /** The key that a self-signed certificate is signed with. */
  ownKey?: Der;
  ownName?: { subject: Uint8Array; serial: bigint };
}

export function extensionBytes({ oid, critical, value }: Extension): Uint8Array {
  return derSequence(oidOf(oid), ...(critical ? [derBoolean(true)] : []), octets(value));
}

/** The hash of a key by which certificates name it. */
function keyIdentifier(context: JobContext, key: Der): Uint8Array {
  return context.runtime.crypto.hash("sha1", key.child(1).bits);
}

/** `x in value`, as Python has it for texts, lists and maps. */
function holds(value: unknown, word: string): boolean {
  if (typeof value === "string") return value.includes(word);
  if (Array.isArray(value)) return value.includes(word);
  return isMap(value) && lookup(value, word) !== undefined;
}

const PRESENT = "__present__";

/** A text as OpenSSL's configuration has it: `critical, CA:TRUE, pathlen:0`. */
function confPairs(text: string): { pairs: [string, string][]; critical: boolean } {
  const critical = text.startsWith("critical");
  const rest = critical ? text.slice(8).replace(/^,+|,+$/g, "").trim() : text;
  const pairs = rest.split(",").map((item): [string, string] => {
    const at = item.indexOf(":");
    return at < 0 ? [item.trim(), PRESENT] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
  });
  return { pairs, critical };
}

const field = (value: unknown, name: string): unknown => isMap(value) ? lookup(value, name) : undefined;

function number(value: unknown, what: string): bigint {
  const text = str(value);
  if (!/^-?\d{1,40}$/.test(text)) throw new SaltInvocationError(`Invalid number for ${what}: ${repr(value)}`);
  return BigInt(text);
}

function basicConstraints(given: unknown, { signer }: ExtensionSource): [Uint8Array, boolean] {
  let critical = truthy(field(given, "critical") ?? false);
  let [ca, pathlen]: [unknown, unknown] = [field(given, "ca"), field(given, "pathlen")];
  if (typeof given === "string") {
    const conf = confPairs(given.toLowerCase());
    critical = conf.critical;
    const found = Object.fromEntries(conf.pairs);
    if (found.ca === undefined) throw new SaltInvocationError("Invalid configuration for basicContraints: 'ca'");
    ca = found.ca === "true";
    pathlen = found.pathlen;
    if (pathlen !== undefined && !/^-?\d+$/.test(str(pathlen))) {
      throw new SaltInvocationError(
        `Invalid configuration for basicContraints: invalid literal for int() with base 10: ${repr(pathlen)}`,
      );
    }
  }
  const above = truthy(ca) && signer !== undefined ? issuerPathLength(signer) : undefined;
  if (above !== undefined) {
    if (pathlen !== undefined && pathlen !== null && above <= number(pathlen, "pathlen")) {
      throw new CommandExecutionError(
        `Issuing CA certificate has pathlen ${above}, which is less than or equal to requested pathlen of ${
          str(pathlen)
        }`,
      );
    }
    pathlen ??= above - 1n;
  }
  if (ca === undefined) throw new SaltInvocationError("Undefined required key for basicConstraints: 'ca'");
  if (typeof ca !== "boolean") throw new SaltInvocationError("ca must be a boolean value");
  if (pathlen === undefined || pathlen === null) return [derSequence(...(ca ? [derBoolean(true)] : [])), critical];
  if (!ca) throw new SaltInvocationError("path_length must be None when ca is False");
  if (number(pathlen, "pathlen") < 0n) {
    throw new SaltInvocationError("path_length must be a non-negative integer or None");
  }
  return [derSequence(derBoolean(true), derInteger(number(pathlen, "pathlen"))), critical];
}

/** How many certificates may come below that of a signer; undefined if it does not say. */
function issuerPathLength(signer: Der): bigint | undefined {
  const found = extensionList(certificateOf(signer).extensions).find(({ oid }) => oid === OIDS.basicConstraints);
  return found === undefined ? undefined : readDer(found.value).children.find(({ tag }) => tag === 2)?.integer;
}

function keyUsage(given: unknown): [Uint8Array, boolean] {
  const set = USAGES.flatMap((name, at) => holds(given, name) ? [at] : []);
  if (!holds(given, "keyAgreement") && (holds(given, "encipherOnly") || holds(given, "decipherOnly"))) {
    throw new SaltInvocationError("encipher_only and decipher_only can only be true when key_agreement is true");
  }
  return [namedBits(set), holds(given, "critical")];
}

const OIDS_BY_NAME = new Map(Object.entries(OID_NAMES).map(([oid, name]) => [name, oid]));
const PURPOSES: Record<string, string> = {
  msCodeInd: "1.3.6.1.4.1.311.2.1.21",
  msCodeCom: "1.3.6.1.4.1.311.2.1.22",
  msCTLSign: "1.3.6.1.4.1.311.10.3.1",
  msEFS: "1.3.6.1.4.1.311.10.3.4",
};

function extendedKeyUsage(given: unknown): [Uint8Array, boolean] {
  const conf = typeof given === "string" ? confPairs(given) : undefined;
  const words = conf === undefined ? [given].flat() : conf.pairs.map(([name]) => name);
  const usages = words.filter((word) => word !== "critical").map((word) =>
    oidOf(PURPOSES[str(word)] ?? OIDS_BY_NAME.get(str(word)) ?? oidText(word))
  );
  return [derSequence(...usages), conf?.critical ?? holds(given, "critical")];
}

function subjectKeyIdentifier(given: unknown, { context, subjectKey }: ExtensionSource): [Uint8Array, boolean] {
  if (holds(given, "critical")) throw new SaltInvocationError("subjectKeyIdentifier must be marked as non-critical");
  if (given === "hash") {
    if (subjectKey === undefined) throw new CommandExecutionError("There is no key to take subjectKeyIdentifier from");
    return [octets(keyIdentifier(context, subjectKey)), false];
  }
  if (given instanceof Uint8Array) return [octets(given), false];
  if (typeof given !== "string") throw new SaltInvocationError("Value must be a (hex-)digest or pubkey");
  const digits = given.replaceAll(":", "").replace(/\s/g, "");
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new SaltInvocationError("Value must be precomputed hash");
  return [octets(Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16))), false];
}

function authorityKeyIdentifier(given: unknown, source: ExtensionSource): [Uint8Array, boolean] {
  const { context, signer, ownKey } = source;
  if (holds(given, "critical")) throw new SaltInvocationError("authorityKeyIdentifier must be marked as non-critical");
  if (signer === undefined && ownKey === undefined) {
    throw new CommandExecutionError("Need CA certificate or CA pubkey to calculate authorityKeyIdentifier");
  }
  const wanted = typeof given === "string" ? Object.fromEntries(confPairs(given).pairs) : given;
  const parts: Uint8Array[] = [];
  if (field(wanted, "keyid") !== undefined) {
    const certificate = signer === undefined ? undefined : certificateOf(signer);
    const known = extensionList(certificate?.extensions).find(({ oid }) => oid === OIDS.subjectKeyIdentifier);
    const id = known === undefined
      ? keyIdentifier(context, certificate?.publicKey ?? ownKey!)
      : readDer(known.value).content;
    parts.push(implicit(0, octets(id)));
  }
  const issuer = field(wanted, "issuer");
  if (issuer === "always" || (issuer !== undefined && parts.length === 0)) {
    if (source.ownName !== undefined) {
      const { subject, serial } = source.ownName;
      parts.push(explicit(1, explicit(4, subject)), derInteger(serial, 0x82));
    } else if (signer === undefined) {
      if (issuer === "always") {
        throw new CommandExecutionError(
          "Could not add authority_cert_issuer and authority_cert_serial_number, but was set to always.",
        );
      }
    } else {
      const { issuer: name, serial } = certificateOf(signer);
      parts.push(explicit(1, explicit(4, name.whole)), implicit(2, serial.whole));
    }
  }
  return [derSequence(...parts), false];
}

/** Names as they are given: a text, a list of texts or maps. */
function namePairs(given: unknown): { pairs: NamePair[]; critical: boolean } {
  if (typeof given === "string") return confPairs(given);
  const pairs = [given].flat().flatMap((item): NamePair[] => {
    if (typeof item === "string" && item.includes(":")) {
      return [splitOnce(item).map((part) => part.trim()) as [string, string]];
    }
    return isMap(item) ? entriesOf(item) as NamePair[] : [];
  });
  return { pairs, critical: holds(given, "critical") };
}

/** A text up to its first colon, and behind it. */
function splitOnce(text: string): [string, string] {
  const at = text.indexOf(":");
  if (at < 0) throw new SaltInvocationError(`Expected a name such as DNS:example.com, got ${repr(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

const splitAll = (value: unknown): NamePair[] => [value].flat().map((text) => splitOnce(str(text)));

function subjectAltName(given: unknown): [Uint8Array, boolean] {
  const { pairs, critical } = namePairs(given);
  return [derSequence(...generalNames(pairs)), critical];
}

/** Names that may be copied from the signer (`issuer:copy`). */
function issuerNames(given: unknown, { signer }: ExtensionSource): [Uint8Array, boolean] {
  const { pairs, critical } = namePairs(given);
  const copies = pairs.some(([kind, value]) => kind === "issuer" && value === "copy");
  const copied: Uint8Array[] = [];
  if (copies) {
    if (signer === undefined) throw new CommandExecutionError("Need CA certificate to copy to issuerAltName");
    const found = extensionList(certificateOf(signer).extensions).find(({ oid }) => oid === OIDS.subjectAltName);
    if (found === undefined) {
      throw new CommandExecutionError("No <ObjectIdentifier(oid=2.5.29.17, name=subjectAltName)> extension was found");
    }
    copied.push(...readDer(found.value).children.map(({ whole }) => whole));
  }
  const others = copies ? pairs.filter(([kind]) => kind !== "issuer") : pairs;
  return [derSequence(...copied, ...generalNames(others)), critical];
}

const ACCESS: Record<string, string> = {
  OCSP: "1.3.6.1.5.5.7.48.1",
  caIssuers: "1.3.6.1.5.5.7.48.2",
  caRepository: "1.3.6.1.5.5.7.48.5",
};

function authorityInfoAccess(given: unknown): [Uint8Array, boolean] {
  let pairs: NamePair[];
  if (typeof given === "string") {
    pairs = given.split(",").filter((part) => part.trim() !== "critical").map((part) => {
      const words = part.trim().split(";");
      if (words.length !== 2) {
        throw new SaltInvocationError(`Expected a method and a place such as OCSP;URI:http://…, got ${repr(part)}`);
      }
      return [words[0], words[1]];
    });
  } else {
    pairs = [given].flat().filter((item) => item !== "critical").flatMap((item) => isMap(item) ? entriesOf(item) : [])
      .filter(([name]) => name !== "critical");
  }
  const entries = pairs.map(([method, place]) => {
    let oid: string;
    try {
      oid = ACCESS[str(method)] ?? oidText(method);
    } catch {
      throw new CommandExecutionError(`Unknown access OID: ${str(method)}`);
    }
    return derSequence(oidOf(oid), ...generalNames([splitOnce(str(place))]));
  });
  return [derSequence(...entries), false];
}

function reasonBits(given: unknown, tag: number): Uint8Array {
  const bits = [given].flat().map((reason) => {
    const at = reason === "" ? -1 : REASONS.indexOf(str(reason));
    if (at < 0) throw new SaltInvocationError(`${repr(reason)} is not a valid ReasonFlags`);
    if (at === 0 || reason === "removeFromCRL") {
      throw new SaltInvocationError(
        "unspecified and remove_from_crl are not valid reasons in a DistributionPoint",
      );
    }
    // In bit strings the two last stand where the list of revoked certificates has a gap.
    return at > 8 ? at - 2 : at;
  });
  return namedBits(bits, tag);
}

/** Where a list is: full names, or one relative to the issuer's. */
function pointName(fullname: Uint8Array[] | undefined, relative: unknown): Uint8Array[] {
  if (fullname !== undefined && truthy(relative)) {
    throw new SaltInvocationError("You cannot provide both full_name and relative_name, at least one must be None.");
  }
  if (fullname !== undefined) return [explicit(0, explicit(0, ...fullname))];
  return truthy(relative) ? [explicit(0, implicit(1, namePart(relative)))] : [];
}

function distributionPoint(given: unknown): Uint8Array {
  if (!isMap(given)) return derSequence(...pointName(generalNames([given as NamePair]), undefined));
  const [fullname, relative] = [lookup(given, "fullname"), lookup(given, "relativename")];
  const [issuer, reasons] = [lookup(given, "crlissuer"), lookup(given, "reasons")];
  const parts = pointName(truthy(fullname) ? generalNames(splitAll(fullname)) : undefined, relative);
  const isNamed = parts.length > 0 || truthy(issuer);
  if (truthy(reasons)) parts.push(reasonBits(reasons, 0x81));
  if (truthy(issuer)) parts.push(explicit(2, ...generalNames(splitAll(issuer))));
  if (!isNamed) {
    throw new SaltInvocationError(
      "Either full_name, relative_name or crl_issuer must be provided.",
    );
  }
  return derSequence(...parts);
}

function distributionPoints(given: unknown): [Uint8Array, boolean] {
  let points: unknown[];
  let critical = holds(given, "critical");
  if (typeof given === "string") {
    const conf = confPairs(given);
    [points, critical] = [conf.pairs, conf.critical];
  } else {
    points = [given].flat().filter((item) => item !== "critical").map((item) =>
      typeof item === "string" && item.includes(":") ? splitOnce(item).map((part) => part.trim()) : item
    );
  }
  return [derSequence(...points.map(distributionPoint)), critical];
}

function issuingDistributionPoint(given: unknown): [Uint8Array, boolean] {
  if (!isMap(given)) throw new SaltInvocationError("issuingDistributionPoint must be a dictionary");
  const flag = (name: string, at: number) => truthy(lookup(given, name) ?? false) ? [derBoolean(true, 0x80 | at)] : [];
  const [fullname, reasons] = [lookup(given, "fullname"), lookup(given, "onlysomereasons")];
  const only = [flag("onlyuser", 1), flag("onlyCA", 2), flag("onlyAA", 5)].flat();
  if (only.length > 1) {
    throw new SaltInvocationError(
      "Only one of the following can be set to True: only_contains_user_certs, only_contains_ca_certs, " +
        "only_contains_attribute_certs",
    );
  }
  const parts = [
    ...pointName(truthy(fullname) ? generalNames(splitAll(fullname)) : undefined, lookup(given, "relativename")),
    ...flag("onlyuser", 1),
    ...flag("onlyCA", 2),
    ...(truthy(reasons) ? [reasonBits(reasons, 0x83)] : []),
    ...flag("indirectCRL", 4),
    ...flag("onlyAA", 5),
  ];
  if (parts.length === 0) {
    throw new SaltInvocationError(
      "Cannot create empty extension: if only_contains_user_certs, only_contains_ca_certs, indirect_crl, and " +
        "only_contains_attribute_certs are all False, then either full_name, relative_name, or only_some_reasons " +
        "must have a value.",
    );
  }
  return [derSequence(...parts), truthy(lookup(given, "critical") ?? false)];
}

const [PRACTICES, NOTICE] = ["1.3.6.1.5.5.7.2.1", "1.3.6.1.5.5.7.2.2"];

function policyQualifiers(qualifiers: unknown): Uint8Array[] {
  return [qualifiers].flat().flatMap((item) => {
    if (typeof item === "string") return [derSequence(oidOf(PRACTICES), ia5(item))];
    const [organization, numbers, text] = [
      field(item, "organization"),
      field(item, "noticeNumbers"),
      field(item, "text"),
    ];
    // Without numbers Salt leaves a notice out.
    if (!truthy(numbers ?? null)) return [];
    const list = derSequence(...[numbers].flat().map((one) => derInteger(number(one, "noticeNumbers"))));
    const reference = derSequence(utf8String(str(organization ?? "")), list);
    return [
      derSequence(oidOf(NOTICE), derSequence(reference, ...(truthy(text ?? null) ? [utf8String(str(text))] : []))),
    ];
  });
}

function certificatePolicies(given: unknown): [Uint8Array, boolean] {
  if (typeof given === "string") {
    const policies = given.split(",").map((part) => part.trim()).filter((part) => part !== "critical");
    try {
      return [derSequence(...policies.map((oid) => derSequence(oidOf(oidText(oid))))), given.startsWith("critical")];
    } catch {
      throw new SaltInvocationError(
        "certificatePolicies defined as string must be a comma-separated list of OID.",
      );
    }
  }
  if (!isMap(given)) throw new SaltInvocationError("certificatePolicies must be a text or a map of policies");
  const policies = entriesOf(given).filter(([oid]) => oid !== "critical").map(([oid, qualifiers]) => {
    const list = policyQualifiers(qualifiers);
    return derSequence(oidOf(oidText(oid)), ...(list.length === 0 ? [] : [derSequence(...list)]));
  });
  return [derSequence(...policies), truthy(lookup(given, "critical") ?? false)];
}

function policyConstraints(given: unknown): [Uint8Array, boolean] {
  const conf = typeof given === "string" ? confPairs(given) : undefined;
  const values = conf === undefined ? given : Object.fromEntries(conf.pairs);
  const [explicitly, mapping] = [field(values, "requireExplicitPolicy"), field(values, "inhibitPolicyMapping")];
  if (explicitly === undefined && mapping === undefined) {
    throw new SaltInvocationError(
      "At least one of require_explicit_policy and inhibit_policy_mapping must not be None",
    );
  }
  const parts = [
    ...(explicitly === undefined ? [] : [derInteger(number(explicitly, "requireExplicitPolicy"), 0x80)]),
    ...(mapping === undefined ? [] : [derInteger(number(mapping, "inhibitPolicyMapping"), 0x81)]),
  ];
  return [derSequence(...parts), conf?.critical ?? holds(given, "critical")];
}

function inhibitAnyPolicy(given: unknown): [Uint8Array, boolean] {
  const conf = typeof given === "string" ? confPairs(given) : undefined;
  const value = conf?.pairs[0]?.[0] ?? (isMap(given) ? lookup(given, "value") : given);
  if (value === undefined) throw new SaltInvocationError("Undefined required key for inhibitAnyPolicy: 'value'");
  const count = number(value, "inhibitAnyPolicy");
  if (count < 0n) throw new SaltInvocationError("skip_certs must be a non-negative integer");
  return [derInteger(count), conf?.critical ?? holds(given, "critical")];
}

function nameConstraints(given: unknown): [Uint8Array, boolean] {
  const scoped = (scope: string): NamePair[] => {
    if (typeof given === "string") {
      const items = given.split(",").map((item) => item.trim().split(";"));
      return items.filter(([first]) => first === scope).map((item) => splitOnce(item[1] ?? ""));
    }
    return namePairs(field(given, scope) ?? []).pairs;
  };
  const trees = (scope: string, at: number) => {
    const names = generalNames(scoped(scope), { constraints: true });
    return names.length === 0 ? [] : [explicit(at, ...names.map((name) => derSequence(name)))];
  };
  const parts = [...trees("permitted", 0), ...trees("excluded", 1)];
  if (parts.length === 0) throw new SaltInvocationError("nameConstraints needs at least one definition");
  return [derSequence(...parts), holds(given, "critical")];
}

const FEATURES: Record<string, number> = { status_request: 5, status_request_v2: 17 };

function tlsFeature(given: unknown): [Uint8Array, boolean] {
  const words = typeof given === "string" ? given.split(",").map((word) => word.trim()) : [given].flat();
  const features = words.filter((word) => word !== "critical").map((word) => {
    const number = FEATURES[str(word)];
    if (number === undefined) throw new SaltInvocationError(`Unknown TLS feature: ${repr(word)}`);
    return derInteger(number);
  });
  return [derSequence(...features), words.includes("critical")];
}

function crlNumber(given: unknown): [Uint8Array, boolean] {
  if (!/^\s*-?\d{1,40}\s*$/.test(str(given))) {
    throw new SaltInvocationError("cRLNumber must be an integer and must be marked as non-critical");
  }
  return [derInteger(BigInt(str(given).trim())), false];
}

function deltaCrlIndicator(given: unknown): [Uint8Array, boolean] {
  const numbers = str(given).match(/\d+/g) ?? [];
  if (numbers.length !== 1) {
    throw new SaltInvocationError("deltaCRLIndicator must contain a single integer pointing to a cRLNumber");
  }
  return [derInteger(number(numbers[0], "deltaCRLIndicator")), str(given).includes("critical")];
}

function crlReason(given: unknown): [Uint8Array, boolean] {
  const conf = typeof given === "string" ? confPairs(given) : undefined;
  const word = conf?.pairs[0]?.[0] ?? [given].flat().find((item) => item !== "critical");
  const at = typeof word === "string" && word !== "" ? REASONS.indexOf(word) : -1;
  if (at < 0) throw new SaltInvocationError(`${repr(word)} is not a valid ReasonFlags`);
  return [derInteger(at, 0x0a), conf?.critical ?? holds(given, "critical")];
}

/** How functions of certificates write times. */
const TIME_FORMAT = "%Y-%m-%d %H:%M:%S";
const readTime = timeReader(TIME_FORMAT);

/** A time in UTC. @throws {SaltInvocationError} with `complain` before what is wrong */
export function parseTime(text: unknown, complain = ""): Date {
  const found = typeof text === "string" ? readTime(text) : undefined;
  if (found === undefined) {
    throw new SaltInvocationError(`${complain}time data ${repr(text)} does not match format '${TIME_FORMAT}'`);
  }
  const { year, month, day, hour, minute, second } = found;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

function invalidityDate(given: unknown): [Uint8Array, boolean] {
  if (typeof given !== "string") throw new SaltInvocationError("invalidityDate must be a string");
  const critical = given.startsWith("critical");
  return [generalizedTime(parseTime(critical ? given.slice(given.indexOf(" ") + 1) : given)), critical];
}

function unsupported(name: string): () => never {
  return () => {
    throw new SaltInvocationError(`${name} is currently not implemented.`);
  };
}

type Builder = (given: unknown, source: ExtensionSource) => [value: Uint8Array, critical: boolean];

const OIDS: Record<string, string> = Object.fromEntries(
  Object.entries({ ...SHOWN, ...SHOWN_ENTRY }).map(([name, [oid]]) => [name, oid]),
);

/** How each extension is made, in the order in which certificates get them. */
const BUILDERS: Record<string, Builder> = {
  basicConstraints,
  keyUsage,
  extendedKeyUsage,
  subjectKeyIdentifier,
  authorityKeyIdentifier,
  issuerAltName: issuerNames,
  authorityInfoAccess,
  subjectAltName,
  crlDistributionPoints: distributionPoints,
  issuingDistributionPoint,
  certificatePolicies,
  policyConstraints,
  inhibitAnyPolicy,
  nameConstraints,
  noCheck: (given) => [nothing, str(given).includes("critical")],
  tlsfeature: tlsFeature,
  nsComment: unsupported("nsComment"),
  nsCertType: unsupported("nsCertType"),
  cRLNumber: crlNumber,
  deltaCRLIndicator: deltaCrlIndicator,
  freshestCRL: (given) => [distributionPoints(given)[0], false],
  certificateIssuer: issuerNames,
  CRLReason: crlReason,
  invalidityDate,
};

const REVOCATION_ONLY = ["issuingDistributionPoint", "cRLNumber", "deltaCRLIndicator", "freshestCRL"];

/** The extensions of entries of lists of revoked certificates. */
export const ENTRY_EXTENSIONS: readonly string[] = Object.keys(SHOWN_ENTRY);

/** The extensions of certificates, in the order in which they are added. */
export const CERTIFICATE_EXTENSIONS: readonly string[] = Object.keys(BUILDERS).filter(
  (name) => !REVOCATION_ONLY.includes(name) && !ENTRY_EXTENSIONS.includes(name),
);

/** The extensions of lists of revoked certificates. */
export const REVOCATION_EXTENSIONS: readonly string[] = [
  "authorityKeyIdentifier",
  "authorityInfoAccess",
  "issuerAltName",
  ...REVOCATION_ONLY,
];

/** Extensions that a request has no say in: they come from the authority. */
export const REQUEST_FORBIDDEN: readonly string[] = [
  "authorityInfoAccess",
  "authorityKeyIdentifier",
  "issuerAltName",
  "crlDistributionPoints",
];

/** The OBJECT IDENTIFIER of an extension; undefined for those that cannot be made. */
export const extensionOid = (name: string): string | undefined => OIDS[name];

export function extensionName(oid: string): string {
  return LONG_NAMES[oid] ?? Object.keys(OIDS).find((name) => OIDS[name] === oid) ?? "Unknown OID";
}

const LONG_NAMES: Record<string, string> = {
  "2.5.29.31": "cRLDistributionPoints",
  "1.3.6.1.5.5.7.48.1.5": "OCSPNoCheck",
  "1.3.6.1.5.5.7.1.24": "TLSFeature",
  "2.5.29.21": "cRLReason",
};

/**
 * An extension from what a caller gives: a text as OpenSSL's configuration has it, a list or a map.
 *
 * @throws {SaltInvocationError} or {@link CommandExecutionError}, in Salt's words
 */
export function createExtension(name: string, given: unknown, source: ExtensionSource): Extension {
  const builder = Object.hasOwn(BUILDERS, name) ? BUILDERS[name] : undefined;
  if (builder === undefined) throw new CommandExecutionError(`Unknown extension ${name}`);
  const [value, critical] = builder(given, source);
  return { oid: OIDS[name]!, critical, value };
}

import { type Der, prettyHex, readDer, TAG, timeText } from "./der.ts";
import { generalName, nameText } from "./names.ts";

type Rendered = Record<string, unknown>;

export const USAGES = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];
export const REASONS = [
  "unspecified",
  "keyCompromise",
  "cACompromise",
  "affiliationChanged",
  "superseded",
  "cessationOfOperation",
  "certificateHold",
  "",
  "removeFromCRL",
  "privilegeWithdrawn",
  "aACompromise",
];
/** What OBJECT IDENTIFIERs of purposes, methods and policies are called. */
export const OID_NAMES: Record<string, string> = {
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
  "1.3.6.1.5.5.7.3.17": "ipsecIKE",
  "1.3.6.1.4.1.311.20.2.2": "msSmartcardLogin",
  "1.3.6.1.5.2.3.5": "pkInitKDC",
  "1.3.6.1.5.5.7.48.1": "OCSP",
  "1.3.6.1.5.5.7.48.2": "caIssuers",
};
const CPS = "1.3.6.1.5.5.7.2.1";

export interface Extension {
  oid: string;
  critical: boolean;
  value: Uint8Array;
}

/** The extensions that something signed has. */
export function extensionList(list: Der | undefined): Extension[] {
  return (list?.children ?? []).map((extension) => {
    const parts = extension.children;
    return {
      oid: parts[0]!.oid,
      critical: parts.length > 2 && parts[1]!.boolean,
      value: parts.at(-1)!.content,
    };
  });
}

const named = (oid: string) => OID_NAMES[oid] ?? oid;
const names = (list: Der | undefined) => (list?.children ?? []).map(generalName);
const number = (element: Der | undefined) => element === undefined ? null : Number(element.integer);
const flag = (element: Der | undefined) => element?.boolean ?? false;

/** The reasons that a BIT STRING stands for, in the order of their words. */
function reasons(bits: Der | undefined): string[] {
  if (bits === undefined) return [];
  // The two last stand two places further in lists of revoked certificates.
  const places = REASONS.filter((name) => name !== "" && name !== "removeFromCRL");
  return places.filter((_, at) => at > 0 && bits.bit(at)).sort();
}

/** Where a list of revoked certificates is: full names, or one relative to the issuer's. */
function pointName(point: Der | undefined): { fullname: string[]; relativename: string | null } {
  const relative = point?.tagged(1);
  return {
    fullname: names(point?.tagged(0)),
    relativename: relative === undefined
      ? null
      : relative.children.map((part) => `${part.child(0).oid}=${part.child(1).text}`).join("+"),
  };
}

function distributionPoints(value: Der): Rendered {
  return {
    value: value.children.map((point) => ({
      crlissuer: names(point.tagged(2)),
      ...pointName(point.tagged(0)),
      reasons: reasons(point.tagged(1)),
    })),
  };
}

function policyQualifier(qualifier: Der): Rendered {
  const [kind, content] = qualifier.children;
  if (kind?.oid === CPS) return { practice_statement: content?.text };
  let [organization, numbers, text]: [string | null, number[] | null, string | null] = [null, null, null];
  for (const part of content?.children ?? []) {
    if (part.tag === TAG.SEQUENCE) {
      organization = part.child(0).text;
      numbers = part.child(1).children.map(({ integer }) => Number(integer));
    } else text = part.text;
  }
  return { organization, notice_numbers: numbers, explicit_text: text };
}

const value = (shown: unknown): Rendered => ({ value: shown });
const generalNames = (list: Der) => value(names(list));
const counted = (element: Der) => value(Number(element.integer));

/** How each extension is shown, in the order in which functions show them. */
export const CERTIFICATE_EXTENSIONS: Record<string, [oid: string, render: (value: Der) => Rendered]> = {
  basicConstraints: ["2.5.29.19", (element) => ({
    ca: flag(element.children.find(({ tag }) => tag === TAG.BOOLEAN)),
    pathlen: number(element.children.find(({ tag }) => tag === TAG.INTEGER)),
  })],
  keyUsage: ["2.5.29.15", (bits) => Object.fromEntries(USAGES.map((name, at) => [name, bits.bit(at)]))],
  extendedKeyUsage: ["2.5.29.37", (list) => value(list.children.map(({ oid }) => named(oid)))],
  subjectKeyIdentifier: ["2.5.29.14", ({ content }) => value(prettyHex(content))],
  authorityKeyIdentifier: ["2.5.29.35", (element) => {
    const [keyid, issuer, serial] = [element.tagged(0), element.tagged(1), element.tagged(2)];
    return {
      keyid: keyid === undefined ? null : prettyHex(keyid.content),
      issuer: issuer === undefined ? null : names(issuer),
      issuer_sn: serial === undefined ? null : prettyHex(serial.integer),
    };
  }],
  issuerAltName: ["2.5.29.18", generalNames],
  authorityInfoAccess: [
    "1.3.6.1.5.5.7.1.1",
    (list) => value(list.children.map((entry) => ({ [named(entry.child(0).oid)]: place(entry.child(1)) }))),
  ],
  subjectAltName: ["2.5.29.17", generalNames],
  crlDistributionPoints: ["2.5.29.31", distributionPoints],
  issuingDistributionPoint: ["2.5.29.28", (element) => ({
    ...pointName(element.tagged(0)),
    onlyuser: flag(element.tagged(1)),
    onlyCA: flag(element.tagged(2)),
    onlysomereasons: reasons(element.tagged(3)),
    indirectCRL: flag(element.tagged(4)),
    onlyAA: flag(element.tagged(5)),
  })],
  certificatePolicies: [
    "2.5.29.32",
    (list) =>
      value(list.children.map((policy) => ({
        [named(policy.child(0).oid)]: policy.children[1]?.children.map(policyQualifier) ?? [],
      }))),
  ],
  policyConstraints: ["2.5.29.36", (element) => ({
    inhibitPolicyMapping: number(element.tagged(1)),
    requireExplicitPolicy: number(element.tagged(0)),
  })],
  inhibitAnyPolicy: ["2.5.29.54", counted],
  nameConstraints: ["2.5.29.30", (element) => ({
    excluded: (element.tagged(1)?.children ?? []).map((tree) => generalName(tree.child(0))),
    permitted: (element.tagged(0)?.children ?? []).map((tree) => generalName(tree.child(0))),
  })],
  noCheck: ["1.3.6.1.5.5.7.48.1.5", () => value(true)],
  tlsfeature: [
    "1.3.6.1.5.5.7.1.24",
    (list) => value(list.children.map(({ integer }) => integer === 5n ? "status_request" : "status_request_v2")),
  ],
  cRLNumber: ["2.5.29.20", counted],
  deltaCRLIndicator: ["2.5.29.27", counted],
  freshestCRL: ["2.5.29.46", distributionPoints],
};

export const ENTRY: typeof CERTIFICATE_EXTENSIONS = {
  certificateIssuer: ["2.5.29.29", generalNames],
  CRLReason: ["2.5.29.21", (element) => value(REASONS[Number(element.integer)] ?? Number(element.integer))],
  invalidityDate: ["2.5.29.24", ({ time }) => value(timeText(time))],
};

/** A place without the word for its kind. */
function place(name: Der): string {
  if ((name.tag & 0x1f) === 4) return nameText(name.child(0));
  return generalName(name).replace(/^\w+:/, "");
}

function rendered(list: Der | undefined, table: typeof CERTIFICATE_EXTENSIONS): Record<string, Rendered> {
  const found = new Map((list?.children ?? []).map((extension): [string, Rendered & { content: Uint8Array }] => {
    const parts = extension.children;
    const critical = parts[1]?.tag === TAG.BOOLEAN && parts[1].boolean;
    return [extension.child(0).oid, { critical, content: parts.at(-1)!.content }];
  }));
  return Object.fromEntries(
    Object.entries(table).filter(([, [oid]]) => found.has(oid)).map(([name, [oid, render]]) => {
      const { critical, content } = found.get(oid)!;
      return [name, { critical, ...render(readDer(content)) }];
    }),
  );
}

export const extensionsOf = (list: Der | undefined) => rendered(list, CERTIFICATE_EXTENSIONS);

/** Extensions of an entry of a list of revoked certificates. */
export const entryExtensionsOf = (list: Der | undefined) => rendered(list, ENTRY);

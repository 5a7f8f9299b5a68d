import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import type { Kwargs } from "./build.ts";
import { loadCertificate } from "./certificates.ts";
import { ATTRIBUTES } from "./names.ts";
import { pemOf } from "./read.ts";

/** Seconds to wait for a minion that signs. */
const REMOTE_TIMEOUT = 60;

/** Other names of attributes and extensions, each with the one that is used. */
const OTHER_NAMES: Record<string, string> = {
  commonName: "CN",
  localityName: "L",
  stateOrProvinceName: "ST",
  organizationName: "O",
  organizationUnitName: "OU",
  givenName: "GN",
  surname: "SN",
  Email: "MAIL",
  emailAddress: "MAIL",
  serialNumber: "SERIALNUMBER",
  "X509v3 Basic Constraints": "basicConstraints",
  "X509v3 Key Usage": "keyUsage",
  "X509v3 Extended Key Usage": "extendedKeyUsage",
  "X509v3 Subject Key Identifier": "subjectKeyIdentifier",
  "X509v3 Authority Key Identifier": "authorityKeyIdentifier",
  "X509v3 Issuer Alternative Name": "issuerAltName",
  issuserAltName: "issuerAltName",
  "Authority Information Access": "authorityInfoAccess",
  "X509v3 Subject Alternative Name": "subjectAltName",
  "X509v3 CRL Distribution Points": "crlDistributionPoints",
  "X509v3 Issuing Distribution Point": "issuingDistributionPoint",
  "X509v3 Certificate Policies": "certificatePolicies",
  "X509v3 Policy Constraints": "policyConstraints",
  "X509v3 Inhibit Any Policy": "inhibitAnyPolicy",
  "X509v3 Name Constraints": "nameConstraints",
  "OCSP No Check": "noCheck",
  "TLS Feature": "tlsfeature",
  "Netscape Comment": "nsComment",
  "Netscape Certificate Type": "nsCertType",
  "X509v3 CRLNumber": "cRLNumber",
  "X509v3 Delta CRL Indicator": "deltaCRLIndicator",
  "x509v3 Freshest CRL": "freshestCRL",
};

/** The same arguments under the names that are used. */
export function withShortNames(kwargs: Kwargs): Kwargs {
  return Object.fromEntries(
    Object.entries(kwargs).map((
      [name, value],
    ) => [Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name]! : name, value]),
  );
}

function mapOf(value: unknown): Kwargs {
  const maps = [value].flat().filter(isMap);
  return Object.assign({}, ...maps.map((map) => Object.fromEntries(entriesOf(map)))) as Kwargs;
}

/** A signing policy of pillar, or of the configuration (`x509_signing_policies`); empty if there is none. */
export async function ownPolicy(context: JobContext, name: unknown): Promise<Kwargs> {
  if (name === null || name === undefined) return {};
  for (const fun of ["pillar.get", "config.get"]) {
    const policies = await context.call(fun, ["x509_signing_policies", {}]);
    const found = isMap(policies) ? lookup(policies, name) : undefined;
    if (truthy(found ?? null)) return mapOf(found);
  }
  return {};
}

function mergedSubject(asked: unknown, policy: Kwargs): { subject?: unknown; decided: boolean } {
  if (Object.keys(ATTRIBUTES).some((name) => name in policy)) return { decided: false };
  const own = policy.subject;
  if (!isMap(own) && !Array.isArray(own)) return { subject: asked, decided: false };
  if (isMap(own) && isMap(asked)) return { subject: { ...mapOf(asked), ...mapOf(own) }, decided: true };
  if (Array.isArray(own) && Array.isArray(asked)) return { subject: [...own, ...asked], decided: true };
  return { subject: asked, decided: false };
}

/** What is asked for, with what the policy says over it. */
export function withPolicy(policy: Kwargs, kwargs: Kwargs): Kwargs {
  if (Object.keys(policy).length === 0) return kwargs;
  const asked = withShortNames(kwargs);
  if (!("subject" in asked)) return { ...asked, ...policy };
  const { subject: _, ...others } = asked;
  const { subject, decided } = mergedSubject(asked.subject, policy);
  const { subject: __, ...rest } = policy;
  const merged = { ...others, ...(subject === undefined ? {} : { subject }) };
  return { ...merged, ...(decided ? rest : policy) };
}

/** Asks the minion that signs. @throws {CommandExecutionError} with what it says */
async function askRemote(context: JobContext, server: unknown, arg: unknown[]): Promise<unknown> {
  const answers = await context.call("publish.publish", [server, "x509.sign_remote_certificate"], {
    arg,
    timeout: REMOTE_TIMEOUT,
  });
  const [answer] = isMap(answers) ? entriesOf(answers).map(([, value]) => value) : [];
  if (answer === undefined) {
    throw new SaltInvocationError(
      "ca_server did not respond. Salt master must permit peers to call the sign_remote_certificate function.",
    );
  }
  const data = isMap(answer) ? lookup(answer, "data") : undefined;
  if (data === undefined) {
    context.log.error("the signing minion returned something else", { server: str(server) });
    throw new CommandExecutionError("Received invalid return value from ca_server. See minion log for details");
  }
  const errors = lookup(answer as Kwargs, "errors");
  if (Array.isArray(errors) && errors.length > 0) {
    throw new CommandExecutionError(`ca_server reported errors:\n${errors.map(str).join("\n")}`);
  }
  return data;
}

/** Has another minion sign. @returns what it sent, to be loaded as a certificate */
export async function signRemotely(
  context: JobContext,
  server: unknown,
  policy: unknown,
  kwargs: Kwargs,
): Promise<unknown> {
  return await askRemote(context, server, [policy, kwargs, false]);
}

/** A signing policy of this minion, or of the one that signs, under the names that are used. */
export async function signingPolicy(context: JobContext, name: unknown, server: unknown): Promise<Kwargs> {
  if (server === null || server === undefined) return withShortNames(await ownPolicy(context, name));
  const policy = mapOf(await askRemote(context, server, [name, {}, true]));
  if (policy.signing_cert !== undefined) {
    policy.signing_cert = pemOf("CERTIFICATE", (await loadCertificate(context, policy.signing_cert)).certificate.whole);
  }
  return withShortNames(policy);
}

async function mayUse(context: JobContext, minions: unknown, id: unknown): Promise<boolean> {
  const test = str(minions);
  if (!test.includes("@")) return truthy(await context.call("match.glob", [test, id]));
  const answers = await context.call("publish.publish", [], {
    tgt: id,
    fun: "match.compound",
    arg: test,
    timeout: REMOTE_TIMEOUT,
  });
  const answer = isMap(answers) ? lookup(answers, id) : undefined;
  if (answer === undefined) {
    throw new CommandExecutionError(
      "Could not verify if minion matches compound matching expression. Make sure the ca_server is allowed to run " +
        "`match.compound` on the requesting minion",
    );
  }
  return truthy(answer);
}

/** What a request of another minion is answered with. */
export interface SignedRemotely {
  data: unknown;
  errors: string[];
}

const refused = (...errors: string[]): SignedRemotely => ({ data: null, errors });

/** A policy as the minion that asks may see it: without the key. */
async function shownPolicy(context: JobContext, policy: Kwargs): Promise<SignedRemotely> {
  const { signing_private_key: _, signing_private_key_passphrase: __, ...shown } = policy;
  if (shown.signing_cert !== undefined) {
    try {
      shown.signing_cert = (await loadCertificate(context, shown.signing_cert)).certificate.whole;
    } catch (error) {
      return refused(messageOf(error));
    }
  }
  return { data: shown, errors: [] };
}

/** What only the policy may say: keys and files of this host. */
const POLICY_ONLY = [
  "ca_server",
  "copypath",
  "prepend_cn",
  "private_key",
  "private_key_passphrase",
  "signing_private_key",
  "signing_private_key_passphrase",
  "signing_cert",
];

/** What a minion asks for. Its request and its key come with it: a path would be one of this host. */
function askedFor(context: JobContext, kwargs: unknown): Kwargs {
  const asked = Object.entries(mapOf(kwargs)).filter(([name]) => !POLICY_ONLY.includes(name));
  for (const [name, value] of asked) {
    if (["csr", "public_key"].includes(name) && typeof value === "string" && isFile(context.runtime.fs, value)) {
      throw new SaltInvocationError(`${name} must be sent, and not be named by a path`);
    }
  }
  return Object.fromEntries(asked);
}

/**
 * Answers a minion that asks for a certificate, by the policy that it names and may use.
 *
 * @param sign makes the certificate from the arguments, as DER
 */
export async function signForMinion(
  context: JobContext,
  args: { signing_policy: unknown; kwargs: unknown; get_signing_policy_only: unknown; id: unknown },
  sign: (kwargs: Kwargs) => Promise<Uint8Array>,
): Promise<SignedRemotely> {
  let asked: Kwargs;
  try {
    const { minions, ...policy } = await ownPolicy(context, args.signing_policy);
    if (Object.keys(policy).length === 0 && minions === undefined) {
      return refused("signing_policy must be specified and defined on signing minion");
    }
    if (minions !== undefined) {
      if (args.id === undefined) return refused("minion sending this request could not be identified");
      if (!await mayUse(context, minions, args.id)) {
        return refused("minion not permitted to use specified signing policy");
      }
    }
    if (truthy(args.get_signing_policy_only)) return await shownPolicy(context, policy);
    asked = withPolicy(policy, askedFor(context, args.kwargs));
  } catch (error) {
    context.log.error("a signing policy cannot be used", { policy: str(args.signing_policy), error: messageOf(error) });
    return refused("Failed building the signing policy. See CA server log for details.");
  }
  try {
    return { data: await sign(asked), errors: [] };
  } catch (error) {
    return refused(messageOf(error));
  }
}

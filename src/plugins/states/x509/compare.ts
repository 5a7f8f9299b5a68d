import type { Args } from "../../../language/python/values.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { type CertificatePlan, type RequestPlan, type RevocationPlan, sameKey } from "../../modules/x509/build.ts";
import { type Der, prettyHex, readDer } from "../../modules/x509/der.ts";
import { type Extension, extensionList } from "../../modules/x509/extensions.ts";
import { extensionName } from "../../modules/x509/extensions_build.ts";
import { nameText, sameName } from "../../modules/x509/names.ts";
import { certificateOf, requestOf, revocationsOf } from "../../modules/x509/read.ts";
import { isSigned, signatureDigest } from "../../modules/x509/sign.ts";

const sameExtension = (a: Extension, b: Extension): boolean =>
  a.critical === b.critical && hex(a.value) === hex(b.value);

const named = (extensions: Extension[]) => extensions.map(({ oid }) => extensionName(oid));

/** Which extensions come, change and go; empty if none. */
function extensionChanges(current: Extension[], wanted: Extension[]): Args {
  const there = (list: Extension[], oid: string) => list.find((one) => one.oid === oid);
  const changes = {
    added: named(wanted.filter(({ oid }) => there(current, oid) === undefined)),
    changed: named(wanted.filter((one) => {
      const before = there(current, one.oid);
      return before !== undefined && !sameExtension(before, one);
    })),
    removed: named(current.filter(({ oid }) => there(wanted, oid) === undefined)),
  };
  return Object.values(changes).some((list) => list.length > 0) ? { extensions: changes } : {};
}

function nameChanges(key: string, current: Der, wanted: Uint8Array): Args {
  const name = readDer(wanted);
  return sameName(current, name) ? {} : { [key]: nameText(name) };
}

/** `{digest}` if something was signed with another digest. Kinds of keys that have none of their own are left out. */
export function digestChanges(current: Der, digest: string, shown = digest): Args {
  const before = signatureDigest(current);
  return before === undefined || before === digest.toLowerCase() ? {} : { digest: shown };
}

/** What is wrong with a certificate. */
export async function certificateChanges(
  context: JobContext,
  current: Der,
  plan: CertificatePlan,
  serial: unknown,
): Promise<Args> {
  const certificate = certificateOf(current);
  const { signer } = plan;
  const wrongSerial = serial !== null && serial !== undefined && plan.serial !== certificate.serial.integer;
  const wrongSigner = signer !== undefined && !await isSigned(context, current, certificateOf(signer).publicKey);
  return {
    ...(wrongSerial ? { serial_number: serial } : {}),
    ...(sameKey(plan.publicKey, certificate.publicKey) ? {} : { private_key: true }),
    ...(wrongSigner ? { signing_private_key: true } : {}),
    ...nameChanges("subject_name", certificate.subject, plan.subject),
    ...nameChanges("issuer_name", certificate.issuer, plan.issuer),
    ...extensionChanges(extensionList(certificate.extensions), plan.extensions),
  };
}

/** What is wrong with a request. */
export function requestChanges(current: Der, plan: RequestPlan): Args {
  const { subject, publicKey, extensions } = requestOf(current);
  return {
    ...(sameKey(publicKey, plan.key.publicKey) ? {} : { private_key: true }),
    ...nameChanges("subject_name", subject, plan.subject),
    ...extensionChanges(extensionList(extensions), plan.extensions),
  };
}

function entryChanges(current: ReturnType<typeof revocationsOf>["revoked"], plan: RevocationPlan): Args {
  const [added, changed, removed] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { serial, extensions } of plan.revoked) {
    const before = current.find((entry) => entry.serial === serial);
    if (before === undefined) added.add(prettyHex(serial));
    else if (Object.keys(extensionChanges(before.extensions, extensions)).length > 0) changed.add(prettyHex(serial));
  }
  for (const { serial } of current) {
    if (!plan.revoked.some((entry) => entry.serial === serial)) removed.add(prettyHex(serial));
  }
  const changes = { added: [...added].sort(), changed: [...changed].sort(), removed: [...removed].sort() };
  return Object.values(changes).some((list) => list.length > 0) ? { revocations: changes } : {};
}

/** What is wrong with a list of revoked certificates. */
export async function revocationsChanges(context: JobContext, current: Der, plan: RevocationPlan): Promise<Args> {
  const { issuer, revoked, extensions } = revocationsOf(current);
  const isOurs = await isSigned(context, current, plan.key.publicKey);
  return {
    ...nameChanges("issuer_name", issuer, plan.issuer),
    ...(isOurs ? {} : { public_key: true }),
    ...entryChanges(revoked, plan),
    ...extensionChanges(extensions, plan.extensions),
  };
}

import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { planCertificate } from "../../modules/x509/build.ts";
import { loadCertificate, type LoadedCertificate, NoCertificateError } from "../../modules/x509/certificates.ts";
import { checkCertificate } from "../../modules/x509/create.ts";
import type { Der } from "../../modules/x509/der.ts";
import { withPolicy, withShortNames } from "../../modules/x509/policies.ts";
import { PassphraseError, privatePem } from "../../modules/x509/private_keys.ts";
import { certificateOf } from "../../modules/x509/read.ts";
import { certificateChanges, digestChanges } from "./compare.ts";
import { digestOf, type FoundPem, manageContent, type PemCheck, splitFileArguments } from "./managed_file.ts";

const DAY_MS = 86_400_000;
/** Days that Salt 3006 uses where none are asked for. */
const USUAL = { valid: 365, remaining: 90 };
/** Changes for which the certificate itself can stay. */
const ENCODED_ONLY = ["additional_certs", "encoding", "pkcs12_friendlyname"];

const OWN = [
  "signing_private_key",
  "signing_private_key_passphrase",
  "signing_cert",
  "public_key",
  "private_key",
  "private_key_passphrase",
  "csr",
  "subject",
  "serial_number",
  "not_before",
  "not_after",
];

const pick = (args: Args, names: readonly string[]): Args =>
  Object.fromEntries(names.map((name) => [name, args[name] ?? null]));

/** `x509.certificate_managed` while it runs. */
class CertificateState {
  readonly #context: StateContext;
  readonly #args: Args;
  readonly #wanted: Args;
  readonly #digest: string;
  #current: LoadedCertificate | undefined;
  #privateKey: string | undefined;

  constructor(context: StateContext, args: Args, digest: string, kwargs: Args) {
    this.#context = context;
    this.#args = args;
    this.#digest = digest;
    const hasEnd = args.not_after !== null;
    const days = args.days_valid === null && !hasEnd ? USUAL.valid : args.days_valid;
    this.#wanted = { ...pick(args, OWN), digest, days_valid: days, ...kwargs };
  }

  async check({ path, exists, isLink }: FoundPem): Promise<PemCheck> {
    const changes: Args = {};
    let isReplaced = isLink;
    if (exists) {
      try {
        this.#current = await loadCertificate(this.#context, path, this.#args.pkcs12_passphrase);
      } catch (error) {
        if (error instanceof PassphraseError) changes.pkcs12_passphrase = true;
        else if (error instanceof NoCertificateError) isReplaced = true;
        else throw error;
      }
      if (this.#current !== undefined) Object.assign(changes, await this.#differences(this.#current));
    } else changes.created = this.#args.name;
    if (isReplaced) changes.replaced = this.#args.name;
    return { changes, isCurrent: this.#current !== undefined };
  }

  async #differences(current: LoadedCertificate): Promise<Args> {
    const { encoding, pkcs12_friendlyname: friendly, days_remaining: remaining } = this.#args;
    const changes: Args = {};
    if (encoding !== current.encoding) changes.encoding = encoding;
    else if (encoding === "pkcs12" && (current.friendlyName ?? "") !== (truthy(friendly) ? str(friendly) : "")) {
      changes.pkcs12_friendlyname = friendly;
    }
    const limit = this.#context.runtime.clock.now() + Number(remaining ?? USUAL.remaining) * DAY_MS;
    if (certificateOf(current.certificate).notAfter.getTime() < limit) changes.expiration = true;
    if (!await this.#isSameChain(current)) changes.additional_certs = true;
    const { ca_server: server, signing_policy: policy } = this.#args;
    const found = await this.#context.call("x509.get_signing_policy", [policy], { ca_server: server }) as Args;
    const wanted = withPolicy(found, this.#wanted);
    const plan = await planCertificate(this.#context, wanted, { withoutKey: server !== null });
    this.#privateKey = plan.privateKey === undefined ? undefined : privatePem(plan.privateKey);
    const digest = digestChanges(current.certificate, str(wanted.digest), this.#digest);
    const others = await certificateChanges(this.#context, current.certificate, plan, this.#args.serial_number);
    return { ...changes, ...digest, ...others };
  }

  async #isSameChain({ chain, encoding }: LoadedCertificate): Promise<boolean> {
    const wanted: Der[] = [];
    for (const one of [this.#args.append_certs ?? []].flat()) {
      wanted.push((await loadCertificate(this.#context, one)).certificate);
    }
    const [now, then] = [chain, wanted].map((list) => list.map(({ whole }) => hex(whole)));
    // A bundle has no order of its own.
    if (encoding.startsWith("pkcs7")) {
      now!.sort();
      then!.sort();
    }
    return now!.join() === then!.join();
  }

  /** True if the certificate itself stays. */
  isEncodedOnly(changes: Args): boolean {
    return this.#current !== undefined && Object.keys(changes).every((name) => ENCODED_ONLY.includes(name));
  }

  async make(changes: Args): Promise<string> {
    const encodings = pick(this.#args, ["encoding", "append_certs"]);
    const pkcs12 = pick(this.#args, ["pkcs12_passphrase", "pkcs12_encryption_compat", "pkcs12_friendlyname"]);
    if (this.#current !== undefined && this.isEncodedOnly(changes)) {
      const key = this.#args.encoding === "pkcs12" ? { private_key: this.#privateKey ?? null, ...pkcs12 } : {};
      const { whole } = this.#current.certificate;
      return str(await this.#context.call("x509.encode_certificate", [whole], { ...encodings, ...key }));
    }
    const from = pick(this.#args, ["ca_server", "signing_policy"]);
    const wanted = { ...from, ...encodings, ...pkcs12, ...this.#wanted };
    return str(await this.#context.call("x509.create_certificate", [], wanted));
  }
}

/** The state `x509.certificate_managed`. */
export async function certificateManaged(context: StateContext, args: Args): Promise<StateReturn> {
  const { digest, kwargs } = digestOf(args, args.kwargs as Args);
  const { file, others } = splitFileArguments(withShortNames(kwargs));
  const state = new CertificateState(context, args, digest, others);
  const encoding = str(args.encoding);
  return await manageContent(context, str(args.name), {
    what: "certificate",
    file,
    encoding,
    isText: encoding === "pem" || encoding === "pkcs7_pem",
    check: (found) => state.check(found),
    refuse: (changes) => {
      if (!state.isEncodedOnly(changes)) checkCertificate({ ...args, digest });
    },
    make: (changes) => state.make(changes),
  });
}

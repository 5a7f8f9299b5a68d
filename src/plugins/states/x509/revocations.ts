import { SaltInvocationError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { planRevocations, revokedEntries } from "../../modules/x509/build.ts";
import { checkPlain } from "../../modules/x509/create.ts";
import { type Der, readDer } from "../../modules/x509/der.ts";
import { extensionOid } from "../../modules/x509/extensions_build.ts";
import { load, plainEncoding, REVOCATIONS, revocationsOf } from "../../modules/x509/read.ts";
import { digestName } from "../../modules/x509/sign.ts";
import { digestChanges, revocationsChanges } from "./compare.ts";
import { type FoundPem, manageContent, type PemCheck, refuseOthers, splitFileArguments } from "./managed_file.ts";

const DAY_MS = 86_400_000;
/** Days that Salt 3006 uses where none are asked for. */
const USUAL = { valid: 100, remaining: 30 };
const NUMBER = "cRLNumber";

type Changes = Args & { extensions?: Record<"added" | "changed" | "removed", string[]> };

/** `x509.crl_managed` while it runs. */
class RevocationsState {
  readonly #context: StateContext;
  readonly #args: Args;
  readonly #extensions: Args;
  #current: Der | undefined;

  constructor(context: StateContext, args: Args) {
    this.#context = context;
    this.#args = args;
    this.#extensions = isMap(args.extensions) ? Object.fromEntries(entriesOf(args.extensions)) as Args : {};
  }

  /** The arguments of the list, with these extensions. */
  #wanted(extensions: Args): Args {
    const { signing_private_key, signing_private_key_passphrase, signing_cert, include_expired, days_valid } =
      this.#args;
    return {
      signing_private_key,
      signing_private_key_passphrase,
      signing_cert,
      include_expired,
      days_valid: days_valid ?? USUAL.valid,
      revoked: revokedEntries(this.#args.revoked),
      extensions,
    };
  }

  async check({ path, exists, isLink }: FoundPem): Promise<PemCheck> {
    const { name } = this.#args;
    const changes: Changes = exists ? {} : { created: name };
    this.#current = exists ? this.#load(path) : undefined;
    if (this.#current !== undefined) Object.assign(changes, await this.#differences(this.#current, path));
    if (isLink || (exists && this.#current === undefined)) changes.replaced = name;
    // An empty list counts as none in Salt's comments.
    return { changes, isCurrent: this.#current !== undefined && revocationsOf(this.#current).revoked.length > 0 };
  }

  #load(path: string): Der | undefined {
    try {
      return load(this.#context, path, REVOCATIONS);
    } catch (error) {
      if (error instanceof SaltInvocationError) return undefined;
      throw error;
    }
  }

  async #differences(current: Der, path: string): Promise<Changes> {
    const { digest, encoding, days_remaining } = this.#args;
    const changes: Changes = digestChanges(current, digestName(digest), str(digest));
    if (plainEncoding(this.#context, path) !== encoding) changes.encoding = encoding;
    const remaining = days_remaining ?? USUAL.remaining;
    const { nextUpdate } = revocationsOf(current);
    const limit = this.#context.runtime.clock.now() + Number(remaining) * DAY_MS;
    if (truthy(remaining) && nextUpdate !== undefined && nextUpdate.getTime() < limit) changes.expiration = true;
    const isCounted = this.#extensions[NUMBER] === "auto";
    const { [NUMBER]: _, ...uncounted } = this.#extensions;
    const plan = await planRevocations(this.#context, this.#wanted(isCounted ? uncounted : this.#extensions));
    Object.assign(changes, await revocationsChanges(this.#context, current, plan));
    return isCounted ? withoutNumber(changes) : changes;
  }

  async make(changes: Args): Promise<string> {
    const { encoding, digest } = this.#args;
    if (this.#current !== undefined && Object.keys(changes).every((key) => key === "encoding")) {
      return str(await this.#context.call("x509.encode_crl", [this.#current.whole], { encoding }));
    }
    const counted = this.#extensions[NUMBER] === "auto" ? { [NUMBER]: this.#nextNumber() } : {};
    const wanted = { ...this.#wanted({ ...this.#extensions, ...counted }), digest, encoding };
    return str(await this.#context.call("x509.create_crl", [], wanted));
  }

  #nextNumber(): number {
    const extensions = this.#current === undefined ? [] : revocationsOf(this.#current).extensions;
    const found = extensions.find(({ oid }) => oid === extensionOid(NUMBER));
    return found === undefined ? 1 : Number(readDer(found.value).integer) + 1;
  }
}

/** A number that counts itself is no change as long as there is one. */
function withoutNumber(changes: Changes): Changes {
  const { extensions, ...others } = changes;
  if (extensions?.removed.includes(NUMBER)) {
    const left = { ...extensions, removed: extensions.removed.filter((name) => name !== NUMBER) };
    return Object.values(left).some((list) => list.length > 0) ? { ...others, extensions: left } : others;
  }
  // Salt lists nothing but what is added where nothing else differs.
  const added = [...(extensions?.added ?? []), NUMBER];
  return { ...others, extensions: { ...extensions, added } as Changes["extensions"] & object };
}

/** The state `x509.crl_managed`. */
export async function crlManaged(context: StateContext, args: Args): Promise<StateReturn> {
  const { text: _, ...kwargs } = args.kwargs as Args;
  const { file, others } = splitFileArguments(kwargs);
  const state = new RevocationsState(context, args);
  const encoding = str(args.encoding);
  return await manageContent(context, str(args.name), {
    what: "certificate revocation list",
    file,
    encoding,
    isText: encoding === "pem",
    verify: () => {
      refuseOthers(others);
      if (!truthy(args.signing_cert)) throw new SaltInvocationError("`signing_cert` is required");
    },
    check: (found) => state.check(found),
    refuse: () => {
      checkPlain({ encoding, digest: args.digest });
      revokedEntries(args.revoked);
    },
    make: (changes) => state.make(changes),
  });
}

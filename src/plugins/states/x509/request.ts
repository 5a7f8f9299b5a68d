import { SaltInvocationError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, str } from "../../../language/python/values.ts";
import { planRequest } from "../../modules/x509/build.ts";
import { checkPlain } from "../../modules/x509/create.ts";
import type { Der } from "../../modules/x509/der.ts";
import { withShortNames } from "../../modules/x509/policies.ts";
import { load, plainEncoding, REQUEST } from "../../modules/x509/read.ts";
import { digestChanges, requestChanges } from "./compare.ts";
import { digestOf, type FoundPem, manageContent, type PemCheck, splitFileArguments } from "./managed_file.ts";

/** The request at a path; undefined if it is none. */
function currentRequest(context: StateContext, path: string): Der | undefined {
  try {
    return load(context, path, REQUEST);
  } catch (error) {
    if (error instanceof SaltInvocationError) return undefined;
    throw error;
  }
}

/** The state `x509.csr_managed`. */
export async function csrManaged(context: StateContext, args: Args): Promise<StateReturn> {
  const { digest, kwargs } = digestOf(args, args.kwargs as Args);
  const { file, others } = splitFileArguments(withShortNames(kwargs));
  const { private_key, private_key_passphrase, subject, name } = args;
  const wanted = { private_key, private_key_passphrase, subject, ...others };
  const encoding = str(args.encoding);
  let current: Der | undefined;
  const check = async ({ path, exists, isLink }: FoundPem): Promise<PemCheck> => {
    const changes: Args = exists ? {} : { created: name };
    current = exists ? currentRequest(context, path) : undefined;
    const isOdd = current !== undefined && current.child(0).child(0).integer !== 0n;
    if (isOdd) changes.invalid_version = true;
    if (current !== undefined && !isOdd) {
      Object.assign(changes, digestChanges(current, digest));
      if (plainEncoding(context, path) !== encoding) changes.encoding = encoding;
      Object.assign(changes, requestChanges(current, await planRequest(context, wanted)));
    }
    if (isOdd) current = undefined;
    if (isLink || (exists && current === undefined)) changes.replaced = name;
    return { changes, isCurrent: current !== undefined };
  };
  const make = async (changes: Args): Promise<string> => {
    const isSame = current !== undefined && Object.keys(changes).every((key) => key === "encoding");
    return str(
      isSame
        ? await context.call("x509.encode_csr", [current!.whole], { encoding })
        : await context.call("x509.create_csr", [], { ...wanted, digest, encoding }),
    );
  };
  return await manageContent(context, str(name), {
    what: "certificate signing request",
    file,
    encoding,
    isText: encoding === "pem",
    check,
    refuse: () => checkPlain({ encoding, digest }),
    make,
  });
}

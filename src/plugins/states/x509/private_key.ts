import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import type { KeyEncoding, PrivateKey } from "../../modules/x509/private_keys.ts";
import {
  loadPrivateKey,
  NoPrivateKeyError,
  PassphraseError,
  privateKeyKind,
  privatePem,
  usualSize,
} from "../../modules/x509/private_keys.ts";
import { type FoundPem, manageContent, type PemCheck, refuseOthers, splitFileArguments } from "./managed_file.ts";

const REFUSALS = {
  wrong: "The provided passphrase cannot decrypt the private key. Pass overwrite: true to force regeneration",
  missing: "The existing file is encrypted. Pass overwrite: true to force regeneration without passphrase",
  none: "The existing file does not seem to be a private key formatted as DER, PEM or embedded in PKCS12. Pass " +
    "overwrite: true to force regeneration",
};

interface Current {
  key?: PrivateKey;
  encoding?: KeyEncoding;
  isOther?: boolean;
  /** It is no private key. */
  isNone?: boolean;
}

/** The private key at a path. @throws {CommandExecutionError} if it cannot be read and may not be overwritten */
async function currentKey(context: StateContext, path: string, args: Args): Promise<Current> {
  const refuse = (text: string) => {
    if (!truthy(args.overwrite)) throw new CommandExecutionError(text);
  };
  try {
    return await loadPrivateKey(context, path, args.passphrase);
  } catch (error) {
    if (error instanceof PassphraseError && error.problem === "superfluous") {
      return { ...await loadPrivateKey(context, path), isOther: true };
    }
    if (error instanceof PassphraseError) {
      refuse(REFUSALS[error.problem === "missing" ? "missing" : "wrong"]);
      return { isOther: true };
    }
    if (!(error instanceof NoPrivateKeyError)) throw error;
    refuse(REFUSALS.none);
    return { isNone: true };
  }
}

/** What is wrong with a key. */
function keyChanges({ key, encoding }: Current, args: Args): Args {
  const algo = str(args.algo);
  const size = args.keysize ?? usualSize(algo);
  const isOther = key!.type !== algo;
  return {
    ...(isOther ? { algo } : {}),
    ...(!isOther && usualSize(algo) !== undefined && key!.size !== size ? { keysize: size } : {}),
    ...(encoding === args.encoding ? {} : { encoding: args.encoding }),
  };
}

/** The state `x509.private_key_managed`. */
export async function privateKeyManaged(context: StateContext, given: Args): Promise<StateReturn> {
  const { bits, cipher: _, verbose: __, text: ___, ...kwargs } = given.kwargs as Args;
  const args: Args = { ...given, keysize: bits ?? given.keysize };
  const { file, others } = splitFileArguments(kwargs);
  refuseOthers(others);
  if (!truthy(file.mode ?? null)) file.mode = "0400";
  const { name, algo, keysize, passphrase, pkcs12_encryption_compat } = args;
  const encoding = str(args.encoding);
  let current: Current = {};
  const check = async ({ path, exists, isLink }: FoundPem): Promise<PemCheck> => {
    const isNew = truthy(args.new);
    current = exists && !isNew && !isLink ? await currentKey(context, path, args) : {};
    const changes: Args = current.isOther === true ? { passphrase: true } : {};
    if (current.key !== undefined) Object.assign(changes, keyChanges(current, args));
    else changes[(exists && isNew) || isLink || current.isNone === true ? "replaced" : "created"] = name;
    return { changes, isCurrent: current.key !== undefined, recreated: exists };
  };
  const isSame = (changes: Args) =>
    current.key !== undefined && Object.keys(changes).every((key) => key === "encoding" || key === "passphrase");
  const make = async (changes: Args): Promise<string> => {
    return str(
      isSame(changes)
        ? await context.call("x509.encode_private_key", [privatePem(current.key!)], { passphrase, encoding })
        : await context.call("x509.create_private_key", [], {
          algo,
          keysize,
          passphrase,
          encoding,
          pkcs12_encryption_compat,
        }),
    );
  };
  const verify = () => {
    if (truthy(keysize ?? null) && (algo === "ed25519" || algo === "ed448")) {
      throw new SaltInvocationError(`keysize is an invalid parameter for ${str(algo)}`);
    }
  };
  return await manageContent(context, str(name), {
    what: "private key",
    file,
    encoding,
    isText: encoding === "pem",
    verify,
    check,
    refuse: (changes) => {
      if (!isSame(changes)) privateKeyKind(algo, keysize);
    },
    make,
  });
}

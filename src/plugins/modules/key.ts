import { joinPath } from "../../base/paths.ts";
import { fingerprint } from "../../protocol/crypto/rsa_key.ts";
import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { pythonError } from "../python_errors.ts";
import { notifyMinion } from "./saltutil/sync.ts";
import { isHash } from "./file/hash.ts";

/** The fingerprint of a public key in `pki_dir`; empty text if there is none. */
function fingerOf({ runtime, opts }: JobContext, name: string, hashType: unknown): string {
  const path = joinPath(String(opts.pki_dir ?? "/etc/salt/pki/minion"), name);
  if (runtime.fs.stat(path)?.kind !== "file") return "";
  const hash = str(hashType ?? opts.hash_type ?? "sha256");
  if (!isHash(hash)) throw pythonError("AttributeError", `module 'hashlib' has no attribute '${hash}'`);
  return fingerprint(runtime.crypto, runtime.fs.readText(path), hash);
}

const HASH = "\n\nhash_type\n    md5, sha1, sha224, sha256, sha384 or sha512; by default the option hash_type\n\n";

/** Fingerprints of keys, to compare with what the other side shows. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "finger(hash_type=None)": {
      doc: `The fingerprint of this minion's public key, as \`salt-key -f\` shows it.${HASH}    salt '*' key.finger`,
      run: (context, { hash_type: hash }) => fingerOf(context, "minion.pub", hash),
    },
    "rotate()": {
      inline: true,
      doc:
        "Changes this minion's key: its masters take the new one beside the old one, until it has used the new one. What " +
        "becomes of it is in the minion's log, and in `salt-key --history` on the master. Brine's own.\n\n" +
        "    salt '*' key.rotate",
      run: (context) => notifyMinion(context, "key_rotate", {}),
    },
    "finger_master(hash_type=None)": {
      doc:
        "The fingerprint of the master's public key as this minion keeps it, as \`salt-key -F master\` shows it; empty " +
        `before the minion has signed in.${HASH}    salt '*' key.finger_master`,
      run: (context, { hash_type: hash }) => fingerOf(context, "minion_master.pub", hash),
    },
  }),
};

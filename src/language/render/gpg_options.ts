import { str } from "../python/repr.ts";
import { truthy } from "../python/truth.ts";

/** How values are decrypted. */
export interface GpgOptions {
  /** The directory of the keys. */
  home: string;
  /** What cannot be decrypted is an error, and does not stay as it is. */
  mustSucceed: boolean;
}

/** Salt's options `gpg_keydir`, or `gpgkeys` beside the configuration file, and `gpg_decrypt_must_succeed`. */
export function gpgOptionsOf(opts: Record<string, unknown>): GpgOptions {
  const { gpg_keydir: given, conf_file: file, gpg_decrypt_must_succeed: must } = opts;
  const beside = str(file ?? "").replace(/\/[^/]*$/, "");
  return { home: truthy(given ?? "") ? str(given) : `${beside}/gpgkeys`, mustSucceed: truthy(must ?? false) };
}

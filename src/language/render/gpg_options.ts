import { str, truthy } from "../python/values.ts";

/** The settings of gpg. */
export interface GpgOptions {
  /** The directory of the keys. */
  home: string;
  /** True if a value that cannot be decrypted is an error; otherwise it stays unchanged. */
  mustSucceed: boolean;
}

/** Salt's options `gpg_keydir`, or `gpgkeys` beside the configuration file, and `gpg_decrypt_must_succeed`. */
export function gpgOptionsOf(opts: Record<string, unknown>): GpgOptions {
  const { gpg_keydir: given, conf_file: file, gpg_decrypt_must_succeed: must } = opts;
  const beside = str(file ?? "").replace(/\/[^/]*$/, "");
  return { home: truthy(given ?? "") ? str(given) : `${beside}/gpgkeys`, mustSucceed: truthy(must ?? false) };
}

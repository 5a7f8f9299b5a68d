// deno-fmt-ignore-file
// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.

/** The built-in wheel functions: what each takes and what it returns, in the form of {@link ExecutionFunctions}. */
export interface WheelFunctions {
  /** Not supported: it would rewrite the whole file. Use config.update_config. */
  "config.apply": { args: { key: string; value: unknown }; order: ["key", "value"]; returns: never };
  /** Writes options into `<file_name>.conf` of the directory that the configuration includes. */
  "config.update_config": { args: { file_name: string; yaml_contents: unknown }; order: ["file_name", "yaml_contents"]; returns: string };
  /** The options of the master. Passwords and secrets among them are hidden. */
  "config.values": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Raises an error with this name; without a name, returns an empty map. */
  "error.error": { args: { name?: string | null; message?: string }; order: ["name", "message"]; returns: Record<string, unknown> };
  /** Finds a file in the directories of an environment; reports whether it is text or binary. */
  "file_roots.find": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: Record<string, string>[] };
  /** The files in the directories of an environment. */
  "file_roots.list_env": { args: { saltenv?: string }; order: ["saltenv"]; returns: Record<string, Record<string, unknown>> };
  /** The files in the directories of every environment. */
  "file_roots.list_roots": { args: Record<never, never>; order: []; returns: Record<string, Record<string, unknown>[]> };
  /** The text of a file, from each directory that contains it. */
  "file_roots.read": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: Record<string, string>[] };
  /** Writes a text to a file in one of the directories of an environment. */
  "file_roots.write": { args: { data: unknown; path: string; saltenv?: string; index?: number }; order: ["data", "path", "saltenv", "index"]; returns: unknown };
  /** Accepts the keys that match a glob. */
  "key.accept": { args: { match: string; include_rejected?: boolean; include_denied?: boolean }; order: ["match", "include_rejected", "include_denied"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Accepts the keys of a map of status to ids. */
  "key.accept_dict": { args: { match: Record<string, string[]>; include_rejected?: boolean; include_denied?: boolean }; order: ["match", "include_rejected", "include_denied"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Deletes the keys that match a glob, whatever their status. */
  "key.delete": { args: { match: string }; order: ["match"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Deletes the keys of a map of status to ids. */
  "key.delete_dict": { args: { match: Record<string, string[]> }; order: ["match"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** The fingerprints of the keys that match a glob. */
  "key.finger": { args: { match: string; hash_type?: string | null }; order: ["match", "hash_type"]; returns: Record<string, Record<string, string>> };
  /** The fingerprint of the master's own key. */
  "key.finger_master": { args: { hash_type?: string | null }; order: ["hash_type"]; returns: { local: { "master.pub": string } } };
  /** Generates a pair of keys without saving it. */
  "key.gen": { args: { id_?: string | null; keysize?: number }; order: ["id_", "keysize"]; returns: { priv: string; pub: string } };
  /** Generates a pair of keys and accepts the public one for a minion; empty if the minion has a key already. */
  "key.gen_accept": { args: { id_: string; keysize?: number; force?: boolean }; order: ["id_", "keysize", "force"]; returns: { priv?: string; pub?: string } };
  /** Generates a pair of key files on the master; the return is the fingerprint of the public key. */
  "key.gen_keys": { args: { keydir?: string | null; keyname?: string | null; keysize?: number | null; user?: string | null }; order: ["keydir", "keyname", "keysize", "user"]; returns: string };
  /** Signs the master's public key with its signing key, for `master_use_pubkey_signature`. */
  "key.gen_signature": { args: { priv: string; pub: string; signature_path: string; auto_create?: boolean; keysize?: number | null }; order: ["priv", "pub", "signature_path", "auto_create", "keysize"]; returns: string | true };
  /** The ids that match a glob, by status. */
  "key.glob_match": { args: { match: string }; order: ["match"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Who accepted, rejected, deleted or rotated the keys of a glob, oldest first. Brine's own. */
  "key.history": { args: { match?: string; limit?: number }; order: ["match", "limit"]; returns: { time: string; act: "accept" | "delete" | "expire" | "reject" | "rotate" | "rotate-asked" | "rotate-ended" | "rotate-offered"; id: string; was?: string; finger?: string; new_finger?: string; replaced?: string; user: string; via: string; from?: string }[] };
  /** The texts of the keys that match a glob. */
  "key.key_str": { args: { match: string }; order: ["match"]; returns: Record<string, Record<string, string>> };
  /** The ids of one status: accepted, pre, rejected, denied, or all. */
  "key.list": { args: { match: string }; order: ["match"]; returns: Record<string, string[]> | { local: string[]; minions: string[]; minions_denied: string[]; minions_pre: string[]; minions_rejected: string[] } };
  /** The ids of every status, and the master's own key files. */
  "key.list_all": { args: Record<never, never>; order: []; returns: { local: string[]; minions: string[]; minions_denied: string[]; minions_pre: string[]; minions_rejected: string[] } };
  /** The text of the master's own public key. */
  "key.master_key_str": { args: Record<never, never>; order: []; returns: { local: { "master.pub": string } } };
  /** The ids that match a glob, by status. */
  "key.name_match": { args: { match: string }; order: ["match"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** The texts of the keys that match a glob. */
  "key.print": { args: { match: string }; order: ["match"]; returns: Record<string, Record<string, string>> };
  /** Rejects the keys that match a glob. */
  "key.reject": { args: { match: string; include_accepted?: boolean; include_denied?: boolean }; order: ["match", "include_accepted", "include_denied"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Rejects the keys of a map of status to ids. */
  "key.reject_dict": { args: { match: Record<string, string[]>; include_accepted?: boolean; include_denied?: boolean }; order: ["match", "include_accepted", "include_denied"]; returns: { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] } };
  /** Asks the minions of a glob to change their keys; both are good until each has used its new one. Brine's own. */
  "key.rotate": { args: { match: string }; order: ["match"]; returns: Record<string, unknown> };
  /** The ids of the connected minions. */
  "minions.connected": { args: Record<never, never>; order: []; returns: string[] };
  /** The ids of the connected minions, when the others were lost, and since when the master has seen them come and go; times are seconds since the epoch. */
  "minions.presence": { args: Record<never, never>; order: []; returns: { connected: string[]; lost: Record<string, number>; since: number } };
  /** Finds a file in the directories of an environment; reports whether it is text or binary. */
  "pillar_roots.find": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: Record<string, string>[] };
  /** The files in the directories of an environment. */
  "pillar_roots.list_env": { args: { saltenv?: string }; order: ["saltenv"]; returns: Record<string, Record<string, unknown>> };
  /** The files in the directories of every environment. */
  "pillar_roots.list_roots": { args: Record<never, never>; order: []; returns: Record<string, Record<string, unknown>[]> };
  /** The text of a file, from each directory that contains it. */
  "pillar_roots.read": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: Record<string, string>[] };
  /** Writes a text to a file in one of the directories of an environment. */
  "pillar_roots.write": { args: { data: unknown; path: string; saltenv?: string; index?: number }; order: ["data", "path", "saltenv", "index"]; returns: unknown };
}

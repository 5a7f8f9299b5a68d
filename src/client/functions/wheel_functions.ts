// deno-fmt-ignore-file
// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.
import type { FunctionType } from "./signature_types.ts";

/** The built-in wheel functions: what each takes and what it returns, in the form of {@link ExecutionFunctions}. */
export interface WheelFunctions {
  /** Not supported: it would rewrite the whole file. Use config.update_config. */ "config.apply": FunctionType<"key, value", never>;
  /** Writes options into `<file_name>.conf` of the directory that the configuration includes. */ "config.update_config": FunctionType<"file_name, yaml_contents", string>;
  /** The options of the master. Passwords and secrets among them are hidden. */ "config.values": FunctionType<"", Record<string, unknown>>;
  /** Raises an error with this name; without a name, returns an empty map. */ "error.error": FunctionType<"name=None, message=''", Record<string, unknown>>;
  /** Finds a file in the directories of an environment; reports whether it is text or binary. */ "file_roots.find": FunctionType<"path, saltenv='base'", Record<string, string>[]>;
  /** The files in the directories of an environment. */ "file_roots.list_env": FunctionType<"saltenv='base'", Record<string, Record<string, unknown>>>;
  /** The files in the directories of every environment. */ "file_roots.list_roots": FunctionType<"", Record<string, Record<string, unknown>[]>>;
  /** The text of a file, from each directory that contains it. */ "file_roots.read": FunctionType<"path, saltenv='base'", Record<string, string>[]>;
  /** Writes a text to a file in one of the directories of an environment. */ "file_roots.write": FunctionType<"data, path, saltenv='base', index=0", unknown>;
  /** Accepts the keys that match a glob. */ "key.accept": FunctionType<"match, include_rejected=False, include_denied=False", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Accepts the keys of a map of status to ids. */ "key.accept_dict": FunctionType<"match: dict[list], include_rejected=False, include_denied=False", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Deletes the keys that match a glob, whatever their status. */ "key.delete": FunctionType<"match", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Deletes the keys of a map of status to ids. */ "key.delete_dict": FunctionType<"match: dict[list]", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** When the keys that match a glob came, from which address, and since when the minions are up. Brine's own. */ "key.details": FunctionType<"match", Record<string, Record<string, { since?: number; address?: string; up_since?: number }>>>;
  /** The fingerprints of the keys that match a glob. */ "key.finger": FunctionType<"match, hash_type=None", Record<string, Record<string, string>>>;
  /** The fingerprint of the master's own key. */ "key.finger_master": FunctionType<"hash_type=None", { local: { "master.pub": string } }>;
  /** Generates a pair of keys without saving it. */ "key.gen": FunctionType<"id_=None, keysize=2048", { priv: string; pub: string }>;
  /** Generates a pair of keys and accepts the public one for a minion; empty if the minion has a key already. */ "key.gen_accept": FunctionType<"id_, keysize=2048, force=False", { priv?: string; pub?: string }>;
  /** Generates a pair of key files on the master; the return is the fingerprint of the public key. */ "key.gen_keys": FunctionType<"keydir=None, keyname=None, keysize=None, user=None", string>;
  /** Signs the master's public key with its signing key, for `master_use_pubkey_signature`. */ "key.gen_signature": FunctionType<"priv, pub, signature_path, auto_create=False, keysize=None", string | true>;
  /** The ids that match a glob, by status. */ "key.glob_match": FunctionType<"match", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Who accepted, rejected, deleted or rotated the keys of a glob, oldest first. Brine's own. */ "key.history": FunctionType<"match='*', limit=1000", { time: string; act: "accept" | "delete" | "expire" | "reject" | "rotate" | "rotate-asked" | "rotate-ended" | "rotate-offered"; id: string; was?: string; finger?: string; new_finger?: string; replaced?: string; user: string; via: string; from?: string }[]>;
  /** The texts of the keys that match a glob. */ "key.key_str": FunctionType<"match", Record<string, Record<string, string>>>;
  /** The ids of one status: accepted, pre, rejected, denied, or all. */ "key.list": FunctionType<"match", Record<string, string[]> | { local: string[]; minions: string[]; minions_denied: string[]; minions_pre: string[]; minions_rejected: string[] }>;
  /** The ids of every status, and the master's own key files. */ "key.list_all": FunctionType<"", { local: string[]; minions: string[]; minions_denied: string[]; minions_pre: string[]; minions_rejected: string[] }>;
  /** The text of the master's own public key. */ "key.master_key_str": FunctionType<"", { local: { "master.pub": string } }>;
  /** The ids that match a glob, by status. */ "key.name_match": FunctionType<"match", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** The texts of the keys that match a glob. */ "key.print": FunctionType<"match", Record<string, Record<string, string>>>;
  /** Rejects the keys that match a glob. */ "key.reject": FunctionType<"match, include_accepted=False, include_denied=False", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Rejects the keys of a map of status to ids. */ "key.reject_dict": FunctionType<"match: dict[list], include_accepted=False, include_denied=False", { minions?: string[]; minions_denied?: string[]; minions_pre?: string[]; minions_rejected?: string[] }>;
  /** Asks the minions of a glob to change their keys; both are good until each has used its new one. Brine's own. */ "key.rotate": FunctionType<"match", Record<string, unknown>>;
  /** The ids of the connected minions. */ "minions.connected": FunctionType<"", string[]>;
  /** The ids of the connected minions, when the others were lost, and since when the master has seen them come and go; times are seconds since the epoch. `unnamed`: the connections of minions that have not said who they are. Minions of Salt say so with the first job after a restart of the master. */ "minions.presence": FunctionType<"", { connected: string[]; lost: Record<string, number>; since: number; unnamed: number }>;
  /** Finds a file in the directories of an environment; reports whether it is text or binary. */ "pillar_roots.find": FunctionType<"path, saltenv='base'", Record<string, string>[]>;
  /** The files in the directories of an environment. */ "pillar_roots.list_env": FunctionType<"saltenv='base'", Record<string, Record<string, unknown>>>;
  /** The files in the directories of every environment. */ "pillar_roots.list_roots": FunctionType<"", Record<string, Record<string, unknown>[]>>;
  /** The text of a file, from each directory that contains it. */ "pillar_roots.read": FunctionType<"path, saltenv='base'", Record<string, string>[]>;
  /** Writes a text to a file in one of the directories of an environment. */ "pillar_roots.write": FunctionType<"data, path, saltenv='base', index=0", unknown>;
}

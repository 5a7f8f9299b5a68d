// deno-fmt-ignore-file
// Written by scripts/function_types.ts (npm run -s types:functions) from the signatures of the modules: do not edit.
import type { Float } from "../../protocol/wire/msgpack_values.ts";
import type { FunctionSignature, StateReturns, UserRecord } from "./shapes.ts";

/**
 * The built-in execution functions: what each takes and what it returns. `args` are its arguments by name, `order` the
 * names of those that may be given by position, `rest` what may follow them, `returns` its return as it is read from the
 * master on this host. A return is `unknown` where the code does not say more of it.
 *
 * Add custom functions by declaration merging: see docs/sdk-types.md.
 */
export interface ExecutionFunctions {
  /** Removes an entry. */
  "acl.delfacl": { args: { acl_type: string; acl_name?: string; [name: string]: unknown }; order: ["acl_type", "acl_name"]; rest: unknown[]; returns: true };
  /** The ACLs of paths. */
  "acl.getfacl": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, { comment: Record<string, string>; defaults?: Record<string, Record<string, { octal: number; permissions: unknown }>[]>; [name: string]: unknown }> };
  /** Adds an entry, or changes it. */
  "acl.modfacl": { args: { acl_type: string; acl_name?: string; perms?: string; [name: string]: unknown }; order: ["acl_type", "acl_name", "perms"]; rest: unknown[]; returns: true };
  /** The version of getfacl. */
  "acl.version": { args: Record<never, never>; order: []; returns: string | null };
  /** Removes all entries but those of owner, group and others. */
  "acl.wipefacls": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: true };
  /** The target of an alias; an empty text if there is none. */
  "aliases.get_target": { args: { alias: string }; order: ["alias"]; returns: string };
  /** True if the alias has that target. */
  "aliases.has_target": { args: { alias: string; target: string | string[] }; order: ["alias", "target"]; returns: boolean };
  /** The aliases, each with its target. */
  "aliases.list_aliases": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** Removes an alias. */
  "aliases.rm_alias": { args: { alias: string }; order: ["alias"]; returns: true };
  /** Sets the target of an alias, which is added if it is missing. */
  "aliases.set_target": { args: { alias: string; target: string | string[] }; order: ["alias", "target"]; returns: true };
  /** Lets priorities decide what an alternative stands for. */
  "alternatives.auto": { args: { name: string }; order: ["name"]; returns: string };
  /** True if a program is one of an alternative's. */
  "alternatives.check_exists": { args: { name: string; path: string }; order: ["name", "path"]; returns: boolean };
  /** True if an alternative stands for that program now. */
  "alternatives.check_installed": { args: { name: string; path: string }; order: ["name", "path"]; returns: boolean };
  /** What is known of an alternative. */
  "alternatives.display": { args: { name: string }; order: ["name"]; returns: string };
  /** Adds a program to an alternative. */
  "alternatives.install": { args: { name: string; link: string; path: string; priority: number | string }; order: ["name", "link", "path", "priority"]; returns: string };
  /** Takes a program from an alternative. */
  "alternatives.remove": { args: { name: string; path: string }; order: ["name", "path"]; returns: string };
  /** Makes an alternative stand for that program. */
  "alternatives.set": { args: { name: string; path: string }; order: ["name", "path"]; returns: string };
  /** The program that an alternative stands for now. */
  "alternatives.show_current": { args: { name: string }; order: ["name"]; returns: false | string };
  /** The link that stands for an alternative. */
  "alternatives.show_link": { args: { name: string }; order: ["name"]; returns: false | string };
  /** Disables a conf of Debian's Apache. */
  "apache.a2disconf": { args: { conf: string }; order: ["conf"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** Disables a mod of Debian's Apache. */
  "apache.a2dismod": { args: { mod: string }; order: ["mod"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** Disables a site of Debian's Apache. */
  "apache.a2dissite": { args: { site: string }; order: ["site"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** Enables a conf of Debian's Apache. */
  "apache.a2enconf": { args: { conf: string }; order: ["conf"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** Enables a mod of Debian's Apache. */
  "apache.a2enmod": { args: { mod: string }; order: ["mod"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** Enables a site of Debian's Apache. */
  "apache.a2ensite": { args: { site: string }; order: ["site"]; returns: { Name: string; Status: string | number; [name: string]: unknown } };
  /** True if a conf of Debian's Apache is enabled. */
  "apache.check_conf_enabled": { args: { conf: string }; order: ["conf"]; returns: boolean };
  /** True if a mod of Debian's Apache is enabled. */
  "apache.check_mod_enabled": { args: { mod: string }; order: ["mod"]; returns: boolean };
  /** True if a site of Debian's Apache is enabled. */
  "apache.check_site_enabled": { args: { site: string }; order: ["site"]; returns: boolean };
  /** The text of a configuration, which is written to a file unless `edit` is False. */
  "apache.config": { args: { name: string; config: unknown; edit?: boolean }; order: ["name", "config", "edit"]; returns: string };
  /** The directives that Apache knows, each with what it means. */
  "apache.directives": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** The version of Apache, and how it was built. */
  "apache.fullversion": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** The modules of Apache, static and shared. */
  "apache.modules": { args: Record<never, never>; order: []; returns: { shared: string[]; static: string[] } };
  /** The numbers that mod_status shows. */
  "apache.server_status": { args: { profile?: string }; order: ["profile"]; returns: Record<string, unknown> | string };
  /** The modules that Apache was built with. */
  "apache.servermods": { args: Record<never, never>; order: []; returns: string[] };
  /** Starts Apache, or sends it a signal. */
  "apache.signal": { args: { signal?: number | string | null }; order: ["signal"]; returns: string | null };
  /** Adds a user to a password file, by webutil.useradd. */
  "apache.useradd": { args: { pwfile: string; user: string; password: string; opts?: string }; order: ["pwfile", "user", "password", "opts"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Removes a user from a password file, by webutil.userdel. */
  "apache.userdel": { args: { pwfile: string; user: string }; order: ["pwfile", "user"]; returns: unknown };
  /** The version of Apache. */
  "apache.version": { args: Record<never, never>; order: []; returns: string };
  /** The virtual hosts by name. */
  "apache.vhosts": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Runs unzip; returns its output. */
  "archive.cmd_unzip": { args: { zip_file: string; dest: string; excludes?: string | string[] | null; options?: unknown; template?: unknown; runas?: string | null; trim_output?: boolean; password?: string | null }; order: ["zip_file", "dest", "excludes", "options", "template", "runas", "trim_output", "password"]; returns: string[] };
  /** Runs zip; returns its output. */
  "archive.cmd_zip": { args: { zip_file: string; sources: unknown; template?: unknown; cwd?: string | null; runas?: string | null }; order: ["zip_file", "sources", "template", "cwd", "runas"]; returns: string[] };
  /** Unpacks a file with gunzip. */
  "archive.gunzip": { args: { gzipfile: string; template?: unknown; runas?: string | null; options?: unknown }; order: ["gzipfile", "template", "runas", "options"]; returns: string[] };
  /** Packs a file with gzip. */
  "archive.gzip": { args: { sourcefile: string; template?: unknown; runas?: string | null; options?: unknown }; order: ["sourcefile", "template", "runas", "options"]; returns: string[] };
  /** True if a member of a zip file is encrypted. */
  "archive.is_encrypted": { args: { name: string; clean?: boolean; saltenv?: string; source_hash?: string | null; use_etag?: boolean }; order: ["name", "clean", "saltenv", "source_hash", "use_etag"]; returns: boolean };
  /** The members of an archive (tar, zip, rar); `verbose` separates directories, files and links. */
  "archive.list": { args: { name: string; archive_format?: string | null; options?: unknown; strip_components?: number | null; clean?: boolean; verbose?: boolean; saltenv?: string; source_hash?: string | null; use_etag?: boolean }; order: ["name", "archive_format", "options", "strip_components", "clean", "verbose", "saltenv", "source_hash", "use_etag"]; returns: unknown };
  /** Runs rar to pack files. */
  "archive.rar": { args: { rarfile: string; sources: unknown; template?: unknown; cwd?: string | null; runas?: string | null }; order: ["rarfile", "sources", "template", "cwd", "runas"]; returns: string[] };
  /** Runs tar with options as on its command line. */
  "archive.tar": { args: { options: unknown; tarfile: string; sources?: unknown; dest?: string | null; cwd?: string | null; template?: unknown; runas?: string | null }; order: ["options", "tarfile", "sources", "dest", "cwd", "template", "runas"]; returns: string[] };
  /** Runs unrar, or rar, to unpack an archive. */
  "archive.unrar": { args: { rarfile: string; dest: string; excludes?: string | string[] | null; template?: unknown; runas?: string | null; trim_output?: boolean }; order: ["rarfile", "dest", "excludes", "template", "runas", "trim_output"]; returns: string[] };
  /** Unpacks a zip file; returns the names of its members. */
  "archive.unzip": { args: { zip_file: string; dest: string; excludes?: string | string[] | null; options?: unknown; template?: unknown; runas?: string | null; trim_output?: boolean; password?: string | null; extract_perms?: boolean }; order: ["zip_file", "dest", "excludes", "options", "template", "runas", "trim_output", "password", "extract_perms"]; returns: string[] };
  /** Creates a zip file; returns the names of its members. */
  "archive.zip": { args: { zip_file: string; sources: unknown; template?: unknown; cwd?: string | null; runas?: string | null; zip64?: boolean }; order: ["zip_file", "sources", "template", "cwd", "runas", "zip64"]; returns: string[] };
  /** Adds a job: the time, then the command. `tag` names it, `runas` is its user. */
  "at.at": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** The script of a job. */
  "at.atc": { args: { jobid: string }; order: ["jobid"]; returns: string | { error: string } };
  /** Jobs that wait; with `tag` those of that tag or number. */
  "at.atq": { args: { tag?: string | null }; order: ["tag"]; returns: { jobs: { job: number; date: string; time: string; queue: string; user: string; tag: string }[] } };
  /** Removes jobs by their numbers, or `all`, of a tag. */
  "at.atrm": { args: Record<never, never>; order: []; rest: unknown[]; returns: unknown };
  /** Jobs of a user, a tag or a time. */
  "at.jobcheck": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Adds a beacon. It is gone after a restart unless beacons.save writes it down. */
  "beacons.add": { args: { name: string; beacon_data: unknown; [name: string]: unknown }; order: ["name", "beacon_data"]; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Removes a beacon. */
  "beacons.delete": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Disables all beacons. */
  "beacons.disable": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Disables one beacon. */
  "beacons.disable_beacon": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Enables all beacons. */
  "beacons.enable": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Enables one beacon. */
  "beacons.enable_beacon": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** The beacons that are configured. */
  "beacons.list": { args: { return_yaml?: boolean; include_pillar?: boolean; include_opts?: boolean; [name: string]: unknown }; order: ["return_yaml", "include_pillar", "include_opts"]; returns: Record<string, unknown> | string };
  /** The beacons that can run on this minion. */
  "beacons.list_available": { args: { return_yaml?: boolean; [name: string]: unknown }; order: ["return_yaml"]; returns: unknown };
  /** Gives a beacon another configuration. */
  "beacons.modify": { args: { name: string; beacon_data: unknown; [name: string]: unknown }; order: ["name", "beacon_data"]; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Removes all beacons. */
  "beacons.reset": { args: { [name: string]: unknown }; order: []; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Writes the beacons to `beacons.conf`, for the next start. */
  "beacons.save": { args: { [name: string]: unknown }; order: []; returns: { result: boolean; comment: string; changes?: Record<string, unknown> } };
  /** Runs code with an interpreter and returns its standard output. */
  "cmd.exec_code": { args: { lang: string; code: string; cwd?: string | null; args?: string | string[] | null; [name: string]: unknown }; order: ["lang", "code", "cwd", "args"]; returns: string };
  /** Runs code with an interpreter and returns what cmd.run_all returns. */
  "cmd.exec_code_all": { args: { lang: string; code: string; cwd?: string | null; args?: string | string[] | null; [name: string]: unknown }; order: ["lang", "code", "cwd", "args"]; returns: { pid: number; retcode: number | null; stdout: string; stderr: string } };
  /** True if a program of this name is installed. */
  "cmd.has_exec": { args: { cmd: string | string[] }; order: ["cmd"]; returns: boolean };
  /** Runs a command and returns its return code. */
  "cmd.retcode": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; password?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "umask", "output_encoding", "output_loglevel", "log_callback", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "password", "success_retcodes", "success_stdout", "success_stderr"]; returns: number | null };
  /** Runs a command and returns its output, standard error included. */
  "cmd.run": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; redirect_stderr?: boolean; bg?: boolean; password?: string | null; encoded_cmd?: boolean; raise_err?: boolean; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "redirect_stderr", "bg", "password", "encoded_cmd", "raise_err", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: string };
  /** Runs a command and returns its pid, its return code, standard output and standard error. */
  "cmd.run_all": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; redirect_stderr?: boolean; password?: string | null; encoded_cmd?: boolean; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "redirect_stderr", "password", "encoded_cmd", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: { pid: number; retcode: number | null; stdout: string; stderr: string } };
  /** Starts a command and returns its pid without waiting for it to end. */
  "cmd.run_bg": { args: { cmd: string | string[]; cwd?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; umask?: number | string | null; timeout?: number | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; password?: string | null; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "umask", "timeout", "output_encoding", "output_loglevel", "log_callback", "reset_system_locale", "ignore_retcode", "saltenv", "password", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: { pid: number } };
  /** Runs a command in a shell with another directory as its root, and returns what cmd.run_all returns. While it runs, dev, proc and sys are mounted there; what it leaves running is ended. */
  "cmd.run_chroot": { args: { root: string; cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean; binds?: unknown; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; bg?: boolean; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["root", "cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "binds", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "bg", "success_retcodes", "success_stdout", "success_stderr"]; returns: { pid: number; retcode: number | null; stdout: string; stderr: string } };
  /** Runs a command and returns its standard error. */
  "cmd.run_stderr": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; password?: string | null; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "password", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: string };
  /** Runs a command and returns its standard output. */
  "cmd.run_stdout": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; password?: string | null; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "password", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: string };
  /** Runs a copy of a script and returns what cmd.run_all returns. The source is a file of the minion, of the master (salt://) or of a web server (http://, https://); cache_error if it cannot be fetched. */
  "cmd.script": { args: { source: unknown; args?: string | string[] | null; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; template?: unknown; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; saltenv?: string | null; use_vt?: boolean; bg?: boolean; password?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["source", "args", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "template", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "saltenv", "use_vt", "bg", "password", "success_retcodes", "success_stdout", "success_stderr"]; returns: { pid: number; retcode: number | null; stdout: string; stderr: string; cache_error?: true } };
  /** Runs a script as cmd.script does and returns its return code. */
  "cmd.script_retcode": { args: { source: unknown; args?: string | string[] | null; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; python_shell?: boolean | null; env?: Record<string, unknown> | string | null; template?: unknown; umask?: number | string | null; timeout?: number | null; reset_system_locale?: boolean; saltenv?: string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; use_vt?: boolean; password?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["source", "args", "cwd", "stdin", "runas", "group", "shell", "python_shell", "env", "template", "umask", "timeout", "reset_system_locale", "saltenv", "output_encoding", "output_loglevel", "log_callback", "use_vt", "password", "success_retcodes", "success_stdout", "success_stderr"]; returns: number | null };
  /** Runs a command in a shell and returns its output. Never pass it text from users. */
  "cmd.shell": { args: { cmd: string | string[]; cwd?: string | null; stdin?: string | null; runas?: string | null; group?: string | null; shell?: string | null; env?: Record<string, unknown> | string | null; clean_env?: boolean; template?: unknown; rstrip?: boolean; umask?: number | string | null; output_encoding?: string | null; output_loglevel?: string; log_callback?: unknown; hide_output?: boolean; timeout?: number | null; reset_system_locale?: boolean; ignore_retcode?: boolean; saltenv?: string | null; use_vt?: boolean; bg?: boolean; password?: string | null; prepend_path?: string | null; success_retcodes?: number[] | null; success_stdout?: string[] | null; success_stderr?: string[] | null; [name: string]: unknown }; order: ["cmd", "cwd", "stdin", "runas", "group", "shell", "env", "clean_env", "template", "rstrip", "umask", "output_encoding", "output_loglevel", "log_callback", "hide_output", "timeout", "reset_system_locale", "ignore_retcode", "saltenv", "use_vt", "bg", "password", "prepend_path", "success_retcodes", "success_stdout", "success_stderr"]; returns: string };
  /** Whether a shell or script language is installed, where, and in which version. */
  "cmd.shell_info": { args: { shell: string; list_modules?: boolean }; order: ["shell", "list_modules"]; returns: Record<string, unknown> };
  /** The login shells in /etc/shells. */
  "cmd.shells": { args: Record<never, never>; order: []; returns: string[] };
  /** Prints a text on a terminal. */
  "cmd.tty": { args: { device: string; echo?: string }; order: ["device", "echo"]; returns: Record<string, string> };
  /** The full path of a program, or null. */
  "cmd.which": { args: { cmd: string | string[] }; order: ["cmd"]; returns: string | null };
  /** The full path of the first of these programs that is installed, or null. */
  "cmd.which_bin": { args: { cmds: unknown }; order: ["cmds"]; returns: string | null };
  /** How files are backed up before a change: the argument, or else the option. */
  "config.backup_mode": { args: { backup?: boolean | string }; order: ["backup"]; returns: unknown };
  /** The options whose names begin with a prefix and a dot. */
  "config.dot_vals": { args: { value: unknown }; order: ["value"]; returns: Record<string, unknown> };
  /** The first value under a name or path in the options, the grains, the pillar, the options of the master in the pillar, and built-in defaults. `merge` lays maps from all of these over each other: recurse or overwrite. */
  "config.get": { args: { key: string; default?: unknown; delimiter?: string; merge?: unknown; omit_opts?: boolean; omit_pillar?: boolean; omit_master?: boolean; omit_grains?: boolean }; order: ["key", "default", "delimiter", "merge", "omit_opts", "omit_pillar", "omit_master", "omit_grains"]; returns: unknown };
  /** Every option. */
  "config.items": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** A file mode in the form in which modules compare modes. */
  "config.manage_mode": { args: { mode: number | string }; order: ["mode"]; returns: unknown };
  /** The values of a name in the options and the pillar: lists joined, maps merged. */
  "config.merge": { args: { value: unknown; default?: unknown; omit_opts?: boolean; omit_master?: boolean; omit_pillar?: boolean }; order: ["value", "default", "omit_opts", "omit_master", "omit_pillar"]; returns: unknown };
  /** The value under a name, taken as it is, from the same places as config.get; with `wildcard`, a map of all names that a glob matches. */
  "config.option": { args: { value: unknown; default?: unknown; omit_opts?: boolean; omit_grains?: boolean; omit_pillar?: boolean; omit_master?: boolean; omit_all?: boolean; wildcard?: boolean }; order: ["value", "default", "omit_opts", "omit_grains", "omit_pillar", "omit_master", "omit_all", "wildcard"]; returns: unknown };
  /** True if files can be fetched with the scheme of the address. */
  "config.valid_fileproto": { args: { uri: string }; order: ["uri"]; returns: boolean };
  /** The path that a file would have in the cache. */
  "cp.cache_dest": { args: { url: string; saltenv?: string | null }; order: ["url", "saltenv"]; returns: string };
  /** Fetches all files below a directory of the master into the cache of the minion. */
  "cp.cache_dir": { args: { path: string; saltenv?: string | null; include_empty?: boolean; include_pat?: unknown; exclude_pat?: unknown }; order: ["path", "saltenv", "include_empty", "include_pat", "exclude_pat"]; returns: string[] };
  /** Fetches a file into the cache of the minion and returns its path there. */
  "cp.cache_file": { args: { path: string; saltenv?: string | null; source_hash?: string | null; verify_ssl?: boolean; use_etag?: boolean }; order: ["path", "saltenv", "source_hash", "verify_ssl", "use_etag"]; returns: false | string };
  /** Fetches several files into the cache of the minion and returns their paths there. */
  "cp.cache_files": { args: { paths: string | string[]; saltenv?: string | null }; order: ["paths", "saltenv"]; returns: (false | string)[] };
  /** Copies a file of the minion into its cache. */
  "cp.cache_local_file": { args: { path: string }; order: ["path"]; returns: string };
  /** Fetches all files of the master into the cache of the minion. */
  "cp.cache_master": { args: { saltenv?: string | null }; order: ["saltenv"]; returns: (false | string)[] };
  /** The environments of the master. */
  "cp.envs": { args: Record<never, never>; order: []; returns: string[] };
  /** Fetches a directory of the master with everything below it, and returns the paths here. */
  "cp.get_dir": { args: { path: string; dest: unknown; saltenv?: string | null; template?: unknown; gzip?: boolean | null; [name: string]: unknown }; order: ["path", "dest", "saltenv", "template", "gzip"]; returns: string[] };
  /** Fetches a file of the master and returns its path here; empty if that fails, False if the target directory is missing. */
  "cp.get_file": { args: { path: string; dest: unknown; saltenv?: string | null; makedirs?: boolean; template?: unknown; gzip?: boolean | null; [name: string]: unknown }; order: ["path", "dest", "saltenv", "makedirs", "template", "gzip"]; returns: false | string };
  /** Returns the content of a file of the master. */
  "cp.get_file_str": { args: { path: string; saltenv?: string | null }; order: ["path", "saltenv"]; returns: false | string };
  /** Fetches a file of the master and renders it; with template=None, it stays as it is. */
  "cp.get_template": { args: { path: string; dest: unknown; template?: unknown; saltenv?: string | null; makedirs?: boolean; [name: string]: unknown }; order: ["path", "dest", "template", "saltenv", "makedirs"]; returns: string };
  /** Fetches a file from salt://, http:// or https:// and returns its path here: in the cache without dest, its content with dest=None. A file of the minion stays where it is. */
  "cp.get_url": { args: { path: string; dest?: unknown; saltenv?: string | null; makedirs?: boolean; source_hash?: string | null }; order: ["path", "dest", "saltenv", "makedirs", "source_hash"]; returns: Uint8Array | false | string };
  /** The digest of a file, of the master or of the minion. */
  "cp.hash_file": { args: { path: string; saltenv?: string | null }; order: ["path", "saltenv"]; returns: "" | { hash_type?: string; hsum?: string } };
  /** The path of a file in the cache, or an empty text. */
  "cp.is_cached": { args: { path: string; saltenv?: string | null }; order: ["path", "saltenv"]; returns: string };
  /** The files on the master. */
  "cp.list_master": { args: { saltenv?: string | null; prefix?: string }; order: ["saltenv", "prefix"]; returns: string[] };
  /** The directories of the master. */
  "cp.list_master_dirs": { args: { saltenv?: string | null; prefix?: string }; order: ["saltenv", "prefix"]; returns: string[] };
  /** The symbolic links among the files of the master, with their targets. */
  "cp.list_master_symlinks": { args: { saltenv?: string | null; prefix?: string }; order: ["saltenv", "prefix"]; returns: Record<string, string> };
  /** The files in the cache of the minion. */
  "cp.list_minion": { args: { saltenv?: string | null }; order: ["saltenv"]; returns: string[] };
  /** The names of the SLS files of the master. */
  "cp.list_states": { args: { saltenv?: string | null }; order: ["saltenv"]; returns: string[] };
  /** Sends a file to the master, which keeps it below minions/<id>/files in its cache if its option file_recv is set. */
  "cp.push": { args: { path: string; keep_symlinks?: boolean; upload_path?: string | null; remove_source?: boolean }; order: ["path", "keep_symlinks", "upload_path", "remove_source"]; returns: boolean };
  /** Sends all files below a directory to the master, as cp.push does. */
  "cp.push_dir": { args: { path: string; glob?: string | null; upload_path?: string | null }; order: ["path", "glob", "upload_path"]; returns: boolean };
  /** Writes files that came with the job: what salt-cp calls. */
  "cp.recv": { args: { files: unknown; dest: unknown }; order: ["files", "dest"]; returns: unknown };
  /** Writes a piece of a file that came with the job: what salt-cp --chunked calls. */
  "cp.recv_chunked": { args: { dest: unknown; chunk: unknown; append?: boolean; compressed?: boolean; mode?: number | string | null }; order: ["dest", "chunk", "append", "compressed", "mode"]; returns: unknown };
  /** The mode of a file, of the master or of the minion, as Python writes it in octal. */
  "cp.stat_file": { args: { path: string; saltenv?: string | null; octal?: boolean }; order: ["path", "saltenv", "octal"]; returns: number | string | null };
  /** One entry by its identifier or command; False if there is none. */
  "cron.get_entry": { args: { user: string; identifier?: unknown; cmd?: string | string[] | null }; order: ["user", "identifier", "cmd"]; returns: unknown };
  /** A user's table: jobs, variables, and the comments above them. */
  "cron.list_tab": { args: { user: string }; order: ["user"]; returns: { pre: string[]; crons: { minute: string; hour: string; daymonth: string; month: string; dayweek: string; cmd: string; identifier: string | null; comment: string | null; commented: boolean }[]; special: { spec: string; cmd: string; identifier: string | null; comment: string | null; commented: boolean }[]; env: { name: string; value: string }[] } };
  /** A user's table: jobs, variables, and the comments above them. */
  "cron.ls": { args: { user: string }; order: ["user"]; returns: { pre: string[]; crons: { minute: string; hour: string; daymonth: string; month: string; dayweek: string; cmd: string; identifier: string | null; comment: string | null; commented: boolean }[]; special: { spec: string; cmd: string; identifier: string | null; comment: string | null; commented: boolean }[]; env: { name: string; value: string }[] } };
  /** A user's table as text. */
  "cron.raw_cron": { args: { user: string }; order: ["user"]; returns: string };
  /** Removes a job. */
  "cron.rm": { args: { user: string; cmd: string | string[]; minute?: number | string | null; hour?: number | string | null; daymonth?: number | string | null; month?: number | string | null; dayweek?: number | string | null; identifier?: unknown }; order: ["user", "cmd", "minute", "hour", "daymonth", "month", "dayweek", "identifier"]; returns: string };
  /** Removes a variable from a table. */
  "cron.rm_env": { args: { user: string; name: string }; order: ["user", "name"]; returns: string };
  /** Removes a job. */
  "cron.rm_job": { args: { user: string; cmd: string | string[]; minute?: number | string | null; hour?: number | string | null; daymonth?: number | string | null; month?: number | string | null; dayweek?: number | string | null; identifier?: unknown }; order: ["user", "cmd", "minute", "hour", "daymonth", "month", "dayweek", "identifier"]; returns: string };
  /** Removes a job at @reboot, @hourly and the like. */
  "cron.rm_special": { args: { user: string; cmd: string | string[]; special?: string | null; identifier?: unknown }; order: ["user", "cmd", "special", "identifier"]; returns: string };
  /** Sets a variable of a table. */
  "cron.set_env": { args: { user: string; name: string; value?: unknown }; order: ["user", "name", "value"]; returns: string };
  /** Sets a job: `new`, `updated`, or `present` if nothing changed. A time may be `random`. */
  "cron.set_job": { args: { user: string; minute: number | string; hour: number | string; daymonth: number | string; month: number | string; dayweek: number | string; cmd: string | string[]; commented?: boolean; comment?: unknown; identifier?: unknown }; order: ["user", "minute", "hour", "daymonth", "month", "dayweek", "cmd", "commented", "comment", "identifier"]; returns: string };
  /** Sets a job at @reboot, @hourly and the like. */
  "cron.set_special": { args: { user: string; special: string; cmd: string | string[]; commented?: boolean; comment?: unknown; identifier?: unknown }; order: ["user", "special", "cmd", "commented", "comment", "identifier"]; returns: string };
  /** Installs a file as a user's table; True on success. */
  "cron.write_cron_file": { args: { user: string; path: string }; order: ["user", "path"]; returns: boolean };
  /** The same, with what the program crontab said. */
  "cron.write_cron_file_verbose": { args: { user: string; path: string }; order: ["user", "path"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Sets a value if it still equals the old one; True if it did. */
  "data.cas": { args: { key: string; value: unknown; old_value: unknown }; order: ["key", "value", "old_value"]; returns: boolean };
  /** Removes all values. */
  "data.clear": { args: Record<never, never>; order: []; returns: boolean };
  /** Replaces all values with a map. */
  "data.dump": { args: { new_data: unknown }; order: ["new_data"]; returns: boolean };
  /** A value, or for a list of names a list of values. */
  "data.get": { args: { key: string; default?: unknown }; order: ["key", "default"]; returns: unknown };
  /** True if a value of this name exists. */
  "data.has_key": { args: { key: string }; order: ["key"]; returns: boolean };
  /** All values by name. */
  "data.items": { args: Record<never, never>; order: []; returns: unknown };
  /** The names of the values. */
  "data.keys": { args: Record<never, never>; order: []; returns: unknown[] };
  /** All values by name. */
  "data.load": { args: Record<never, never>; order: []; returns: unknown };
  /** Removes a value and returns it; `default` if it does not exist. */
  "data.pop": { args: { key: string; default?: unknown }; order: ["key", "default"]; returns: unknown };
  /** Sets one value. */
  "data.update": { args: { key: string; value: unknown }; order: ["key", "value"]; returns: boolean };
  /** The values without their names. */
  "data.values": { args: Record<never, never>; order: []; returns: unknown[] };
  /** The answers of all packages, each as question, type and value. */
  "debconf.get_selections": { args: { fetchempty?: boolean }; order: ["fetchempty"]; returns: Record<string, [string, string, string][]> };
  /** Answers a question of a package. */
  "debconf.set": { args: { package: string; question: string; type: string; value: unknown }; order: ["package", "question", "type", "value"]; rest: unknown[]; returns: true };
  /** Answers the questions of a file. */
  "debconf.set_file": { args: { path: string; saltenv?: string; [name: string]: unknown }; order: ["path", "saltenv"]; returns: boolean };
  /** Answers the questions of a file that is rendered first. */
  "debconf.set_template": { args: { path: string; template: unknown; context: unknown; defaults: unknown; saltenv?: string; [name: string]: unknown }; order: ["path", "template", "context", "defaults", "saltenv"]; returns: boolean };
  /** The answers of a package, each as question, type and value; null if there are none. */
  "debconf.show": { args: { name: string }; order: ["name"]; returns: [string, string, string][] | null };
  /** A deep copy of a value, which a template can change without changing the value. */
  "defaults.deepcopy": { args: { source: unknown }; order: ["source"]; returns: unknown };
  /** A default of a formula, from the file beside it on the file server. */
  "defaults.get": { args: { key: string; default?: unknown }; order: ["key", "default"]; returns: unknown };
  /** Merges a map into another; `merge_lists` joins lists instead of replacing them. The first map is changed, unless `in_place` is False. */
  "defaults.merge": { args: { dest: string; src: string; merge_lists?: boolean; in_place?: boolean; convert_none?: boolean }; order: ["dest", "src", "merge_lists", "in_place", "convert_none"]; returns: unknown };
  /** Merges each map of a map into the same defaults. The map is changed, unless `in_place` is False. */
  "defaults.update": { args: { dest: string; defaults: Record<string, unknown>; merge_lists?: boolean; in_place?: boolean; convert_none?: boolean }; order: ["dest", "defaults", "merge_lists", "in_place", "convert_none"]; returns: unknown };
  /** The IPv4 addresses of a host. */
  "dig.A": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The IPv6 addresses of a host. */
  "dig.AAAA": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The name that a host is an alias of. */
  "dig.CNAME": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string | unknown[] };
  /** The mail servers of a domain, each with its priority. */
  "dig.MX": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: unknown[][] };
  /** The addresses of the name servers of a domain. */
  "dig.NS": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: string[] };
  /** The names of an address. */
  "dig.PTR": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The addresses that may send mail of a domain. */
  "dig.SPF": { args: { domain: string; record?: string; nameserver?: string | null }; order: ["domain", "record", "nameserver"]; returns: string[] };
  /** The TXT records of a host. */
  "dig.TXT": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The IPv4 addresses of a host. */
  "dig.a": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The IPv6 addresses of a host. */
  "dig.aaaa": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** True for an IPv4 or IPv6 address, which may have a prefix length. */
  "dig.check_ip": { args: { addr: unknown }; order: ["addr"]; returns: boolean };
  /** The name that a host is an alias of. */
  "dig.cname": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string | unknown[] };
  /** The mail servers of a domain, each with its priority. */
  "dig.mx": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: unknown[][] };
  /** The addresses of the name servers of a domain. */
  "dig.ns": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: string[] };
  /** The names of an address. */
  "dig.ptr": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string[] };
  /** The addresses that may send mail of a domain. */
  "dig.spf": { args: { domain: string; record?: string; nameserver?: string | null }; order: ["domain", "record", "nameserver"]; returns: string[] };
  /** Labels and UUIDs of block devices: all, one, or those with a tag. */
  "disk.blkid": { args: { device?: string | null; token?: string | null }; order: ["device", "token"]; returns: Record<string, unknown> };
  /** The parameters of a block device, from blockdev. */
  "disk.dump": { args: { device: string; args?: string | string[] | null }; order: ["device", "args"]; returns: unknown };
  /** Creates a file system on a device. */
  "disk.format": { args: { device: string; fs_type?: string; inode_size?: number | null; lazy_itable_init?: boolean | null; fat?: unknown; force?: boolean }; order: ["device", "fs_type", "inode_size", "lazy_itable_init", "fat", "force"]; returns: boolean };
  /** The type of the file system on a device. */
  "disk.fstype": { args: { device: string }; order: ["device"]; returns: string };
  /** The type of the file system of a path. */
  "disk.get_fstype_from_path": { args: { path: string }; order: ["path"]; returns: string };
  /** Parameters of hard disks. */
  "disk.hdparms": { args: { disks: string | string[]; args?: string | string[] | null }; order: ["disks", "args"]; returns: Record<string, unknown> };
  /** The host protected area of hard disks; with a size, sets the visible sectors. */
  "disk.hpa": { args: { disks: string | string[]; size?: number | null }; order: ["disks", "size"]; returns: unknown };
  /** The inode usage of the mounted file systems. */
  "disk.inodeusage": { args: { args?: string | string[] | null }; order: ["args"]; returns: Record<string, { inodes: string; used: string; free: string; use: string; filesystem: string }> };
  /** The activity of disks, as the mean of several samples. */
  "disk.iostat": { args: { interval?: number; count?: number; disks?: string | string[] | null }; order: ["interval", "count", "disks"]; returns: Record<string, unknown> };
  /** The usage of each mounted file system, or of one, in percent. */
  "disk.percent": { args: { args?: string | string[] | null }; order: ["args"]; returns: Record<string, string> | string };
  /** Grows a file system to the size of its device; null if that failed. */
  "disk.resize2fs": { args: { device: string }; order: ["device"]; returns: true | null };
  /** The SMART attributes of a disk. */
  "disk.smart_attributes": { args: { dev: string; attributes?: string | null; values?: unknown }; order: ["dev", "attributes", "values"]; returns: unknown };
  /** Changes a block device: read-ahead, filesystem-read-ahead, read-only, read-write. */
  "disk.tune": { args: { device: string; [name: string]: unknown }; order: ["device"]; returns: unknown };
  /** The usage of the mounted file systems. Arguments are options of df. */
  "disk.usage": { args: { args?: string | string[] | null }; order: ["args"]; returns: Record<string, { filesystem: string; "1K-blocks": string; used: string; available: string; capacity: string }> };
  /** Wipes the file system signatures of a device. */
  "disk.wipe": { args: { device: string }; order: ["device"]; returns: boolean };
  /** The IPv4 addresses of a host. */
  "dnsutil.A": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string | string[] };
  /** The IPv6 addresses of a host. */
  "dnsutil.AAAA": { args: { host: string; nameserver?: string | null }; order: ["host", "nameserver"]; returns: string | string[] };
  /** The mail servers of a domain with their priorities. */
  "dnsutil.MX": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: unknown };
  /** The name servers of a domain, or with `resolve` their addresses. */
  "dnsutil.NS": { args: { domain: string; resolve?: boolean; nameserver?: string | null }; order: ["domain", "resolve", "nameserver"]; returns: unknown };
  /** The networks that may send mail for a domain (SPF). */
  "dnsutil.SPF": { args: { domain: string; record?: string; nameserver?: string | null }; order: ["domain", "record", "nameserver"]; returns: unknown };
  /** True for a valid IP address, with or without a prefix length. */
  "dnsutil.check_ip": { args: { ip_addr: string }; order: ["ip_addr"]; returns: unknown };
  /** Adds missing names of an address to a hosts file. */
  "dnsutil.hosts_append": { args: { hostsfile?: string; ip_addr?: string | null; entries?: unknown }; order: ["hostsfile", "ip_addr", "entries"]; returns: string };
  /** Removes names from a hosts file. */
  "dnsutil.hosts_remove": { args: { hostsfile?: string; entries?: unknown }; order: ["hostsfile", "entries"]; returns: null };
  /** The names of each address in a hosts file, or in a text. */
  "dnsutil.parse_hosts": { args: { hostsfile?: string; hosts?: unknown }; order: ["hostsfile", "hosts"]; returns: "Error: hosts data was not found" | Record<string, string[]> };
  /** The entries of a zone file, or of a text. */
  "dnsutil.parse_zone": { args: { zonefile?: string | null; zone?: string | null }; order: ["zonefile", "zone"]; returns: "Error: Zone data was not found" | Record<string, unknown> };
  /** A serial number for a zone file; `update` increments the one stored in a grain. */
  "dnsutil.serial": { args: { zone?: string; update?: boolean }; order: ["zone", "update"]; returns: unknown };
  /** Refused: it runs Salt by a Python in the container. */
  "docker.apply": { args: { name: string; mods?: string | string[] | null; [name: string]: unknown }; order: ["name", "mods"]; returns: unknown };
  /** Makes an image by a Dockerfile. */
  "docker.build": { args: { path?: string | null; repository?: string | null; tag?: unknown; cache?: boolean; rm?: boolean; api_response?: boolean; fileobj?: unknown; dockerfile?: string | null; buildargs?: Record<string, unknown> | null }; order: ["path", "repository", "tag", "cache", "rm", "api_response", "fileobj", "dockerfile", "buildargs"]; returns: Record<string, unknown> };
  /** Refused: it runs Salt by a Python in the container. */
  "docker.call": { args: { name: string; function: string; [name: string]: unknown }; order: ["name", "function"]; rest: unknown[]; returns: unknown };
  /** Makes an image of a container. */
  "docker.commit": { args: { name: string; repository: string; tag?: unknown; message?: string | null; author?: string | null }; order: ["name", "repository", "tag", "message", "author"]; returns: Record<string, unknown> };
  /** What differs between two containers. */
  "docker.compare_container": { args: { first: unknown; second: unknown; ignore?: unknown }; order: ["first", "second", "ignore"]; returns: Record<string, Record<string, { old: unknown; new: unknown }>> };
  /** What differs between the networks of two containers. */
  "docker.compare_container_networks": { args: { first: unknown; second: unknown }; order: ["first", "second"]; returns: Record<string, Record<string, { old: unknown; new: unknown }>> };
  /** What differs between two containers. */
  "docker.compare_containers": { args: { first: unknown; second: unknown; ignore?: unknown }; order: ["first", "second", "ignore"]; returns: Record<string, Record<string, { old: unknown; new: unknown }>> };
  /** What differs between two networks. */
  "docker.compare_networks": { args: { first: unknown; second: unknown; ignore?: string }; order: ["first", "second", "ignore"]; returns: Record<string, unknown> };
  /** Puts a container into a network: ipv4_address, ipv6_address, aliases, links, link_local_ips. */
  "docker.connect_container_to_network": { args: { container: string; net_id: string; [name: string]: unknown }; order: ["container", "net_id"]; returns: true };
  /** The names of the containers in a network; with `verbose` what is known of each there. */
  "docker.connected": { args: { name: string; verbose?: boolean }; order: ["name", "verbose"]; returns: Record<string, Record<string, unknown>> | string[] };
  /** Copies a file of a container to this host. */
  "docker.copy_from": { args: { name: string; source: unknown; dest: string; overwrite?: boolean; makedirs?: boolean }; order: ["name", "source", "dest", "overwrite", "makedirs"]; returns: boolean };
  /** Copies a file of this host, or of the master, into a container. */
  "docker.copy_to": { args: { name: string; source: unknown; dest: string; exec_driver?: string | null; overwrite?: boolean; makedirs?: boolean }; order: ["name", "source", "dest", "exec_driver", "overwrite", "makedirs"]; returns: boolean };
  /** Copies a file of a container to this host. */
  "docker.cp": { args: { name: string; source: unknown; dest: string; overwrite?: boolean; makedirs?: boolean }; order: ["name", "source", "dest", "overwrite", "makedirs"]; returns: boolean };
  /** Makes a container. */
  "docker.create": { args: { image: string; name?: string | null; start?: number | string; skip_translate?: unknown; ignore_collisions?: boolean; validate_ip_addrs?: boolean; client_timeout?: number; [name: string]: unknown }; order: ["image", "name", "start", "skip_translate", "ignore_collisions", "validate_ip_addrs", "client_timeout"]; returns: Record<string, unknown> };
  /** Makes a network: driver, driver_opts, internal, labels, enable_ipv6, attachable, ingress, subnet, gateway, ip_range, aux_address, ipam_driver, ipam_opts, ipam_pools. */
  "docker.create_network": { args: { name: string; skip_translate?: unknown; ignore_collisions?: boolean; validate_ip_addrs?: boolean; client_timeout?: number; [name: string]: unknown }; order: ["name", "skip_translate", "ignore_collisions", "validate_ip_addrs", "client_timeout"]; returns: unknown };
  /** Makes a volume. */
  "docker.create_volume": { args: { name: string; driver?: string | null; driver_opts?: Record<string, unknown> | null }; order: ["name", "driver", "driver_opts"]; returns: unknown };
  /** The images without a name that no other needs; with `prune` they are removed. */
  "docker.dangling": { args: { prune?: boolean; force?: boolean }; order: ["prune", "force"]; returns: unknown };
  /** The containers and images that need an image. */
  "docker.depends": { args: { name: string }; order: ["name"]; returns: { Containers: string[]; Images: string[] } };
  /** What changed in a container since it was made. */
  "docker.diff": { args: { name: string }; order: ["name"]; returns: Record<string, string[]> };
  /** Takes all containers out of a network. */
  "docker.disconnect_all_containers_from_network": { args: { network_id: string }; order: ["network_id"]; returns: string[] };
  /** Takes a container out of a network. */
  "docker.disconnect_container_from_network": { args: { container: string; network_id: string }; order: ["container", "network_id"]; returns: true };
  /** Whether there is such a container. */
  "docker.exists": { args: { name: string }; order: ["name"]; returns: boolean };
  /** Writes the files of a container into an archive. */
  "docker.export": { args: { name: string; path: string; overwrite?: boolean; makedirs?: boolean; compression?: string | null; [name: string]: unknown }; order: ["name", "path", "overwrite", "makedirs", "compression"]; returns: Record<string, unknown> };
  /** Pauses a container. */
  "docker.freeze": { args: { name: string }; order: ["name"]; returns: unknown };
  /** The options that docker.create takes. */
  "docker.get_client_args": { args: { limit?: number | null }; order: ["limit"]; returns: { create_container: string[] } };
  /** Refused: it runs Salt by a Python in the container. */
  "docker.highstate": { args: { name: string; saltenv?: string; [name: string]: unknown }; order: ["name", "saltenv"]; returns: unknown };
  /** The steps by which an image was made. */
  "docker.history": { args: { name: string; quiet?: boolean }; order: ["name", "quiet"]; returns: unknown[] };
  /** The images by id: those with names, with `all` every one. */
  "docker.images": { args: { verbose?: boolean; [name: string]: unknown }; order: ["verbose"]; returns: Record<string, Record<string, unknown>> };
  /** Makes an image of an archive of files. */
  "docker.import": { args: { source: unknown; repository: string; tag?: unknown; api_response?: boolean }; order: ["source", "repository", "tag", "api_response"]; returns: Record<string, unknown> };
  /** What the daemon says of itself. */
  "docker.info": { args: Record<never, never>; order: []; returns: unknown };
  /** All that is known of a container, image, volume or network. */
  "docker.inspect": { args: { name: string }; order: ["name"]; returns: Record<string, unknown> };
  /** All that is known of a container. */
  "docker.inspect_container": { args: { name: string }; order: ["name"]; returns: Record<string, unknown> };
  /** All that is known of an image. */
  "docker.inspect_image": { args: { name: string }; order: ["name"]; returns: Record<string, unknown> };
  /** All that is known of a network. */
  "docker.inspect_network": { args: { network_id: string }; order: ["network_id"]; returns: Record<string, unknown> };
  /** All that is known of a volume. */
  "docker.inspect_volume": { args: { name: string }; order: ["name"]; returns: Record<string, unknown> };
  /** Kills a container. */
  "docker.kill": { args: { name: string }; order: ["name"]; returns: { result: boolean; state: { old: string; new: string | null }; comment?: string; restarted?: boolean } };
  /** The ids of an image's layers. */
  "docker.layers": { args: { name: string }; order: ["name"]; returns: string[] };
  /** The names of containers: of those that run, with `all` of every one. */
  "docker.list_containers": { args: { [name: string]: unknown }; order: []; returns: string[] };
  /** The names of all images. */
  "docker.list_tags": { args: Record<never, never>; order: []; returns: string[] };
  /** Takes images from an archive. */
  "docker.load": { args: { path: string; repository?: string | null; tag?: unknown }; order: ["path", "repository", "tag"]; returns: Record<string, unknown> };
  /** Signs in to registries as configuration and pillar say (`docker-registries`). */
  "docker.login": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Signs out of registries. */
  "docker.logout": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** What a container printed: stdout, stderr, timestamps, tail, since, until, follow. */
  "docker.logs": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: string };
  /** The networks. */
  "docker.networks": { args: { names?: string | string[] | null; ids?: string | string[] | null }; order: ["names", "ids"]; returns: Record<string, unknown>[] };
  /** Pauses a container. */
  "docker.pause": { args: { name: string }; order: ["name"]; returns: unknown };
  /** The process of a container. */
  "docker.pid": { args: { name: string }; order: ["name"]; returns: unknown };
  /** Where ports of a container are on the host; by name for a glob. */
  "docker.port": { args: { name: string; private_port?: number | null }; order: ["name", "private_port"]; returns: unknown };
  /** Removes what is not used: what is named, else all but volumes. */
  "docker.prune": { args: { containers?: boolean; networks?: boolean; images?: boolean; build?: unknown; volumes?: boolean; system?: unknown; [name: string]: unknown }; order: ["containers", "networks", "images", "build", "volumes", "system"]; returns: Record<string, unknown> };
  /** The containers by id: those that run, with `all` every one, with `verbose` all that is known of each, with `host` the interfaces of this host, too. */
  "docker.ps": { args: { filters?: unknown; [name: string]: unknown }; order: ["filters"]; returns: Record<string, Record<string, unknown>> };
  /** Fetches an image. */
  "docker.pull": { args: { image: string; insecure_registry?: boolean; api_response?: boolean; client_timeout?: number }; order: ["image", "insecure_registry", "api_response", "client_timeout"]; returns: Record<string, unknown> };
  /** Sends an image to its registry. */
  "docker.push": { args: { image: string; insecure_registry?: boolean; api_response?: boolean; client_timeout?: number }; order: ["image", "insecure_registry", "api_response", "client_timeout"]; returns: Record<string, unknown> };
  /** Removes a network. */
  "docker.remove_network": { args: { network_id: string }; order: ["network_id"]; returns: boolean };
  /** Removes a volume. */
  "docker.remove_volume": { args: { name: string }; order: ["name"]; returns: boolean };
  /** Renames a container. */
  "docker.rename": { args: { name: string; new_name: string }; order: ["name", "new_name"]; returns: boolean };
  /** The id of an image; false if there is none. */
  "docker.resolve_image_id": { args: { name: string }; order: ["name"]; returns: false | string };
  /** The first name of an image, with `all` each; false if there is none. */
  "docker.resolve_tag": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: unknown };
  /** Stops a container and starts it again. */
  "docker.restart": { args: { name: string; timeout?: unknown }; order: ["name", "timeout"]; returns: { result: boolean; state: { old: string; new: string | null }; comment?: string; restarted?: boolean } };
  /** Runs a command in a container: its code. It has no shell unless it names one. */
  "docker.retcode": { args: { name: string; cmd: string | string[]; exec_driver?: string | null; stdin?: string | null; python_shell?: boolean; output_loglevel?: string; use_vt?: boolean; ignore_retcode?: boolean; keep_env?: boolean | null }; order: ["name", "cmd", "exec_driver", "stdin", "python_shell", "output_loglevel", "use_vt", "ignore_retcode", "keep_env"]; returns: number };
  /** Removes a container; with `stop` it is stopped before, within `timeout` seconds. */
  "docker.rm": { args: { name: string; force?: boolean; volumes?: boolean; [name: string]: unknown }; order: ["name", "force", "volumes"]; returns: string[] };
  /** Removes images; with `force` even if they are used, with `prune=False` without those that they are made of. */
  "docker.rmi": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Runs a command in a container: what it prints. It has no shell unless it names one. */
  "docker.run": { args: { name: string; cmd: string | string[]; exec_driver?: string | null; stdin?: string | null; python_shell?: boolean; output_loglevel?: string; use_vt?: boolean; ignore_retcode?: boolean; keep_env?: boolean | null }; order: ["name", "cmd", "exec_driver", "stdin", "python_shell", "output_loglevel", "use_vt", "ignore_retcode", "keep_env"]; returns: string };
  /** Runs a command in a container: all that is known of it. It has no shell unless it names one. */
  "docker.run_all": { args: { name: string; cmd: string | string[]; exec_driver?: string | null; stdin?: string | null; python_shell?: boolean; output_loglevel?: string; use_vt?: boolean; ignore_retcode?: boolean; keep_env?: boolean | null }; order: ["name", "cmd", "exec_driver", "stdin", "python_shell", "output_loglevel", "use_vt", "ignore_retcode", "keep_env"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Makes a container, runs it to its end and returns what it printed. */
  "docker.run_container": { args: { image: string; name?: string | null; skip_translate?: unknown; ignore_collisions?: boolean; validate_ip_addrs?: boolean; client_timeout?: number; bg?: boolean; replace?: boolean; force?: boolean; networks?: unknown; [name: string]: unknown }; order: ["image", "name", "skip_translate", "ignore_collisions", "validate_ip_addrs", "client_timeout", "bg", "replace", "force", "networks"]; returns: Record<string, unknown> };
  /** Runs a command in a container: its standard error. It has no shell unless it names one. */
  "docker.run_stderr": { args: { name: string; cmd: string | string[]; exec_driver?: string | null; stdin?: string | null; python_shell?: boolean; output_loglevel?: string; use_vt?: boolean; ignore_retcode?: boolean; keep_env?: boolean | null }; order: ["name", "cmd", "exec_driver", "stdin", "python_shell", "output_loglevel", "use_vt", "ignore_retcode", "keep_env"]; returns: string };
  /** Runs a command in a container: its standard output. It has no shell unless it names one. */
  "docker.run_stdout": { args: { name: string; cmd: string | string[]; exec_driver?: string | null; stdin?: string | null; python_shell?: boolean; output_loglevel?: string; use_vt?: boolean; ignore_retcode?: boolean; keep_env?: boolean | null }; order: ["name", "cmd", "exec_driver", "stdin", "python_shell", "output_loglevel", "use_vt", "ignore_retcode", "keep_env"]; returns: string };
  /** Writes an image into an archive. */
  "docker.save": { args: { name: string; path: string; overwrite?: boolean; makedirs?: boolean; compression?: string | null; [name: string]: unknown }; order: ["name", "path", "overwrite", "makedirs", "compression"]; returns: Record<string, unknown> };
  /** The images of the public registry that fit. */
  "docker.search": { args: { name: string; official?: boolean; trusted?: boolean }; order: ["name", "official", "trusted"]; returns: Record<string, Record<string, unknown>> };
  /** Sends a signal to the process of a container. */
  "docker.signal": { args: { name: string; signal: number | string }; order: ["name", "signal"]; returns: true };
  /** Refused: it runs Salt by a Python in the container. */
  "docker.sls": { args: { name: string; mods?: string | string[] | null; [name: string]: unknown }; order: ["name", "mods"]; returns: unknown };
  /** Refused: it runs Salt by a Python in the container. */
  "docker.sls_build": { args: { repository: string; tag?: unknown; base?: string; mods?: string | string[] | null; dryrun?: boolean; [name: string]: unknown }; order: ["repository", "tag", "base", "mods", "dryrun"]; returns: unknown };
  /** Starts a container. */
  "docker.start": { args: { name: string }; order: ["name"]; returns: { result: boolean; state: { old: string; new: string | null }; comment?: string; restarted?: boolean } };
  /** running, paused or stopped. */
  "docker.state": { args: { name: string }; order: ["name"]; returns: string };
  /** Stops a container; with `unpause` one that is paused, too. */
  "docker.stop": { args: { name: string; timeout?: unknown; [name: string]: unknown }; order: ["name", "timeout"]; returns: { result: boolean; state: { old: string; new: string | null }; comment?: string; restarted?: boolean } };
  /** Gives an image a name. */
  "docker.tag": { args: { name: string; repository: string; tag?: unknown; force?: boolean }; order: ["name", "repository", "tag", "force"]; returns: true };
  /** The processes of a container. */
  "docker.top": { args: { name: string }; order: ["name"]; returns: Record<string, string>[] };
  /** Lets a paused container go on. */
  "docker.unfreeze": { args: { name: string }; order: ["name"]; returns: unknown };
  /** Lets a paused container go on. */
  "docker.unpause": { args: { name: string }; order: ["name"]; returns: unknown };
  /** The version of Docker. */
  "docker.version": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** The volumes. */
  "docker.volumes": { args: { filters?: unknown }; order: ["filters"]; returns: unknown };
  /** Waits until a container stops. */
  "docker.wait": { args: { name: string; ignore_already_stopped?: boolean; fail_on_exit_status?: boolean }; order: ["name", "ignore_already_stopped", "fail_on_exit_status"]; returns: Record<string, unknown> };
  /** The value of a variable, or `default`. */
  "environ.get": { args: { key: string; default?: unknown }; order: ["key", "default"]; returns: unknown };
  /** True if the variable exists, and if its value equals `value`. */
  "environ.has_value": { args: { key: string; value?: unknown }; order: ["key", "value"]; returns: boolean };
  /** One variable or a list of them by name; `default` replaces those that are missing. */
  "environ.item": { args: { keys: string | string[]; default?: unknown }; order: ["keys", "default"]; returns: Record<string, unknown> };
  /** All variables. */
  "environ.items": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** Sets several variables from a map; with `clear_all` all others are emptied or removed. */
  "environ.setenv": { args: { environ: Record<string, unknown>; false_unsets?: boolean; clear_all?: boolean; update_minion?: boolean; permanent?: boolean }; order: ["environ", "false_unsets", "clear_all", "update_minion", "permanent"]; returns: Record<string, unknown> | false };
  /** Sets a variable to a text. False empties it, or with `false_unsets` removes it. */
  "environ.setval": { args: { key: string; val: unknown; false_unsets?: boolean; permanent?: boolean }; order: ["key", "val", "false_unsets", "permanent"]; returns: false | string | null };
  /** Fires an event on the bus of the minion. */
  "event.fire": { args: { data: unknown; tag: string }; order: ["data", "tag"]; returns: boolean };
  /** Fires an event on the bus of the master. */
  "event.fire_master": { args: { data: unknown; tag: string; preload?: unknown }; order: ["data", "tag", "preload"]; returns: boolean };
  /** Sends an event to the master: its data are the map and the keyword arguments, and what of the environment, the grains and the pillar is asked for, all of it or a list of names. A minion without a master fires it on its own bus. */
  "event.send": { args: { tag: string; data?: unknown; preload?: unknown; with_env?: boolean; with_grains?: boolean; with_pillar?: boolean; with_env_opts?: boolean; [name: string]: unknown }; order: ["tag", "data", "preload", "with_env", "with_grains", "with_pillar", "with_env_opts"]; returns: boolean };
  /** The parameters of a file system. */
  "extfs.attributes": { args: { device: string; args?: string | string[] | null }; order: ["device", "args"]; returns: Record<string, string | string[]> };
  /** The groups of blocks of a file system. */
  "extfs.blocks": { args: { device: string; args?: string | string[] | null }; order: ["device", "args"]; returns: Record<string, { group: string; range: string; extra: string[]; "free blocks"?: string[]; "free inodes"?: string[] }> };
  /** The parameters of a file system, and its groups of blocks. */
  "extfs.dump": { args: { device: string; args?: string | string[] | null }; order: ["device", "args"]; returns: { attributes: Record<string, string | string[]>; blocks: Record<string, { group: string; range: string; extra: string[]; "free blocks"?: string[]; "free inodes"?: string[] }> } };
  /** Makes a file system. WARNING: data on the device is lost. */
  "extfs.mkfs": { args: { device: string; fs_type: string; [name: string]: unknown }; order: ["device", "fs_type"]; returns: string[] };
  /** Changes parameters of a file system. */
  "extfs.tune": { args: { device: string; [name: string]: unknown }; order: ["device"]; returns: string[] };
  /** True if the minion may access a file: f (it exists), r, w or x. */
  "file.access": { args: { path: string; mode: number | string }; order: ["path", "mode"]; returns: boolean };
  /** Adds lines to the end of an existing file. */
  "file.append": { args: { path: string; [name: string]: unknown }; order: ["path"]; rest: unknown[]; returns: string };
  /** Renders a text as a template of Jinja. */
  "file.apply_template_on_contents": { args: { contents: unknown; template: unknown; context: Record<string, unknown>; defaults: Record<string, unknown>; saltenv: string }; order: ["contents", "template", "context", "defaults", "saltenv"]; returns: unknown };
  /** The last part of a path. */
  "file.basename": { args: { path: string }; order: ["path"]; returns: string };
  /** Replaces the lines between two marker lines; returns the changes. */
  "file.blockreplace": { args: { path: string; marker_start?: string; marker_end?: string; content?: string; append_if_not_found?: boolean; prepend_if_not_found?: boolean; backup?: boolean | string; dry_run?: boolean; show_changes?: boolean; append_newline?: boolean; insert_before_match?: unknown; insert_after_match?: unknown }; order: ["path", "marker_start", "marker_end", "content", "append_if_not_found", "prepend_if_not_found", "backup", "dry_run", "show_changes", "append_newline", "insert_before_match", "insert_after_match"]; returns: boolean | string };
  /** Adds attributes to files or removes them: operator=add or remove, attributes, flags, version. */
  "file.chattr": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: boolean };
  /** What setting the content, owner and mode of a file would change. */
  "file.check_file_meta": { args: { name: string; sfn: string; source: unknown; source_sum: unknown; user: number | string; group: number | string; mode: number | string; attrs: string; saltenv: string; contents?: unknown; seuser?: string | null; serole?: string | null; setype?: string | null; serange?: string | null; verify_ssl?: boolean; follow_symlinks?: boolean }; order: ["name", "sfn", "source", "source_sum", "user", "group", "mode", "attrs", "saltenv", "contents", "seuser", "serole", "setype", "serange", "verify_ssl", "follow_symlinks"]; returns: Record<string, unknown> };
  /** True if a file has a hash: <type>:<digits>, or digits alone; their number determines the type. */
  "file.check_hash": { args: { path: string; file_hash: string }; order: ["path", "file_hash"]; returns: boolean };
  /** Whether managing a file would change it. */
  "file.check_managed": { args: { name: string; source: unknown; source_hash: string; source_hash_name: string; user: number | string; group: number | string; mode: number | string; attrs: string; template: unknown; context: Record<string, unknown>; defaults: Record<string, unknown>; saltenv: string; contents?: unknown; skip_verify?: boolean; seuser?: string | null; serole?: string | null; setype?: string | null; serange?: string | null; follow_symlinks?: boolean; [name: string]: unknown }; order: ["name", "source", "source_hash", "source_hash_name", "user", "group", "mode", "attrs", "template", "context", "defaults", "saltenv", "contents", "skip_verify", "seuser", "serole", "setype", "serange", "follow_symlinks"]; returns: unknown[] };
  /** What managing a file would change. */
  "file.check_managed_changes": { args: { name: string; source: unknown; source_hash: string; source_hash_name: string; user: number | string; group: number | string; mode: number | string; attrs: string; template: unknown; context: Record<string, unknown>; defaults: Record<string, unknown>; saltenv: string; contents?: unknown; skip_verify?: boolean; keep_mode?: boolean; seuser?: string | null; serole?: string | null; setype?: string | null; serange?: string | null; verify_ssl?: boolean; follow_symlinks?: boolean; [name: string]: unknown }; order: ["name", "source", "source_hash", "source_hash_name", "user", "group", "mode", "attrs", "template", "context", "defaults", "saltenv", "contents", "skip_verify", "keep_mode", "seuser", "serole", "setype", "serange", "verify_ssl", "follow_symlinks"]; returns: unknown };
  /** Sets the owner and the mode of a file, and reports what changed. */
  "file.check_perms": { args: { name: string; ret: unknown; user: number | string; group: number | string; mode: number | string; attrs?: string | null; follow_symlinks?: boolean; seuser?: string | null; serole?: string | null; setype?: string | null; serange?: string | null }; order: ["name", "ret", "user", "group", "mode", "attrs", "follow_symlinks", "seuser", "serole", "setype", "serange"]; returns: Record<string, unknown>[] };
  /** Changes the group that owns a file. */
  "file.chgrp": { args: { path: string; group: number | string }; order: ["path", "group"]; returns: string | null };
  /** Changes the owner of a file; returns an error message if that fails. */
  "file.chown": { args: { path: string; user: number | string; group: number | string }; order: ["path", "user", "group"]; returns: string | null };
  /** Comments out the lines that a regular expression matches. */
  "file.comment": { args: { path: string; regex: string; char?: string; backup?: boolean | string }; order: ["path", "regex", "char", "backup"]; returns: false | string };
  /** Comments out the lines that a regular expression matches, or with cmnt=False removes the comment characters. */
  "file.comment_line": { args: { path: string; regex: string; char?: string; cmnt?: boolean; backup?: boolean | string }; order: ["path", "regex", "char", "cmnt", "backup"]; returns: false | string };
  /** True if a file contains a text; white space around the text is ignored. */
  "file.contains": { args: { path: string; text: string }; order: ["path", "text"]; returns: boolean };
  /** True if a shell pattern matches the whole content of a file. */
  "file.contains_glob": { args: { path: string; glob_expr: string }; order: ["path", "glob_expr"]; returns: boolean };
  /** True if a regular expression matches in a line; characters of `lchar` are first removed from the start of each line. */
  "file.contains_regex": { args: { path: string; regex: string; lchar?: string }; order: ["path", "regex", "lchar"]; returns: boolean };
  /** Copies a file, or with `recurse` a directory, which may exist at the destination. */
  "file.copy": { args: { src: string; dst: string; recurse?: boolean; remove_existing?: boolean }; order: ["src", "dst", "recurse", "remove_existing"]; returns: true };
  /** Deletes a backup of a file. */
  "file.delete_backup": { args: { path: string; backup_id: unknown }; order: ["path", "backup_id"]; returns: { result: boolean; comment: string } };
  /** True if the directory exists. */
  "file.directory_exists": { args: { path: string }; order: ["path"]; returns: boolean };
  /** A path without its last part. */
  "file.dirname": { args: { path: string }; order: ["path"]; returns: string };
  /** The bytes of all files below a directory. */
  "file.diskusage": { args: { path: string }; order: ["path"]; returns: number };
  /** The entry for a file in a file of hashes. */
  "file.extract_hash": { args: { hash_fn: string; hash_type?: string; file_name?: string; source?: string; source_hash_name?: string | null }; order: ["hash_fn", "hash_type", "file_name", "source", "source_hash_name"]; returns: { hash_type: string; hsum: string } | null };
  /** True if there is a file. */
  "file.file_exists": { args: { path: string }; order: ["path"]; returns: boolean };
  /** Finds files below a path, which may be a glob. Tests: name, iname, regex, iregex, type (bcdflps), owner, group, size (+5k, -1m), mtime (-1d, 2w), grep, mindepth, maxdepth. Actions: print (name, path, size, type, mode, mtime, user, group, md5), delete (types), exec (a command with {}). */
  "file.find": { args: { path: string; [name: string]: unknown }; order: ["path"]; rest: unknown[]; returns: unknown };
  /** Major and minor number of a device. */
  "file.get_devmm": { args: { name: string }; order: ["name"]; returns: number[] };
  /** The differences between two files as a unified diff. */
  "file.get_diff": { args: { file1: string; file2: string; saltenv?: string; show_filenames?: boolean; show_changes?: boolean; template?: unknown; source_hash_file1?: string | null; source_hash_file2?: string | null }; order: ["file1", "file2", "saltenv", "show_filenames", "show_changes", "template", "source_hash_file1", "source_hash_file2"]; returns: string };
  /** The id of the group that owns a file. */
  "file.get_gid": { args: { path: string; follow_symlinks?: boolean }; order: ["path", "follow_symlinks"]; returns: number };
  /** The group that owns a file. */
  "file.get_group": { args: { path: string; follow_symlinks?: boolean }; order: ["path", "follow_symlinks"]; returns: number | string };
  /** The hash of a file. */
  "file.get_hash": { args: { path: string; form?: string; chunk_size?: number }; order: ["path", "form", "chunk_size"]; returns: string };
  /** Fetches the content of a managed file; returns its path, its hash and an error message. */
  "file.get_managed": { args: { name: string; template: unknown; source: unknown; source_hash: string; source_hash_name: string; user: number | string; group: number | string; mode: number | string; attrs: string; saltenv: string; context: Record<string, unknown>; defaults: Record<string, unknown>; skip_verify?: boolean; verify_ssl?: boolean; use_etag?: boolean; [name: string]: unknown }; order: ["name", "template", "source", "source_hash", "source_hash_name", "user", "group", "mode", "attrs", "saltenv", "context", "defaults", "skip_verify", "verify_ssl", "use_etag"]; returns: (string | { hash_type?: string; hsum?: string })[] };
  /** The mode of a file. */
  "file.get_mode": { args: { path: string; follow_symlinks?: boolean }; order: ["path", "follow_symlinks"]; returns: string };
  /** The SELinux label of a file. */
  "file.get_selinux_context": { args: { path: string }; order: ["path"]; returns: string };
  /** The hash that a `source_hash` stands for: itself, or the entry for this file in a file of hashes. */
  "file.get_source_sum": { args: { file_name?: string; source?: string; source_hash?: string | null; source_hash_name?: string | null; saltenv?: string; verify_ssl?: boolean }; order: ["file_name", "source", "source_hash", "source_hash_name", "saltenv", "verify_ssl"]; returns: { hash_type: string; hsum: string } };
  /** The hash of a file, or `File not found`. */
  "file.get_sum": { args: { path: string; form?: string }; order: ["path", "form"]; returns: string };
  /** The id of the user that owns a file. */
  "file.get_uid": { args: { path: string; follow_symlinks?: boolean }; order: ["path", "follow_symlinks"]; returns: number };
  /** The user that owns a file. */
  "file.get_user": { args: { path: string; follow_symlinks?: boolean }; order: ["path", "follow_symlinks"]; returns: number | string };
  /** The name of the group with an id. */
  "file.gid_to_group": { args: { gid: number | string }; order: ["gid"]; returns: number | string };
  /** Runs grep on a file. Options of grep are separate arguments, after a double dash. */
  "file.grep": { args: { path: string; pattern: string }; order: ["path", "pattern"]; rest: unknown[]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** The id of a group. */
  "file.group_to_gid": { args: { group: number | string }; order: ["group"]; returns: "" | bigint | number };
  /** True for a block device. */
  "file.is_blkdev": { args: { name: string }; order: ["name"]; returns: boolean };
  /** True for a character device. */
  "file.is_chrdev": { args: { name: string }; order: ["name"]; returns: boolean };
  /** True for a named pipe. */
  "file.is_fifo": { args: { name: string }; order: ["name"]; returns: boolean };
  /** True for a file with more than one name. */
  "file.is_hardlink": { args: { path: string }; order: ["path"]; returns: boolean };
  /** True for a symbolic link. */
  "file.is_link": { args: { path: string }; order: ["path"]; returns: boolean };
  /** Parts of a path joined. */
  "file.join": { args: Record<never, never>; order: []; rest: unknown[]; returns: string };
  /** Changes the owner of a file; of a link, the owner of the link itself. */
  "file.lchown": { args: { path: string; user: number | string; group: number | string }; order: ["path", "user", "group"]; returns: null };
  /** Changes one line. Modes: ensure and insert, by `before`, `after` or `location` (start, end); replace and delete, by `match`. */
  "file.line": { args: { path: string; content?: string | null; match?: string | null; mode?: number | string | null; location?: string | null; before?: unknown; after?: string | null; show_changes?: boolean; backup?: boolean | string; quiet?: boolean; indent?: boolean }; order: ["path", "content", "match", "mode", "location", "before", "after", "show_changes", "backup", "quiet", "indent"]; returns: boolean | string };
  /** Creates a hard link to a file. */
  "file.link": { args: { src: string; path: string }; order: ["src", "path"]; returns: true };
  /** The same as file.list_backups. */
  "file.list_backup": { args: { path: string; limit?: number | null }; order: ["path", "limit"]; returns: unknown };
  /** The backups of a file that the minion has made, newest first. */
  "file.list_backups": { args: { path: string; limit?: number | null }; order: ["path", "limit"]; returns: unknown };
  /** The backups of the files in a directory that the minion has made. */
  "file.list_backups_dir": { args: { path: string; limit?: number | null }; order: ["path", "limit"]; returns: Record<string, unknown> };
  /** The attributes of a file on ext file systems. */
  "file.lsattr": { args: { path: string }; order: ["path"]; returns: Record<string, string[]> | null };
  /** The fields of lstat(2) of a file; links are not followed. */
  "file.lstat": { args: { path: string }; order: ["path"]; returns: Record<string, unknown> };
  /** Creates the parent directories of a path; its last part, too, if it ends with a slash. */
  "file.makedirs": { args: { path: string; user?: number | string | null; group?: number | string | null; mode?: number | string | null }; order: ["path", "user", "group", "mode"]; returns: string | null };
  /** Creates a directory and its parents, all with the given owner and mode. */
  "file.makedirs_perms": { args: { name: string; user?: number | string | null; group?: number | string | null; mode?: number | string }; order: ["name", "user", "group", "mode"]; returns: null };
  /** Sets the content, owner and mode of a file, and reports what changed. */
  "file.manage_file": { args: { name: string; sfn: string; ret: unknown; source: unknown; source_sum: unknown; user: number | string; group: number | string; mode: number | string; attrs: string; saltenv: string; backup: boolean | string; makedirs?: boolean; template?: unknown; show_changes?: boolean; contents?: unknown; dir_mode?: string | null; follow_symlinks?: boolean; skip_verify?: boolean; keep_mode?: boolean; encoding?: string | null; encoding_errors?: string; seuser?: string | null; serole?: string | null; setype?: string | null; serange?: string | null; verify_ssl?: boolean; use_etag?: boolean; [name: string]: unknown }; order: ["name", "sfn", "ret", "source", "source_sum", "user", "group", "mode", "attrs", "saltenv", "backup", "makedirs", "template", "show_changes", "contents", "dir_mode", "follow_symlinks", "skip_verify", "keep_mode", "encoding", "encoding_errors", "seuser", "serole", "setype", "serange", "verify_ssl", "use_etag"]; returns: { name: string; changes: Record<string, unknown>; comment: unknown; result: boolean | null; warnings?: string[] } };
  /** Creates a directory and its parents. */
  "file.mkdir": { args: { dir_path: string; user?: number | string | null; group?: number | string | null; mode?: number | string | null }; order: ["dir_path", "user", "group", "mode"]; returns: true };
  /** Creates a device (c or b) or a named pipe (p), and its parent directories. */
  "file.mknod": { args: { name: string; ntype: string; major?: number; minor?: number; user?: number | string | null; group?: number | string | null; mode?: number | string }; order: ["name", "ntype", "major", "minor", "user", "group", "mode"]; returns: unknown };
  /** Creates a block device. */
  "file.mknod_blkdev": { args: { name: string; major: number; minor: number; user?: number | string | null; group?: number | string | null; mode?: number | string }; order: ["name", "major", "minor", "user", "group", "mode"]; returns: { name: string; changes: Record<string, unknown>; comment: string; result: boolean | null } };
  /** Creates a character device. */
  "file.mknod_chrdev": { args: { name: string; major: number; minor: number; user?: number | string | null; group?: number | string | null; mode?: number | string }; order: ["name", "major", "minor", "user", "group", "mode"]; returns: { name: string; changes: Record<string, unknown>; comment: string; result: boolean | null } };
  /** Creates a named pipe. */
  "file.mknod_fifo": { args: { name: string; user?: number | string | null; group?: number | string | null; mode?: number | string }; order: ["name", "user", "group", "mode"]; returns: { name: string; changes: Record<string, unknown>; comment: string; result: boolean | null } };
  /** Moves a file or directory, also to another file system. */
  "file.move": { args: { src: string; dst: string; disallow_copy_and_unlink?: boolean }; order: ["src", "dst", "disallow_copy_and_unlink"]; returns: unknown };
  /** A path without dots and doubled slashes. */
  "file.normpath": { args: { path: string }; order: ["path"]; returns: string };
  /** The open files with the processes that have them open; with `by_pid` the processes with their open files. */
  "file.open_files": { args: { by_pid?: boolean }; order: ["by_pid"]; returns: unknown };
  /** The name of the directory above. */
  "file.pardir": { args: Record<never, never>; order: []; returns: string };
  /** Applies a patch to a file or directory with the program patch. */
  "file.patch": { args: { originalfile: string; patchfile: string; options?: string; dry_run?: boolean }; order: ["originalfile", "patchfile", "options", "dry_run"]; returns: unknown };
  /** True if a shell pattern matches at least one path. */
  "file.path_exists_glob": { args: { path: string }; order: ["path"]; returns: boolean };
  /** Adds lines to the start of an existing file. */
  "file.prepend": { args: { path: string; [name: string]: unknown }; order: ["path"]; rest: unknown[]; returns: string };
  /** Replaces the matches of a regular expression without the program sed. file.replace can do more. */
  "file.psed": { args: { path: string; before: unknown; after: string; limit?: number; backup?: boolean | string; flags?: string; escape_all?: boolean; multi?: boolean }; order: ["path", "before", "after", "limit", "backup", "flags", "escape_all", "multi"]; returns: null };
  /** The text of a file, or its bytes with `binary`. */
  "file.read": { args: { path: string; binary?: boolean }; order: ["path", "binary"]; returns: Uint8Array | string };
  /** The names in a directory, itself and the one above it among them. */
  "file.readdir": { args: { path: string }; order: ["path"]; returns: string[] };
  /** The target of a symbolic link; with `canonicalize`, after following every link. */
  "file.readlink": { args: { path: string; canonicalize?: boolean }; order: ["path", "canonicalize"]; returns: string };
  /** Removes a file, or a directory with all below it. */
  "file.remove": { args: { path: string; [name: string]: unknown }; order: ["path"]; returns: boolean };
  /** The same as file.delete_backup. */
  "file.remove_backup": { args: { path: string; backup_id: unknown }; order: ["path", "backup_id"]; returns: { result: boolean; comment: string } };
  /** Renames a file or directory within its file system. */
  "file.rename": { args: { src: string; dst: string }; order: ["src", "dst"]; returns: true };
  /** Replaces the matches of a regular expression; returns the changes. \1 and \g<name> stand for its groups. */
  "file.replace": { args: { path: string; pattern: string; repl: string; count?: number; flags?: number; bufsize?: number; append_if_not_found?: boolean; prepend_if_not_found?: boolean; not_found_content?: string | null; backup?: boolean | string; dry_run?: boolean; search_only?: boolean; show_changes?: boolean; ignore_if_missing?: boolean; preserve_inode?: boolean; backslash_literal?: boolean; encoding?: string | null }; order: ["path", "pattern", "repl", "count", "flags", "bufsize", "append_if_not_found", "prepend_if_not_found", "not_found_content", "backup", "dry_run", "search_only", "show_changes", "ignore_if_missing", "preserve_inode", "backslash_literal", "encoding"]; returns: boolean | string };
  /** Restores a file from a backup. */
  "file.restore_backup": { args: { path: string; backup_id: unknown }; order: ["path", "backup_id"]; returns: { result: boolean; comment: string } };
  /** Restores the SELinux label that the policy defines for a file. */
  "file.restorecon": { args: { path: string; recursive?: boolean }; order: ["path", "recursive"]; returns: boolean };
  /** Removes an empty directory; with `recurse` also the empty ones below it. `older_than`: only if unchanged for as many days. */
  "file.rmdir": { args: { path: string; recurse?: boolean; verbose?: boolean; older_than?: number | string | null }; order: ["path", "recurse", "verbose", "older_than"]; returns: unknown };
  /** True if a regular expression matches in a file. */
  "file.search": { args: { path: string; pattern: string; flags?: number; bufsize?: number; ignore_if_missing?: boolean; multiline?: boolean }; order: ["path", "pattern", "flags", "bufsize", "ignore_if_missing", "multiline"]; returns: boolean | string };
  /** Replaces text in a file with the program sed. */
  "file.sed": { args: { path: string; before: unknown; after: string; limit?: number; backup?: boolean | string; options?: string; flags?: string; escape_all?: boolean; negate_match?: boolean }; order: ["path", "before", "after", "limit", "backup", "options", "flags", "escape_all", "negate_match"]; returns: unknown };
  /** True if the program sed finds a regular expression in a file. */
  "file.sed_contains": { args: { path: string; text: string; limit?: number; flags?: string }; order: ["path", "text", "limit", "flags"]; returns: boolean };
  /** Reads bytes from an offset of a file. */
  "file.seek_read": { args: { path: string; size: number; offset: number }; order: ["path", "size", "offset"]; returns: Uint8Array };
  /** Writes at an offset of a file; returns the number of bytes. */
  "file.seek_write": { args: { path: string; data: unknown; offset: number }; order: ["path", "data", "offset"]; returns: number };
  /** Sets the mode of a file. */
  "file.set_mode": { args: { path: string; mode: number | string }; order: ["path", "mode"]; returns: string };
  /** Sets parts of the SELinux label of a file. */
  "file.set_selinux_context": { args: { path: string; user?: number | string | null; role?: string | null; type?: string | null; range?: number | null; persist?: boolean }; order: ["path", "user", "role", "type", "range", "persist"]; returns: boolean | string };
  /** The first of several sources that exists, with its hash. */
  "file.source_list": { args: { source: unknown; source_hash: string; saltenv: string }; order: ["source", "source_hash", "saltenv"]; returns: unknown[] };
  /** Owner, times, size, mode and type of a file; with `hash_type` also its hash. */
  "file.stats": { args: { path: string; hash_type?: string | null; follow_symlinks?: boolean }; order: ["path", "hash_type", "follow_symlinks"]; returns: { inode: number; uid: number; gid: number; group: number | string; user: number | string; atime: unknown; mtime: unknown; ctime: unknown; size: number; mode: string; sum?: string; type: string; target: string } };
  /** The state of the file system that a path is on. */
  "file.statvfs": { args: { path: string }; order: ["path"]; returns: Record<string, number> };
  /** Creates a symbolic link. `force` replaces an existing file, `atomic` does so in one step. */
  "file.symlink": { args: { src: string; path: string; force?: boolean; atomic?: boolean }; order: ["src", "path", "force", "atomic"]; returns: true };
  /** Creates a file, or sets the times of an existing one: to now, or to seconds since 1970. */
  "file.touch": { args: { name: string; atime?: unknown; mtime?: unknown }; order: ["name", "atime", "mtime"]; returns: boolean };
  /** Truncates a file to a number of bytes. */
  "file.truncate": { args: { path: string; length: number }; order: ["path", "length"]; returns: null };
  /** The name of the user with an id. */
  "file.uid_to_user": { args: { uid: number | string }; order: ["uid"]; returns: number | string };
  /** Removes the comment character from the lines that a regular expression matches. */
  "file.uncomment": { args: { path: string; regex: string; char?: string; backup?: boolean | string }; order: ["path", "regex", "char", "backup"]; returns: false | string };
  /** The id of a user. */
  "file.user_to_uid": { args: { user: number | string }; order: ["user"]; returns: "" | bigint | number };
  /** Replaces the content of a file with lines: one per argument, or a list in `args`. */
  "file.write": { args: { path: string; [name: string]: unknown }; order: ["path"]; rest: unknown[]; returns: string };
  /** Puts an interface into a zone. */
  "firewalld.add_interface": { args: { zone: string; interface: string; permanent?: boolean }; order: ["zone", "interface", "permanent"]; returns: string };
  /** Makes a zone masquerade. */
  "firewalld.add_masquerade": { args: { zone?: string | null; permanent?: boolean }; order: ["zone", "permanent"]; returns: string };
  /** Opens a port in a zone. */
  "firewalld.add_port": { args: { zone: string; port: number | string; permanent?: boolean; force_masquerade?: boolean }; order: ["zone", "port", "permanent", "force_masquerade"]; returns: string };
  /** Forwards a port. */
  "firewalld.add_port_fwd": { args: { zone: string; src: string; dest: string; proto?: string; dstaddr?: string; permanent?: boolean; force_masquerade?: boolean }; order: ["zone", "src", "dest", "proto", "dstaddr", "permanent", "force_masquerade"]; returns: string };
  /** Adds a rule to a zone. */
  "firewalld.add_rich_rule": { args: { zone: string; rule: unknown; permanent?: boolean }; order: ["zone", "rule", "permanent"]; returns: string };
  /** Adds a service to a zone. */
  "firewalld.add_service": { args: { service: string; zone?: string | null; permanent?: boolean }; order: ["service", "zone", "permanent"]; returns: string };
  /** Adds a port to a service. */
  "firewalld.add_service_port": { args: { service: string; port: number | string }; order: ["service", "port"]; returns: string };
  /** Adds a protocol to a service. */
  "firewalld.add_service_protocol": { args: { service: string; protocol: string }; order: ["service", "protocol"]; returns: string };
  /** Makes a zone be for addresses. */
  "firewalld.add_source": { args: { zone: string; source: unknown; permanent?: boolean }; order: ["zone", "source", "permanent"]; returns: string };
  /** Blocks a kind of ICMP in a zone no longer; false if there is no such kind. */
  "firewalld.allow_icmp": { args: { zone: string; icmp: string; permanent?: boolean }; order: ["zone", "icmp", "permanent"]; returns: unknown };
  /** Blocks a kind of ICMP in a zone; false if there is no such kind. */
  "firewalld.block_icmp": { args: { zone: string; icmp: string; permanent?: boolean }; order: ["zone", "icmp", "permanent"]; returns: unknown };
  /** The zone of interfaces that are in no other. */
  "firewalld.default_zone": { args: Record<never, never>; order: []; returns: string };
  /** Deletes a service. */
  "firewalld.delete_service": { args: { name: string; restart?: boolean }; order: ["name", "restart"]; returns: string };
  /** Deletes a zone. */
  "firewalld.delete_zone": { args: { zone: string; restart?: boolean }; order: ["zone", "restart"]; returns: string };
  /** The kinds of ICMP. */
  "firewalld.get_icmp_types": { args: { permanent?: boolean }; order: ["permanent"]; returns: string[] };
  /** The interfaces of a zone. */
  "firewalld.get_interfaces": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** True if a zone masquerades. */
  "firewalld.get_masquerade": { args: { zone?: string | null; permanent?: boolean }; order: ["zone", "permanent"]; returns: boolean };
  /** The rules of a zone in firewalld's own language. */
  "firewalld.get_rich_rules": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** The ports of a service. */
  "firewalld.get_service_ports": { args: { service: string }; order: ["service"]; returns: string[] };
  /** The protocols of a service. */
  "firewalld.get_service_protocols": { args: { service: string }; order: ["service"]; returns: string[] };
  /** The names of the services. */
  "firewalld.get_services": { args: { permanent?: boolean }; order: ["permanent"]; returns: string[] };
  /** The addresses that a zone is for. */
  "firewalld.get_sources": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** The names of the zones. */
  "firewalld.get_zones": { args: { permanent?: boolean }; order: ["permanent"]; returns: string[] };
  /** A zone with what is in it. */
  "firewalld.list_all": { args: { zone?: string | null; permanent?: boolean }; order: ["zone", "permanent"]; returns: Record<string, Record<string, string[]>> };
  /** The kinds of ICMP that a zone blocks. */
  "firewalld.list_icmp_block": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** The ports that a zone forwards. */
  "firewalld.list_port_fwd": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: { "Source port": string; Protocol: string; "Destination port": string; "Destination address": string }[] };
  /** The ports that are open in a zone. */
  "firewalld.list_ports": { args: { zone: string; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** The services of a zone. */
  "firewalld.list_services": { args: { zone?: string | null; permanent?: boolean }; order: ["zone", "permanent"]; returns: string[] };
  /** All zones with what is in them. */
  "firewalld.list_zones": { args: { permanent?: boolean }; order: ["permanent"]; returns: Record<string, Record<string, string[]>> };
  /** Makes what holds now the configuration. */
  "firewalld.make_permanent": { args: Record<never, never>; order: []; returns: string };
  /** Makes a service. */
  "firewalld.new_service": { args: { name: string; restart?: boolean }; order: ["name", "restart"]; returns: string };
  /** Makes a zone. */
  "firewalld.new_zone": { args: { zone: string; restart?: boolean }; order: ["zone", "restart"]; returns: string };
  /** Makes the configuration hold now; what was not permanent is gone. */
  "firewalld.reload_rules": { args: Record<never, never>; order: []; returns: string };
  /** Takes an interface from a zone. */
  "firewalld.remove_interface": { args: { zone: string; interface: string; permanent?: boolean }; order: ["zone", "interface", "permanent"]; returns: string };
  /** Makes a zone masquerade no longer. */
  "firewalld.remove_masquerade": { args: { zone?: string | null; permanent?: boolean }; order: ["zone", "permanent"]; returns: string };
  /** Closes a port in a zone. */
  "firewalld.remove_port": { args: { zone: string; port: number | string; permanent?: boolean }; order: ["zone", "port", "permanent"]; returns: string };
  /** Forwards a port no longer. */
  "firewalld.remove_port_fwd": { args: { zone: string; src: string; dest: string; proto?: string; dstaddr?: string; permanent?: boolean }; order: ["zone", "src", "dest", "proto", "dstaddr", "permanent"]; returns: string };
  /** Removes a rule from a zone. */
  "firewalld.remove_rich_rule": { args: { zone: string; rule: unknown; permanent?: boolean }; order: ["zone", "rule", "permanent"]; returns: string };
  /** Removes a service from a zone. */
  "firewalld.remove_service": { args: { service: string; zone?: string | null; permanent?: boolean }; order: ["service", "zone", "permanent"]; returns: string };
  /** Removes a port from a service. */
  "firewalld.remove_service_port": { args: { service: string; port: number | string }; order: ["service", "port"]; returns: string };
  /** Removes a protocol from a service. */
  "firewalld.remove_service_protocol": { args: { service: string; protocol: string }; order: ["service", "protocol"]; returns: string };
  /** Makes a zone be for addresses no longer. */
  "firewalld.remove_source": { args: { zone: string; source: unknown; permanent?: boolean }; order: ["zone", "source", "permanent"]; returns: string };
  /** Sets the default zone. */
  "firewalld.set_default_zone": { args: { zone: string }; order: ["zone"]; returns: string };
  /** The version of firewalld. */
  "firewalld.version": { args: Record<never, never>; order: []; returns: string };
  /** Installs gems. */
  "gem.install": { args: { gems: string | string[]; ruby?: string | null; gem_bin?: string | null; runas?: string | null; version?: unknown; rdoc?: boolean; ri?: boolean; pre_releases?: boolean; proxy?: unknown; source?: unknown }; order: ["gems", "ruby", "gem_bin", "runas", "version", "rdoc", "ri", "pre_releases", "proxy", "source"]; returns: string };
  /** The installed gems, each with its versions. */
  "gem.list": { args: { prefix?: string; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["prefix", "ruby", "runas", "gem_bin"]; returns: Record<string, string[]> };
  /** The gems that there are newer versions of. */
  "gem.list_upgrades": { args: { ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["ruby", "runas", "gem_bin"]; returns: Record<string, string> };
  /** Adds an address of gems. */
  "gem.sources_add": { args: { source_uri: string; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["source_uri", "ruby", "runas", "gem_bin"]; returns: string };
  /** The addresses of gems. */
  "gem.sources_list": { args: { ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["ruby", "runas", "gem_bin"]; returns: string[] };
  /** Removes an address of gems. */
  "gem.sources_remove": { args: { source_uri: string; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["source_uri", "ruby", "runas", "gem_bin"]; returns: string };
  /** Removes gems. */
  "gem.uninstall": { args: { gems: string | string[]; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["gems", "ruby", "runas", "gem_bin"]; returns: string };
  /** Upgrades gems. */
  "gem.update": { args: { gems: string | string[]; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["gems", "ruby", "runas", "gem_bin"]; returns: string };
  /** Upgrades gem itself. */
  "gem.update_system": { args: { version?: string; ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["version", "ruby", "runas", "gem_bin"]; returns: string };
  /** The version of gem. */
  "gem.version": { args: { ruby?: string | null; runas?: string | null; gem_bin?: string | null }; order: ["ruby", "runas", "gem_bin"]; returns: Record<string, never> | string };
  /** Adds a file to the index. */
  "git.add": { args: { cwd: string; filename: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "filename", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Exports a revision of a repository as an archive; `format` may be tar or zip. */
  "git.archive": { args: { cwd: string; output: string; rev?: string; prefix?: string | null; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "output", "rev", "prefix", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: boolean };
  /** Creates a branch; `opts` may ask for another action, such as -d. */
  "git.branch": { args: { cwd: string; name?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "name", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: boolean };
  /** Checks out a branch, tag or commit. */
  "git.checkout": { args: { cwd: string; rev?: string | null; force?: boolean; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "rev", "force", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Clones a repository into a directory, or with `name` into one below it. */
  "git.clone": { args: { cwd: string; url?: string | null; name?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; https_user?: string | null; https_pass?: string | null; ignore_retcode?: boolean; saltenv?: string; output_encoding?: string | null }; order: ["cwd", "url", "name", "opts", "git_opts", "user", "password", "identity", "https_user", "https_pass", "ignore_retcode", "saltenv", "output_encoding"]; returns: true };
  /** Commits what was added, or a file. */
  "git.commit": { args: { cwd: string; message: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; filename?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "message", "opts", "git_opts", "user", "password", "filename", "ignore_retcode", "output_encoding"]; returns: string };
  /** A value of the configuration; `all` returns every value, `global` reads the user's configuration. */
  "git.config_get": { args: { key: string; cwd?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["key", "cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: unknown };
  /** The same as git.config_get_regexp. */
  "git.config_get_regex": { args: { key: string; value_regex?: string | null; cwd?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["key", "value_regex", "cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: Record<string, string[]> };
  /** Values of the configuration whose names match a regular expression. */
  "git.config_get_regexp": { args: { key: string; value_regex?: string | null; cwd?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["key", "value_regex", "cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: Record<string, string[]> };
  /** Sets one or several values of the configuration; `add` keeps the others, `global` writes the user's configuration. */
  "git.config_set": { args: { key: string; value?: unknown; multivar?: unknown; cwd?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["key", "value", "multivar", "cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: unknown };
  /** Removes a value from the configuration; `all` removes every value of that name. */
  "git.config_unset": { args: { key: string; value_regex?: string | null; cwd?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["key", "value_regex", "cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: true };
  /** The branch that is checked out. */
  "git.current_branch": { args: { cwd: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Describes a commit by the last tag before it. */
  "git.describe": { args: { cwd: string; rev?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "rev", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** The changes between two revisions, or in the work tree. */
  "git.diff": { args: { cwd: string; item1?: string | null; item2?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; no_index?: boolean; cached?: boolean; paths?: string | string[] | null; output_encoding?: string | null }; order: ["cwd", "item1", "item2", "opts", "git_opts", "user", "password", "no_index", "cached", "paths", "output_encoding"]; returns: string };
  /** Discards changes of files in the work tree. */
  "git.discard_local_changes": { args: { cwd: string; path?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "path", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Fetches from a remote repository; returns what is new. */
  "git.fetch": { args: { cwd: string; remote?: string | null; force?: boolean; refspecs?: string | string[] | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; saltenv?: string; output_encoding?: string | null }; order: ["cwd", "remote", "force", "refspecs", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "saltenv", "output_encoding"]; returns: Record<string, unknown> };
  /** Creates a repository. */
  "git.init": { args: { cwd: string; bare?: boolean; template?: string | null; separate_git_dir?: string | null; shared?: unknown; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "bare", "template", "separate_git_dir", "shared", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** True for a linked work tree of a repository. */
  "git.is_worktree": { args: { cwd: string; user?: string | null; password?: string | null; output_encoding?: string | null }; order: ["cwd", "user", "password", "output_encoding"]; returns: boolean };
  /** The names of the branches, or of the remote ones. */
  "git.list_branches": { args: { cwd: string; remote?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "remote", "user", "password", "ignore_retcode", "output_encoding"]; returns: string[] };
  /** The names of the tags. */
  "git.list_tags": { args: { cwd: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: string[] };
  /** The work trees of a repository; `stale` returns those whose directories are gone, `all` both. */
  "git.list_worktrees": { args: { cwd: string; stale?: boolean; user?: string | null; password?: string | null; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "stale", "user", "password", "output_encoding"]; returns: Record<string, { stale: boolean; HEAD: string; detached: boolean; branch: string | null; tags?: string[] }> };
  /** The references of a remote repository. */
  "git.ls_remote": { args: { cwd?: string | null; remote?: string; ref?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; https_user?: string | null; https_pass?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; saltenv?: string }; order: ["cwd", "remote", "ref", "opts", "git_opts", "user", "password", "identity", "https_user", "https_pass", "ignore_retcode", "output_encoding", "saltenv"]; returns: Record<string, string> };
  /** Merges another revision into the branch. */
  "git.merge": { args: { cwd: string; rev?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "rev", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "output_encoding"]; returns: string };
  /** The best common ancestor of commits; with `is_ancestor`, whether the first is an ancestor of the second. */
  "git.merge_base": { args: { cwd: string; refs?: string | string[] | null; octopus?: boolean; is_ancestor?: boolean; independent?: boolean; fork_point?: boolean | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "refs", "octopus", "is_ancestor", "independent", "fork_point", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: unknown };
  /** The result that a merge of two revisions would have. */
  "git.merge_tree": { args: { cwd: string; ref1: string; ref2: string; base?: string | null; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "ref1", "ref2", "base", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Fetches and merges. */
  "git.pull": { args: { cwd: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; saltenv?: string; output_encoding?: string | null }; order: ["cwd", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "saltenv", "output_encoding"]; returns: string };
  /** Pushes a branch or tag to a remote repository. */
  "git.push": { args: { cwd: string; remote?: string | null; ref?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; saltenv?: string; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "remote", "ref", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "saltenv", "output_encoding"]; returns: string };
  /** Rebases the branch onto another revision. */
  "git.rebase": { args: { cwd: string; rev?: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "rev", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** The addresses of a remote repository. */
  "git.remote_get": { args: { cwd: string; remote?: string; user?: string | null; password?: string | null; redact_auth?: boolean; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "remote", "user", "password", "redact_auth", "ignore_retcode", "output_encoding"]; returns: unknown };
  /** The references of a repository by its address; `filter` selects those that match a pattern. */
  "git.remote_refs": { args: { url: string; heads?: boolean; tags?: boolean; user?: string | null; password?: string | null; identity?: string | null; https_user?: string | null; https_pass?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; saltenv?: string; [name: string]: unknown }; order: ["url", "heads", "tags", "user", "password", "identity", "https_user", "https_pass", "ignore_retcode", "output_encoding", "saltenv"]; returns: Record<string, string> };
  /** Sets the addresses of a remote repository. */
  "git.remote_set": { args: { cwd: string; url: string; remote?: string; user?: string | null; password?: string | null; https_user?: string | null; https_pass?: string | null; push_url?: unknown; push_https_user?: unknown; push_https_pass?: unknown; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "url", "remote", "user", "password", "https_user", "https_pass", "push_url", "push_https_user", "push_https_pass", "ignore_retcode", "output_encoding"]; returns: unknown };
  /** The remote repositories by name, with their addresses. */
  "git.remotes": { args: { cwd: string; user?: string | null; password?: string | null; redact_auth?: boolean; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "user", "password", "redact_auth", "ignore_retcode", "output_encoding"]; returns: Record<string, Record<string, string>> };
  /** Resets the branch, and with options the work tree, to another revision. */
  "git.reset": { args: { cwd: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "output_encoding"]; returns: string };
  /** Runs git rev-parse on a name. */
  "git.rev_parse": { args: { cwd: string; rev?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "rev", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** The SHA-1 of a revision. */
  "git.revision": { args: { cwd: string; rev?: string; short?: boolean; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "rev", "short", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Removes a file from the work tree and the index. */
  "git.rm": { args: { cwd: string; filename: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "filename", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Stashes changes, or restores them: save, apply, pop, list, show, drop, clear. */
  "git.stash": { args: { cwd: string; action?: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "action", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** The changed files by kind of change. */
  "git.status": { args: { cwd: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "user", "password", "ignore_retcode", "output_encoding"]; returns: Record<string, string[]> };
  /** Runs a command on the submodules. */
  "git.submodule": { args: { cwd: string; command: string; opts?: string; git_opts?: string; user?: string | null; password?: string | null; identity?: string | null; ignore_retcode?: boolean; saltenv?: string; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "command", "opts", "git_opts", "user", "password", "identity", "ignore_retcode", "saltenv", "output_encoding"]; returns: string };
  /** Reads or sets the target of a symbolic reference. */
  "git.symbolic_ref": { args: { cwd: string; ref: string; value?: unknown; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "ref", "value", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Creates a tag; with `message` an annotated one. */
  "git.tag": { args: { cwd: string; name: string; ref?: string; message?: string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "name", "ref", "message", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** The version of git; with `versioninfo` as numbers. */
  "git.version": { args: { versioninfo?: boolean }; order: ["versioninfo"]; returns: (number | string)[] | string };
  /** Adds a linked work tree with a branch of its own. */
  "git.worktree_add": { args: { cwd: string; worktree_path: string; ref?: string | null; reset_branch?: string | null; force?: boolean | null; detach?: boolean; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null; [name: string]: unknown }; order: ["cwd", "worktree_path", "ref", "reset_branch", "force", "detach", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Prunes work trees whose directories are gone. */
  "git.worktree_prune": { args: { cwd: string; dry_run?: boolean; verbose?: boolean; expire?: number | string | null; opts?: string; git_opts?: string; user?: string | null; password?: string | null; ignore_retcode?: boolean; output_encoding?: string | null }; order: ["cwd", "dry_run", "verbose", "expire", "opts", "git_opts", "user", "password", "ignore_retcode", "output_encoding"]; returns: string };
  /** Removes the directory of a work tree. */
  "git.worktree_rm": { args: { cwd: string; user?: string | null; output_encoding?: string | null }; order: ["cwd", "user", "output_encoding"]; returns: true };
  /** Makes a key. A pass phrase is the pillar's gpg_passphrase. */
  "gpg.create_key": { args: { key_type?: string; key_length?: number; name_real?: string; name_comment?: string; name_email?: string | null; subkey_type?: unknown; subkey_length?: number | null; expire_date?: unknown; use_passphrase?: boolean; user?: string | null; gnupghome?: string | null }; order: ["key_type", "key_length", "name_real", "name_comment", "name_email", "subkey_type", "subkey_length", "expire_date", "use_passphrase", "user", "gnupghome"]; returns: Record<string, unknown> };
  /** Decrypts a text or file. */
  "gpg.decrypt": { args: { user?: string | null; text?: string | null; filename?: string | null; output?: string | null; use_passphrase?: boolean; gnupghome?: string | null; bare?: boolean }; order: ["user", "text", "filename", "output", "use_passphrase", "gnupghome", "bare"]; returns: unknown };
  /** Removes a key from the ring. */
  "gpg.delete_key": { args: { keyid?: string | null; fingerprint?: string | null; delete_secret?: boolean; user?: string | null; gnupghome?: string | null; use_passphrase?: boolean }; order: ["keyid", "fingerprint", "delete_secret", "user", "gnupghome", "use_passphrase"]; returns: Record<string, unknown> };
  /** Encrypts a text or file, in armour. */
  "gpg.encrypt": { args: { user?: string | null; recipients?: string | string[] | null; text?: string | null; filename?: string | null; output?: string | null; sign?: boolean | null; use_passphrase?: boolean; always_trust?: boolean; gnupghome?: string | null; bare?: boolean }; order: ["user", "recipients", "text", "filename", "output", "sign", "use_passphrase", "always_trust", "gnupghome", "bare"]; returns: unknown };
  /** Gives keys out, in armour. */
  "gpg.export_key": { args: { keyids?: string | string[] | null; secret?: boolean; user?: string | null; gnupghome?: string | null; use_passphrase?: boolean; output?: string | null; bare?: boolean }; order: ["keyids", "secret", "user", "gnupghome", "use_passphrase", "output", "bare"]; returns: unknown };
  /** A key of the ring; False if it is not there. */
  "gpg.get_key": { args: { keyid?: string | null; fingerprint?: string | null; user?: string | null; gnupghome?: string | null }; order: ["keyid", "fingerprint", "user", "gnupghome"]; returns: false | { keyid: string; uids: string[]; fingerprint?: string; [name: string]: unknown } };
  /** A secret key of the ring; False if it is not there. */
  "gpg.get_secret_key": { args: { keyid?: string | null; fingerprint?: string | null; user?: string | null; gnupghome?: string | null }; order: ["keyid", "fingerprint", "user", "gnupghome"]; returns: false | { keyid: string; uids: string[]; fingerprint?: string; [name: string]: unknown } };
  /** Takes keys into the ring. */
  "gpg.import_key": { args: { text?: string | null; filename?: string | null; user?: string | null; gnupghome?: string | null }; order: ["text", "filename", "user", "gnupghome"]; returns: Record<string, unknown> };
  /** The keys of the ring. */
  "gpg.list_keys": { args: { user?: string | null; gnupghome?: string | null }; order: ["user", "gnupghome"]; returns: { keyid: string; uids: string[]; fingerprint?: string; [name: string]: unknown }[] };
  /** The secret keys of the ring. */
  "gpg.list_secret_keys": { args: { user?: string | null; gnupghome?: string | null }; order: ["user", "gnupghome"]; returns: { keyid: string; uids: string[]; fingerprint?: string; [name: string]: unknown }[] };
  /** Takes keys from a key server into the ring. */
  "gpg.receive_keys": { args: { keyserver?: string | null; keys?: string | string[] | null; user?: string | null; gnupghome?: string | null }; order: ["keyserver", "keys", "user", "gnupghome"]; returns: Record<string, unknown> };
  /** Looks for keys on a key server. */
  "gpg.search_keys": { args: { text: string; keyserver?: string | null; user?: string | null }; order: ["text", "keyserver", "user"]; returns: { keyid: string; uids: string[]; fingerprint?: string; [name: string]: unknown }[] };
  /** Signs a text or file, in clear. */
  "gpg.sign": { args: { user?: string | null; keyid?: string | null; text?: string | null; filename?: string | null; output?: string | null; use_passphrase?: boolean; gnupghome?: string | null }; order: ["user", "keyid", "text", "filename", "output", "use_passphrase", "gnupghome"]; returns: unknown };
  /** Sets how far the owner of a key is trusted: expired, unknown, not_trusted, marginally, fully or ultimately. */
  "gpg.trust_key": { args: { keyid?: string | null; fingerprint?: string | null; trust_level?: string | null; user?: string | null; gnupghome?: string | null }; order: ["keyid", "fingerprint", "trust_level", "user", "gnupghome"]; returns: unknown };
  /** Verifies a signed text or file, or a file beside its signature. */
  "gpg.verify": { args: { text?: string | null; user?: string | null; filename?: string | null; gnupghome?: string | null; signature?: string | null; trustmodel?: unknown }; order: ["text", "user", "filename", "gnupghome", "signature", "trustmodel"]; returns: unknown };
  /** Adds a value to a list, which is created if it does not exist. `convert` turns another value into a list. */
  "grains.append": { args: { key: string; val: unknown; convert?: boolean; delimiter?: string }; order: ["key", "val", "convert", "delimiter"]; returns: Record<string, unknown> | string };
  /** Removes a grain. */
  "grains.delkey": { args: { key: string; force?: boolean }; order: ["key", "force"]; returns: { comment: string; changes: Record<string, unknown>; result: boolean } };
  /** Sets a grain to null; with `destructive`, removes it. */
  "grains.delval": { args: { key: string; destructive?: boolean; force?: boolean }; order: ["key", "destructive", "force"]; returns: { comment: string; changes: Record<string, unknown>; result: boolean } };
  /** True if the value of the grain, as text, equals this one. */
  "grains.equals": { args: { key: string; value: unknown }; order: ["key", "value"]; returns: boolean };
  /** The same as grains.get. */
  "grains.fetch": { args: { key: string; default?: unknown; delimiter?: string; ordered?: boolean }; order: ["key", "default", "delimiter", "ordered"]; returns: unknown };
  /** Selects from a map by the value of a grain; keys may be globs. `merge` is merged into what was selected, and what was chosen over the entry that `base` names. */
  "grains.filter_by": { args: { lookup_dict: Record<string, unknown>; grain?: unknown; merge?: unknown; default?: unknown; base?: string | null }; order: ["lookup_dict", "grain", "merge", "default", "base"]; returns: unknown };
  /** The value of a grain, or at a path in it; `default` if it is missing. */
  "grains.get": { args: { key: string; default?: unknown; delimiter?: string; ordered?: boolean }; order: ["key", "default", "delimiter", "ordered"]; returns: unknown };
  /** True if there is such a grain, whatever its value. */
  "grains.has_value": { args: { key: string }; order: ["key"]; returns: boolean };
  /** Some grains by name; `default` replaces those that are missing. */
  "grains.item": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** All grains. With `sanitize`, names and numbers that identify the minion are replaced. */
  "grains.items": { args: { sanitize?: boolean }; order: ["sanitize"]; returns: Record<string, unknown> };
  /** The names of all grains. */
  "grains.ls": { args: Record<never, never>; order: []; returns: string[] };
  /** Removes a value from a list. */
  "grains.remove": { args: { key: string; val: unknown; delimiter?: string }; order: ["key", "val", "delimiter"]; returns: Record<string, unknown> | string };
  /** Sets the value at a path in the grains. */
  "grains.set": { args: { key: string; val?: unknown; force?: boolean; destructive?: boolean; delimiter?: string }; order: ["key", "val", "force", "destructive", "delimiter"]; returns: { comment: string; changes: Record<string, unknown>; result: boolean } };
  /** Sets a grain permanently. Null is a value; with `destructive` it removes the grain. */
  "grains.setval": { args: { key: string; val: unknown; destructive?: boolean; refresh_pillar?: boolean }; order: ["key", "val", "destructive", "refresh_pillar"]; returns: Record<string, unknown> };
  /** Sets several grains permanently. */
  "grains.setvals": { args: { grains: Record<string, unknown>; destructive?: boolean; refresh_pillar?: boolean }; order: ["grains", "destructive", "refresh_pillar"]; returns: Record<string, unknown> };
  /** Creates a group. */
  "group.add": { args: { name: string; gid?: number | string | null; system?: boolean; root?: string | null; non_unique?: boolean }; order: ["name", "gid", "system", "root", "non_unique"]; returns: boolean };
  /** Adds a user to a group. */
  "group.adduser": { args: { name: string; username: string; root?: string | null }; order: ["name", "username", "root"]; returns: boolean };
  /** Changes the id of a group. */
  "group.chgid": { args: { name: string; gid: number | string; root?: string | null; non_unique?: boolean }; order: ["name", "gid", "root", "non_unique"]; returns: boolean };
  /** Deletes a group. */
  "group.delete": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: boolean };
  /** Removes a user from a group; True if the user is not a member. */
  "group.deluser": { args: { name: string; username: string; root?: string | null }; order: ["name", "username", "root"]; returns: boolean };
  /** The entries of all groups. */
  "group.getent": { args: { refresh?: boolean; root?: string | null }; order: ["refresh", "root"]; returns: { name: string; passwd: string; gid: number; members: string[] }[] };
  /** The entry of a group; an empty map if it does not exist. */
  "group.info": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: { name?: string; passwd?: string; gid?: number; members?: string[] } };
  /** Sets the members of a group to exactly these users. */
  "group.members": { args: { name: string; members_list: string | string[]; root?: string | null }; order: ["name", "members_list", "root"]; returns: boolean };
  /** Decodes base64: to text, or to bytes if it is not UTF-8. */
  "hashutil.base64_b64decode": { args: { instr: string }; order: ["instr"]; returns: Uint8Array | string };
  /** A text in base64, without line ends. */
  "hashutil.base64_b64encode": { args: { instr: string }; order: ["instr"]; returns: string };
  /** Decodes base64 into a file. */
  "hashutil.base64_decodefile": { args: { instr: string; outfile: string }; order: ["instr", "outfile"]; returns: boolean };
  /** Decodes base64: to text, or to bytes if it is not UTF-8. */
  "hashutil.base64_decodestring": { args: { instr: string }; order: ["instr"]; returns: Uint8Array | string };
  /** A file in base64, in lines. */
  "hashutil.base64_encodefile": { args: { fname: string }; order: ["fname"]; returns: string };
  /** A text in base64, in lines of 76 characters. */
  "hashutil.base64_encodestring": { args: { instr: string }; order: ["instr"]; returns: string };
  /** The hash of a text: md5, sha256 or sha512. */
  "hashutil.digest": { args: { instr: string; checksum?: string }; order: ["instr", "checksum"]; returns: string };
  /** The hash of a file: md5, sha256 or sha512. */
  "hashutil.digest_file": { args: { infile: string; checksum?: string }; order: ["infile", "checksum"]; returns: string };
  /** True if the signature of a text is valid, with the hash that the signature names. */
  "hashutil.github_signature": { args: { string: string; shared_secret: string; challenge_hmac: string }; order: ["string", "shared_secret", "challenge_hmac"]; returns: boolean };
  /** The HMAC of a text with SHA-256, as hexadecimal digits. */
  "hashutil.hmac_compute": { args: { string: string; shared_secret: string }; order: ["string", "shared_secret"]; returns: string };
  /** True if the signature of a text is valid: HMAC-SHA256 in base64. */
  "hashutil.hmac_signature": { args: { string: string; shared_secret: string; challenge_hmac: string }; order: ["string", "shared_secret", "challenge_hmac"]; returns: boolean };
  /** The md5 of a text, as hexadecimal digits. */
  "hashutil.md5_digest": { args: { instr: string }; order: ["instr"]; returns: string };
  /** The sha256 of a text, as hexadecimal digits. */
  "hashutil.sha256_digest": { args: { instr: string }; order: ["instr"]; returns: string };
  /** The sha512 of a text, as hexadecimal digits. */
  "hashutil.sha512_digest": { args: { instr: string }; order: ["instr"]; returns: string };
  /** Writes a revision to an archive. */
  "hg.archive": { args: { cwd: string; output: string; rev?: string; fmt?: string | null; prefix?: string | null; user?: string | null }; order: ["cwd", "output", "rev", "fmt", "prefix", "user"]; returns: string };
  /** Clones a repository. */
  "hg.clone": { args: { cwd: string; repository: string; opts?: string | null; user?: string | null; identity?: string | null }; order: ["cwd", "repository", "opts", "user", "identity"]; returns: string };
  /** A name of a revision by the tag before it. */
  "hg.describe": { args: { cwd: string; rev?: string; user?: string | null }; order: ["cwd", "rev", "user"]; returns: string };
  /** Fetches changes. */
  "hg.pull": { args: { cwd: string; opts?: string | null; user?: string | null; identity?: string | null; repository?: string | null }; order: ["cwd", "opts", "user", "identity", "repository"]; returns: string };
  /** The full id of a revision; an empty text if there is none. */
  "hg.revision": { args: { cwd: string; rev?: string; short?: boolean; user?: string | null }; order: ["cwd", "rev", "short", "user"]; returns: string };
  /** The files that differ, by how. */
  "hg.status": { args: { cwd: string; opts?: string | null; user?: string | null }; order: ["cwd", "opts", "user"]; returns: Record<string, unknown> };
  /** Checks out a revision. */
  "hg.update": { args: { cwd: string; rev: string; force?: boolean; user?: string | null }; order: ["cwd", "rev", "force", "user"]; returns: string };
  /** Gives an address a further name. */
  "hosts.add_host": { args: { ip: string; alias: string }; order: ["ip", "alias"]; returns: boolean };
  /** The names of an address. */
  "hosts.get_alias": { args: { ip: string }; order: ["ip"]; returns: string[] };
  /** The first address of a host name, or an empty text. */
  "hosts.get_ip": { args: { host: string }; order: ["host"]; returns: string };
  /** True if the address has that name, or all names of a list. */
  "hosts.has_pair": { args: { ip: string; alias: string }; order: ["ip", "alias"]; returns: boolean };
  /** The hosts file: address → `{aliases, comment}`, and `comment-<n>` → its lines. */
  "hosts.list_hosts": { args: Record<never, never>; order: []; returns: Record<string, string[] | { aliases: string[]; comment?: string }> };
  /** Takes a name from an address. */
  "hosts.rm_host": { args: { ip: string; alias: string }; order: ["ip", "alias"]; returns: boolean };
  /** Sets the comment of an address; False if the address is not there. */
  "hosts.set_comment": { args: { ip: string; comment: string }; order: ["ip", "comment"]; returns: boolean };
  /** Replaces all names of an address; an empty text removes it. */
  "hosts.set_host": { args: { ip: string; alias: string; comment?: string | null }; order: ["ip", "alias", "comment"]; returns: boolean };
  /** Sends a request; returns the body of the response, and more on request. */
  "http.query": { args: { url: string; [name: string]: unknown }; order: ["url"]; returns: Record<string, unknown> };
  /** Repeats a request until it succeeds, for a number of seconds. `request_interval` is the time between two. */
  "http.wait_for_successful_query": { args: { url: string; wait_for?: number; [name: string]: unknown }; order: ["url", "wait_for"]; returns: unknown };
  /** The whole file as a map. */
  "ini.get_ini": { args: { file_name: string; separator?: string; encoding?: string | null }; order: ["file_name", "separator", "encoding"]; returns: Record<string, unknown> };
  /** The value of an option; None if there is none. */
  "ini.get_option": { args: { file_name: string; section: string; option: string; separator?: string; encoding?: string | null }; order: ["file_name", "section", "option", "separator", "encoding"]; returns: Record<string, unknown> | null };
  /** The options of a section. */
  "ini.get_section": { args: { file_name: string; section: string; separator?: string; encoding?: string | null }; order: ["file_name", "section", "separator", "encoding"]; returns: Record<string, unknown> };
  /** Removes an option, and returns its value. */
  "ini.remove_option": { args: { file_name: string; section: string; option: string; separator?: string; encoding?: string | null }; order: ["file_name", "section", "option", "separator", "encoding"]; returns: Record<string, unknown> | null };
  /** Removes a section, and returns its options; None if there is none. */
  "ini.remove_section": { args: { file_name: string; section: string; separator?: string; encoding?: string | null }; order: ["file_name", "section", "separator", "encoding"]; returns: Record<string, unknown> | null };
  /** Sets options: a map of section to options, or of options that stand above the sections. */
  "ini.set_option": { args: { file_name: string; sections?: Record<string, unknown> | null; separator?: string; encoding?: string | null; no_spaces?: boolean }; order: ["file_name", "sections", "separator", "encoding", "no_spaces"]; returns: Record<string, unknown> };
  /** Makes them hold: stops and starts the network, unless require_reboot=True. */
  "ip.apply_network_settings": { args: { [name: string]: unknown }; order: []; returns: boolean };
  /** Writes the file for the kernel's module of a bonded interface. */
  "ip.build_bond": { args: { iface: string; [name: string]: unknown }; order: ["iface"]; returns: "" | string[] };
  /** Writes an interface into the file, and returns its lines; with test=True it only returns them. */
  "ip.build_interface": { args: { iface: string; iface_type: string; enabled: unknown; [name: string]: unknown }; order: ["iface", "iface_type", "enabled"]; returns: string[] };
  /** Sets them. */
  "ip.build_network_settings": { args: { [name: string]: unknown }; order: []; returns: string[] };
  /** Writes the scripts for routes of an interface. */
  "ip.build_routes": { args: { iface: string; [name: string]: unknown }; order: ["iface"]; returns: string[] };
  /** Takes an interface down. */
  "ip.down": { args: { iface: string; iface_type: string }; order: ["iface", "iface_type"]; returns: string | null };
  /** The lines of the file for the kernel's module of a bonded interface. */
  "ip.get_bond": { args: { iface: string }; order: ["iface"]; returns: "" | string[] };
  /** What the files say of an interface, as lines. */
  "ip.get_interface": { args: { iface: string }; order: ["iface"]; returns: string[] };
  /** Whether there is a network at start, the host's name and domain. */
  "ip.get_network_settings": { args: Record<never, never>; order: []; returns: string[] };
  /** The lines of the scripts for routes of an interface. */
  "ip.get_routes": { args: { iface: string }; order: ["iface"]; returns: "" | string[] };
  /** Brings an interface up. */
  "ip.up": { args: { iface: string; iface_type: string }; order: ["iface", "iface_type"]; returns: string | null };
  /** Adds a rule behind the others, unless it is there. */
  "iptables.append": { args: { table?: string; chain?: string | null; rule?: unknown; family?: string }; order: ["table", "chain", "rule", "family"]; returns: boolean | string };
  /** The text of a rule; with `full` of the whole command. */
  "iptables.build_rule": { args: { table?: string; chain?: string | null; command?: string | null; position?: unknown; full?: unknown; family?: string; [name: string]: unknown }; order: ["table", "chain", "command", "position", "full", "family"]; returns: string };
  /** True if there is such a rule. */
  "iptables.check": { args: { table?: string; chain?: string | null; rule?: unknown; family?: string }; order: ["table", "chain", "rule", "family"]; returns: boolean | string };
  /** True if there is such a chain. */
  "iptables.check_chain": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: boolean | string };
  /** Deletes a rule, by its place or by what it says; an empty text if that went well. */
  "iptables.delete": { args: { table: string; chain?: string | null; position?: unknown; rule?: unknown; family?: string }; order: ["table", "chain", "position", "rule", "family"]; returns: string };
  /** Deletes a chain; true if that went well. */
  "iptables.delete_chain": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: string | true };
  /** Deletes all rules of a chain, or of a table; an empty text if that went well. */
  "iptables.flush": { args: { table?: string; chain?: string; family?: string }; order: ["table", "chain", "family"]; returns: string };
  /** The policy of a chain now. */
  "iptables.get_policy": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: string | null };
  /** The rules that hold now, by table and chain. */
  "iptables.get_rules": { args: { family?: string }; order: ["family"]; returns: Record<string, Record<string, { policy: string; "packet count": string; "byte count": string; rules: Record<string, string[]>[]; rules_comment: Record<string, Record<string, string[]>> }>> };
  /** The policy of a chain in the file. */
  "iptables.get_saved_policy": { args: { table?: string; chain?: string | null; conf_file?: string | null; family?: string }; order: ["table", "chain", "conf_file", "family"]; returns: string | null };
  /** The rules of the file that is read at the system's start. */
  "iptables.get_saved_rules": { args: { conf_file?: string | null; family?: string }; order: ["conf_file", "family"]; returns: Record<string, Record<string, { policy: string; "packet count": string; "byte count": string; rules: Record<string, string[]>[]; rules_comment: Record<string, Record<string, string[]>> }>> };
  /** Adds a rule at a place, from the end if that is below zero, unless it is there; an empty text if that went well. */
  "iptables.insert": { args: { table?: string; chain?: string | null; position?: unknown; rule?: unknown; family?: string }; order: ["table", "chain", "position", "rule", "family"]; returns: unknown };
  /** Makes a chain; true if that went well. */
  "iptables.new_chain": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: string | true };
  /** Saves the rules for the system's next start. */
  "iptables.save": { args: { filename?: string | null; family?: string }; order: ["filename", "family"]; returns: unknown };
  /** Sets the policy of a chain; an empty text if that went well. */
  "iptables.set_policy": { args: { table?: string; chain?: string | null; policy?: string | null; family?: string }; order: ["table", "chain", "policy", "family"]; returns: string };
  /** The version of iptables. */
  "iptables.version": { args: { family?: string }; order: ["family"]; returns: string };
  /** The data of a JSON file that is rendered first. */
  "jinja.import_json": { args: { path: string }; order: ["path"]; returns: unknown };
  /** The data of a YAML file that is rendered first. */
  "jinja.import_yaml": { args: { path: string }; order: ["path"]; returns: unknown };
  /** A variable of a template. */
  "jinja.load_map": { args: { path: string; value: unknown }; order: ["path", "value"]; returns: unknown };
  /** The fingerprint of this minion's public key, as `salt-key -f` shows it. */
  "key.finger": { args: { hash_type?: string | null }; order: ["hash_type"]; returns: string };
  /** The fingerprint of the master's public key as this minion keeps it, as `salt-key -F master` shows it; empty before the minion has signed in. */
  "key.finger_master": { args: { hash_type?: string | null }; order: ["hash_type"]; returns: string };
  /** Changes this minion's key: its masters take the new one beside the old one, until it has used the new one. What becomes of it is in the minion's log, and in `salt-key --history` on the master. Brine's own. */
  "key.rotate": { args: Record<never, never>; order: []; returns: boolean };
  /** The layout of the system. */
  "keyboard.get_sys": { args: Record<never, never>; order: []; returns: string };
  /** The layout of X. */
  "keyboard.get_x": { args: Record<never, never>; order: []; returns: string };
  /** Sets the layout of the system. */
  "keyboard.set_sys": { args: { layout: string }; order: ["layout"]; returns: string };
  /** Sets the layout of X. */
  "keyboard.set_x": { args: { layout: string }; order: ["layout"]; returns: string };
  /** The kernel modules that are there, those that are built in included. */
  "kmod.available": { args: Record<never, never>; order: []; returns: string[] };
  /** True if there is such a kernel module. */
  "kmod.check_available": { args: { mod: string }; order: ["mod"]; returns: boolean };
  /** True if the kernel module is loaded. */
  "kmod.is_loaded": { args: { mod: string }; order: ["mod"]; returns: boolean };
  /** Loads a kernel module. The names of those that it loaded, or what modprobe complains of. */
  "kmod.load": { args: { mod: string; persist?: boolean }; order: ["mod", "persist"]; returns: unknown };
  /** The kernel modules that are loaded, with size and what needs them. */
  "kmod.lsmod": { args: Record<never, never>; order: []; returns: { size: string; module: string; depcount: string; deps: string[] }[] };
  /** The names of the kernel modules that are loaded. */
  "kmod.mod_list": { args: { only_persist?: boolean }; order: ["only_persist"]; returns: string[] };
  /** Unloads a kernel module. The names of those that are gone, or what rmmod complains of. */
  "kmod.remove": { args: { mod: string; persist?: boolean; comment?: string }; order: ["mod", "persist", "comment"]; returns: unknown };
  /** True if there is such a locale. */
  "locale.avail": { args: { locale: string }; order: ["locale"]; returns: boolean };
  /** Makes a locale; with `verbose`, what the program said. */
  "locale.gen_locale": { args: { locale: string; [name: string]: unknown }; order: ["locale"]; returns: unknown };
  /** The locale of the system. */
  "locale.get_locale": { args: Record<never, never>; order: []; returns: string };
  /** The locales that are there. */
  "locale.list_avail": { args: Record<never, never>; order: []; returns: string[] };
  /** Sets the locale of the system. */
  "locale.set_locale": { args: { locale: string }; order: ["locale"]; returns: true };
  /** Writes a message to the minion's log, at the level critical. For templates. */
  "log.critical": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Writes a message to the minion's log, at the level debug. For templates. */
  "log.debug": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Writes a message to the minion's log, at the level error. For templates. */
  "log.error": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Writes a message to the minion's log, at the level error. For templates. */
  "log.exception": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Writes a message to the minion's log, at the level info. For templates. */
  "log.info": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Writes a message to the minion's log, at the level warning. For templates. */
  "log.warning": { args: { message: string }; order: ["message"]; returns: boolean };
  /** Name, version and architecture of a package in a file. */
  "lowpkg.bin_pkg_info": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: Record<string, unknown> | null };
  /** Whether files of packages are whole and signed. */
  "lowpkg.checksum": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, boolean> };
  /** What was changed of a file since its package had it. */
  "lowpkg.diff": { args: { package_path: string; path: string }; order: ["package_path", "path"]; returns: string };
  /** The files of packages by package. */
  "lowpkg.file_dict": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string | { errors: string[]; packages: Record<string, string[]> } | { errors: unknown[]; packages: Record<string, string[]> } };
  /** The files of packages in one list. */
  "lowpkg.file_list": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string | { errors: unknown[]; files: string[] } };
  /** Details of installed packages. */
  "lowpkg.info": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** The installed packages with their versions. */
  "lowpkg.list_pkgs": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** What was changed of the files of packages; only those with, or without, a change that is named. */
  "lowpkg.modified": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** The package that a file belongs to; a map for several files. */
  "lowpkg.owner": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** Marks packages for installation that were marked for purging. */
  "lowpkg.unpurge": { args: Record<never, never>; order: []; rest: unknown[]; returns: unknown };
  /** The files that are not as their packages had them. */
  "lowpkg.verify": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** -1, 0 or 1 for a version that is older than another, the same, or newer. */
  "lowpkg.version_cmp": { args: { ver1: string; ver2: string; ignore_epoch?: boolean }; order: ["ver1", "ver2", "ignore_epoch"]; returns: number };
  /** The versions of LVM and its parts. */
  "lvm.fullversion": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** Makes a logical volume. */
  "lvm.lvcreate": { args: { lvname: string; vgname: string; size?: number | string | null; extents?: number | string | null; snapshot?: string | null; pv?: unknown; thinvolume?: boolean; thinpool?: boolean; force?: boolean; [name: string]: unknown }; order: ["lvname", "vgname", "size", "extents", "snapshot", "pv", "thinvolume", "thinpool", "force"]; returns: unknown };
  /** The logical volumes: all, one, or those of a group. */
  "lvm.lvdisplay": { args: { lvname?: string; quiet?: boolean }; order: ["lvname", "quiet"]; returns: Record<string, Record<string, string> | string> };
  /** Makes a logical volume larger. */
  "lvm.lvextend": { args: { size?: number | string | null; lvpath?: string | null; extents?: number | string | null; force?: boolean; resizefs?: boolean }; order: ["size", "lvpath", "extents", "force", "resizefs"]; returns: Record<string, string> };
  /** Removes a logical volume. */
  "lvm.lvremove": { args: { lvname: string; vgname: string; force?: boolean }; order: ["lvname", "vgname", "force"]; returns: string };
  /** Resizes a logical volume. */
  "lvm.lvresize": { args: { size?: number | string | null; lvpath?: string | null; extents?: number | string | null; force?: boolean; resizefs?: boolean }; order: ["size", "lvpath", "extents", "force", "resizefs"]; returns: Record<string, string> };
  /** Makes physical volumes; true, or what went wrong. */
  "lvm.pvcreate": { args: { devices: string | string[]; override?: boolean; force?: boolean; [name: string]: unknown }; order: ["devices", "override", "force"]; returns: unknown };
  /** The physical volumes: all, or one. */
  "lvm.pvdisplay": { args: { pvname?: string; real?: boolean; quiet?: boolean }; order: ["pvname", "real", "quiet"]; returns: Record<string, Record<string, string>> };
  /** Removes physical volumes; true, or what went wrong. */
  "lvm.pvremove": { args: { devices: string | string[]; override?: boolean; force?: boolean }; order: ["devices", "override", "force"]; returns: unknown };
  /** Lets physical volumes be as large as their devices; true, or what went wrong. */
  "lvm.pvresize": { args: { devices: string | string[]; override?: boolean; force?: boolean }; order: ["devices", "override", "force"]; returns: unknown };
  /** The version of LVM. */
  "lvm.version": { args: Record<never, never>; order: []; returns: string };
  /** Makes a volume group. */
  "lvm.vgcreate": { args: { vgname: string; devices: string | string[]; force?: boolean; [name: string]: unknown }; order: ["vgname", "devices", "force"]; returns: unknown };
  /** The volume groups: all, or one. */
  "lvm.vgdisplay": { args: { vgname?: string; quiet?: boolean }; order: ["vgname", "quiet"]; returns: Record<string, Record<string, string> | string> };
  /** Adds physical volumes to a volume group. */
  "lvm.vgextend": { args: { vgname: string; devices: string | string[]; force?: boolean }; order: ["vgname", "devices", "force"]; returns: unknown };
  /** Removes a volume group. */
  "lvm.vgremove": { args: { vgname: string; force?: boolean }; order: ["vgname", "force"]; returns: string };
  /** True if a compound target means the minion. */
  "match.compound": { args: { tgt: string | string[]; minion_id?: string | null }; order: ["tgt", "minion_id"]; returns: boolean };
  /** True if the data store has a value that a pattern of the shell matches. */
  "match.data": { args: { tgt: string | string[] }; order: ["tgt"]; returns: boolean };
  /** The value of the first target in a map that matches the minion. `merge` is merged into it. */
  "match.filter_by": { args: { lookup: unknown; tgt_type?: string; minion_id?: string | null; merge?: unknown; merge_lists?: boolean; default?: unknown }; order: ["lookup", "tgt_type", "minion_id", "merge", "merge_lists", "default"]; returns: unknown };
  /** True if a pattern of the shell matches the id of the minion, or another id. */
  "match.glob": { args: { tgt: string | string[]; minion_id?: string | null }; order: ["tgt", "minion_id"]; returns: boolean };
  /** True if a grain has a value that a pattern of the shell matches. */
  "match.grain": { args: { tgt: string | string[]; delimiter?: string }; order: ["tgt", "delimiter"]; returns: boolean };
  /** True if a grain has a value that an expression matches. */
  "match.grain_pcre": { args: { tgt: string | string[]; delimiter?: string }; order: ["tgt", "delimiter"]; returns: boolean };
  /** The value after the first target that matches the minion, or the last value. */
  "match.ifelse": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** True if the minion has an address in a network; an empty list if the network is invalid. */
  "match.ipcidr": { args: { tgt: string | string[] }; order: ["tgt"]; returns: boolean | unknown[] };
  /** True if a list, or a text with commas, contains the id of the minion, or another id. */
  "match.list": { args: { tgt: string | string[]; minion_id?: string | null }; order: ["tgt", "minion_id"]; returns: boolean };
  /** True if an expression matches the id of the minion, or another id. */
  "match.pcre": { args: { tgt: string | string[]; minion_id?: string | null }; order: ["tgt", "minion_id"]; returns: boolean };
  /** True if the pillar has a value that a pattern of the shell matches. */
  "match.pillar": { args: { tgt: string | string[]; delimiter?: string }; order: ["tgt", "delimiter"]; returns: boolean };
  /** True if the pillar has a value that an expression matches. */
  "match.pillar_pcre": { args: { tgt: string | string[]; delimiter?: string }; order: ["tgt", "delimiter"]; returns: boolean };
  /** The keys of a map whose lists of targets match the minion; null if there are none. */
  "match.search_by": { args: { lookup: unknown; tgt_type?: string; minion_id?: string | null }; order: ["lookup", "tgt_type", "minion_id"]; returns: unknown[] | null };
  /** Deletes one value of this minion from the mine. */
  "mine.delete": { args: { fun: string }; order: ["fun"]; returns: boolean };
  /** Deletes all values of this minion from the mine. */
  "mine.flush": { args: Record<never, never>; order: []; returns: boolean };
  /** The mine's values under one or several names: minion → value. */
  "mine.get": { args: { tgt: unknown; fun: string; tgt_type?: string; exclude_minion?: boolean }; order: ["tgt", "fun", "tgt_type", "exclude_minion"]; returns: Record<string, unknown> };
  /** Addresses of containers from the mine: empty unless a minion has sent docker.ps. */
  "mine.get_docker": { args: { interfaces?: string | string[] | null; cidrs?: string | string[] | null; with_container_id?: boolean }; order: ["interfaces", "cidrs", "with_container_id"]; returns: Record<string, unknown> };
  /** Calls a function and sends its value to the mine under that name. True on success. */
  "mine.send": { args: { name: string; [name: string]: unknown }; order: ["name"]; rest: unknown[]; returns: boolean };
  /** Calls the functions of `mine_functions` and sends their values to the mine. */
  "mine.update": { args: { clear?: boolean; mine_functions?: unknown }; order: ["clear", "mine_functions"]; returns: boolean | null };
  /** The functions that this minion sends to the mine periodically, with their arguments. */
  "mine.valid": { args: Record<never, never>; order: []; returns: Record<string, unknown> | null };
  /** The mounted file systems by mount point; `extended` adds details. */
  "mount.active": { args: { extended?: boolean }; order: ["extended"]; returns: Record<string, Record<string, unknown>> };
  /** The table of the automounter by mount point. */
  "mount.automaster": { args: { config?: unknown }; order: ["config"]; returns: Record<string, unknown> };
  /** Deletes the note of what a state has mounted. */
  "mount.delete_mount_cache": { args: { real_name: string }; order: ["real_name"]; returns: boolean };
  /** AIX alone has this table; elsewhere it is empty. */
  "mount.filesystems": { args: { config?: unknown }; order: ["config"]; returns: Record<string, unknown> };
  /** The entries of /etc/fstab by mount point. */
  "mount.fstab": { args: { config?: unknown }; order: ["config"]; returns: Record<string, Record<string, unknown>> };
  /** The device of the file system of a path. */
  "mount.get_device_from_path": { args: { path: string }; order: ["path"]; returns: Record<string, unknown> | null };
  /** The mount point of the file system of a path. */
  "mount.get_mount_from_path": { args: { path: string }; order: ["path"]; returns: string };
  /** True for a program that is linked with libfuse. */
  "mount.is_fuse_exec": { args: { cmd: string | string[] }; order: ["cmd"]; returns: boolean };
  /** True if something is mounted on a directory. */
  "mount.is_mounted": { args: { name: string }; order: ["name"]; returns: boolean };
  /** Mounts a device; returns True, or an error message. */
  "mount.mount": { args: { name: string; device?: unknown; mkmnt?: boolean; fstype?: string; opts?: unknown; user?: unknown; util?: string }; order: ["name", "device", "mkmnt", "fstype", "opts", "user", "util"]; returns: unknown };
  /** What a state has mounted on a directory. */
  "mount.read_mount_cache": { args: { name: string }; order: ["name"]; returns: Record<string, unknown> };
  /** Remounts a device with other options, or mounts it. */
  "mount.remount": { args: { name: string; device: unknown; mkmnt?: boolean; fstype?: string; opts?: unknown; user?: unknown }; order: ["name", "device", "mkmnt", "fstype", "opts", "user"]; returns: unknown };
  /** Removes an entry from the automounter's table. */
  "mount.rm_automaster": { args: { name: string; device: unknown; config?: unknown }; order: ["name", "device", "config"]; returns: boolean };
  /** AIX alone has this table; elsewhere it is empty. */
  "mount.rm_filesystems": { args: { name: string; device: unknown; config?: unknown }; order: ["name", "device", "config"]; returns: boolean };
  /** Removes an entry from /etc/fstab. */
  "mount.rm_fstab": { args: { name: string; device: unknown; config?: unknown }; order: ["name", "device", "config"]; returns: true };
  /** The same as mount.rm_fstab, for another file. */
  "mount.rm_vfstab": { args: { name: string; device: unknown; config?: unknown }; order: ["name", "device", "config"]; returns: true };
  /** Adds or changes an entry of the automounter's table; returns new, change or present. */
  "mount.set_automaster": { args: { name: string; device: unknown; fstype: string; opts?: unknown; config?: unknown; test?: boolean; not_change?: boolean; [name: string]: unknown }; order: ["name", "device", "fstype", "opts", "config", "test", "not_change"]; returns: string };
  /** AIX alone has this table; elsewhere it is empty. */
  "mount.set_filesystems": { args: { name: string; device: unknown; vfstype: string; opts?: unknown; mount?: string; config?: unknown; test?: boolean; match_on?: string; not_change?: boolean; [name: string]: unknown }; order: ["name", "device", "vfstype", "opts", "mount", "config", "test", "match_on", "not_change"]; returns: null };
  /** Adds or changes an entry of /etc/fstab; returns new, change or present. */
  "mount.set_fstab": { args: { name: string; device: unknown; fstype: string; opts?: unknown; dump?: number; pass_num?: number; config?: unknown; test?: boolean; match_on?: string; not_change?: boolean; [name: string]: unknown }; order: ["name", "device", "fstype", "opts", "dump", "pass_num", "config", "test", "match_on", "not_change"]; returns: string };
  /** Adds or changes an entry of /etc/vfstab; returns new, change or present. */
  "mount.set_vfstab": { args: { name: string; device: unknown; fstype: string; opts?: unknown; device_fsck?: string; pass_fsck?: string; mount_at_boot?: string; config?: unknown; test?: boolean; match_on?: string; not_change?: boolean; [name: string]: unknown }; order: ["name", "device", "fstype", "opts", "device_fsck", "pass_fsck", "mount_at_boot", "config", "test", "match_on", "not_change"]; returns: string };
  /** Disables swapping to a device or file; null if it was not in use. */
  "mount.swapoff": { args: { name: string }; order: ["name"]; returns: boolean | null };
  /** Enables swapping to a device or file. */
  "mount.swapon": { args: { name: string; priority?: number | string | null }; order: ["name", "priority"]; returns: Record<string, unknown> };
  /** The swap devices and files in use. */
  "mount.swaps": { args: Record<never, never>; order: []; returns: Record<string, Record<string, string>> };
  /** Unmounts a file system; returns True, or an error message. */
  "mount.umount": { args: { name: string; device?: unknown; user?: unknown; util?: string }; order: ["name", "device", "user", "util"]; returns: unknown };
  /** The same as mount.fstab, under the name that it has on Solaris. */
  "mount.vfstab": { args: { config?: unknown }; order: ["config"]; returns: Record<string, Record<string, unknown>> };
  /** Notes what a state has mounted. */
  "mount.write_mount_cache": { args: { real_name: string; device: unknown; mkmnt: boolean; fstype: string; mount_opts: unknown }; order: ["real_name", "device", "mkmnt", "fstype", "mount_opts"]; returns: boolean };
  /** Gives a database another character set or collation. */
  "mysql.alter_db": { args: { name: string; character_set?: string | null; collate?: string | null; [name: string]: unknown }; order: ["name", "character_set", "collate"]; returns: unknown };
  /** Checks a table, or all of a database. */
  "mysql.db_check": { args: { name: string; table?: string | null; [name: string]: unknown }; order: ["name", "table"]; returns: Record<string, unknown> };
  /** Makes a database. */
  "mysql.db_create": { args: { name: string; character_set?: string | null; collate?: string | null; [name: string]: unknown }; order: ["name", "character_set", "collate"]; returns: boolean };
  /** True if there is a database of that name. */
  "mysql.db_exists": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: boolean };
  /** Character set and collation of a database. */
  "mysql.db_get": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: unknown };
  /** The databases of a server. */
  "mysql.db_list": { args: { [name: string]: unknown }; order: []; returns: unknown[] };
  /** Optimizes a table, or all of a database. */
  "mysql.db_optimize": { args: { name: string; table?: string | null; [name: string]: unknown }; order: ["name", "table"]; returns: Record<string, unknown> };
  /** Removes a database. */
  "mysql.db_remove": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: boolean };
  /** Repairs a table, or all of a database. */
  "mysql.db_repair": { args: { name: string; table?: string | null; [name: string]: unknown }; order: ["name", "table"]; returns: Record<string, unknown> };
  /** The tables of a database; False if there is none of that name. */
  "mysql.db_tables": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: (string | null)[] | false };
  /** Runs the statements of a file, of this host or the master's. */
  "mysql.file_query": { args: { database: string; file_name: string; [name: string]: unknown }; order: ["database", "file_name"]; returns: Record<string, unknown> | false };
  /** Makes a server that copies another one stand alone. */
  "mysql.free_slave": { args: { [name: string]: unknown }; order: []; returns: string };
  /** The log that copies are made from. */
  "mysql.get_master_status": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** How copying goes. */
  "mysql.get_slave_status": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Gives a user grants. */
  "mysql.grant_add": { args: { grant: string | string[]; database: string; user: string; host?: string; grant_option?: boolean; escape?: boolean; ssl_option?: boolean; [name: string]: unknown }; order: ["grant", "database", "user", "host", "grant_option", "escape", "ssl_option"]; returns: boolean };
  /** True if a user has grants. */
  "mysql.grant_exists": { args: { grant: string | string[]; database: string; user: string; host?: string; grant_option?: boolean; escape?: boolean; [name: string]: unknown }; order: ["grant", "database", "user", "host", "grant_option", "escape"]; returns: boolean };
  /** Takes grants from a user. */
  "mysql.grant_revoke": { args: { grant: string | string[]; database: string; user: string; host?: string; grant_option?: boolean; escape?: boolean; [name: string]: unknown }; order: ["grant", "database", "user", "host", "grant_option", "escape"]; returns: boolean };
  /** Installs a plugin. */
  "mysql.plugin_add": { args: { name: string; soname?: string | null; [name: string]: unknown }; order: ["name", "soname"]; returns: boolean };
  /** Removes a plugin. */
  "mysql.plugin_remove": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: boolean };
  /** The status of a plugin; empty if it is not there. */
  "mysql.plugin_status": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: false | string };
  /** The plugins of a server. */
  "mysql.plugins_list": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** What the server is doing. */
  "mysql.processlist": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Runs a statement, and returns its rows as texts, or how many it changed. */
  "mysql.query": { args: { database: string; query: string; [name: string]: unknown }; order: ["database", "query"]; returns: Record<string, unknown> | false };
  /** A name as SQL has it. */
  "mysql.quote_identifier": { args: { identifier: string; for_grants?: boolean }; order: ["identifier", "for_grants"]; returns: string };
  /** The variables of a server. */
  "mysql.showglobal": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** The variables of a session. */
  "mysql.showvariables": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** Seconds that a copy is behind; -1 if the server copies nothing, -2 if copying stands, -3 after an error. */
  "mysql.slave_lag": { args: { [name: string]: unknown }; order: []; returns: number | null };
  /** The counters of a server. */
  "mysql.status": { args: { [name: string]: unknown }; order: []; returns: unknown };
  /** User, host, grants and database of a statement. */
  "mysql.tokenize_grant": { args: { grant: string | string[] }; order: ["grant"]; returns: { user: string; host: string; grant: string[]; database: string } };
  /** Gives a user another password. */
  "mysql.user_chpass": { args: { user: string; host?: string; password?: string | null; password_hash?: string | null; allow_passwordless?: boolean; unix_socket?: unknown; password_column?: string | null; [name: string]: unknown }; order: ["user", "host", "password", "password_hash", "allow_passwordless", "unix_socket", "password_column"]; returns: boolean };
  /** Makes a user. */
  "mysql.user_create": { args: { user: string; host?: string; password?: string | null; password_hash?: string | null; allow_passwordless?: boolean; unix_socket?: boolean; password_column?: string | null; auth_plugin?: string; [name: string]: unknown }; order: ["user", "host", "password", "password_hash", "allow_passwordless", "unix_socket", "password_column", "auth_plugin"]; returns: boolean };
  /** True if there is a user, with that password if one is given. */
  "mysql.user_exists": { args: { user: string; host?: string; password?: string | null; password_hash?: string | null; passwordless?: boolean; unix_socket?: boolean; password_column?: string | null; [name: string]: unknown }; order: ["user", "host", "password", "password_hash", "passwordless", "unix_socket", "password_column"]; returns: boolean };
  /** What a user may; False if there is none. */
  "mysql.user_grants": { args: { user: string; host?: string; [name: string]: unknown }; order: ["user", "host"]; returns: false | string[] };
  /** Everything that the server keeps of a user. */
  "mysql.user_info": { args: { user: string; host?: string; [name: string]: unknown }; order: ["user", "host"]; returns: unknown };
  /** The users of a server. */
  "mysql.user_list": { args: { [name: string]: unknown }; order: []; returns: unknown[] };
  /** Removes a user. */
  "mysql.user_remove": { args: { user: string; host?: string; [name: string]: unknown }; order: ["user", "host"]; returns: boolean };
  /** True if a user can log in. */
  "mysql.verify_login": { args: { user: string; password?: string | null; [name: string]: unknown }; order: ["user", "password"]; returns: boolean };
  /** The version of the server. */
  "mysql.version": { args: { [name: string]: unknown }; order: []; returns: string };
  /** The open TCP connections over IPv4. */
  "network.active_tcp": { args: Record<never, never>; order: []; returns: unknown };
  /** The ARP table: hardware addresses of neighbours with their IP addresses. */
  "network.arp": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** The network that an address is in. */
  "network.calc_net": { args: { ip_addr: string; netmask?: string | null }; order: ["ip_addr", "netmask"]; returns: string };
  /** Tries whether a connection to a port of a host can be opened; `timeout` in seconds, `family` ipv4 or ipv6. */
  "network.connect": { args: { host: string; port?: number | string | null; [name: string]: unknown }; order: ["host", "port"]; returns: { result: boolean; comment: string } };
  /** Network, mask and broadcast address of a network. */
  "network.convert_cidr": { args: { cidr: string }; order: ["cidr"]; returns: Record<string, string> };
  /** The default routes, or those of inet or inet6. */
  "network.default_route": { args: { family?: unknown }; order: ["family"]; returns: Record<string, unknown>[] };
  /** Runs dig on a name. */
  "network.dig": { args: { host: string }; order: ["host"]; returns: string };
  /** The names that the resolver returns for the addresses of this host. */
  "network.fqdns": { args: Record<never, never>; order: []; returns: { fqdns: string[] } };
  /** The ring buffer sizes of an interface, from ethtool. */
  "network.get_bufsize": { args: { iface: string }; order: ["iface"]; returns: Record<string, unknown> };
  /** The full name of this host. */
  "network.get_fqdn": { args: Record<never, never>; order: []; returns: string };
  /** The name of this host. */
  "network.get_hostname": { args: Record<never, never>; order: []; returns: string };
  /** The route of packets to an address. */
  "network.get_route": { args: { ip: string }; order: ["ip"]; returns: Record<string, unknown> };
  /** The hardware address of an interface. */
  "network.hw_addr": { args: { iface: string }; order: ["iface"]; returns: string };
  /** The hardware address of an interface. */
  "network.hwaddr": { args: { iface: string }; order: ["iface"]; returns: string };
  /** The interfaces with an address that begins like this. */
  "network.ifacestartswith": { args: { cidr: string }; order: ["cidr"]; returns: string[] };
  /** True if this host has an address in a network. */
  "network.in_subnet": { args: { cidr: string }; order: ["cidr"]; returns: boolean };
  /** The IPv4 addresses of an interface with mask, broadcast address and label. */
  "network.interface": { args: { iface: string }; order: ["iface"]; returns: unknown };
  /** The first IPv4 address of an interface. */
  "network.interface_ip": { args: { iface: string }; order: ["iface"]; returns: string };
  /** The interfaces with their addresses. */
  "network.interfaces": { args: Record<never, never>; order: []; returns: Record<string, { up: boolean; hwaddr?: string; inet?: { address: string; netmask: string; broadcast: string | null; label: string }[]; inet6?: { address: string; prefixlen: string; scope: string }[]; secondary?: { type: string; address: string; netmask: string; broadcast: string | null; label: string }[]; parent?: string }> };
  /** The IPv4 addresses of this host: of an interface, in a network, or of a type, public or private. */
  "network.ip_addrs": { args: { interface?: string | null; include_loopback?: boolean; cidr?: string | null; type?: unknown }; order: ["interface", "include_loopback", "cidr", "type"]; returns: string[] };
  /** The IPv6 addresses of this host: of an interface, or in a network. */
  "network.ip_addrs6": { args: { interface?: string | null; include_loopback?: boolean; cidr?: string | null }; order: ["interface", "include_loopback", "cidr"]; returns: string[] };
  /** True if an address is in a network. */
  "network.ip_in_subnet": { args: { ip_addr: string; cidr: string }; order: ["ip_addr", "cidr"]; returns: boolean };
  /** The IPv4 networks of the interfaces; with `verbose` with details. */
  "network.ip_networks": { args: { interface?: string | null; include_loopback?: boolean; verbose?: boolean }; order: ["interface", "include_loopback", "verbose"]; returns: Record<string, unknown> | string[] };
  /** The IPv6 networks of the interfaces. */
  "network.ip_networks6": { args: { interface?: string | null; include_loopback?: boolean; verbose?: boolean }; order: ["interface", "include_loopback", "verbose"]; returns: Record<string, unknown> | string[] };
  /** The IPv4 addresses of this host: of an interface, in a network, or of a type, public or private. */
  "network.ipaddrs": { args: { interface?: string | null; include_loopback?: boolean; cidr?: string | null; type?: unknown }; order: ["interface", "include_loopback", "cidr", "type"]; returns: string[] };
  /** The IPv6 addresses of this host: of an interface, or in a network. */
  "network.ipaddrs6": { args: { interface?: string | null; include_loopback?: boolean; cidr?: string | null }; order: ["interface", "include_loopback", "cidr"]; returns: string[] };
  /** An IPv4 address in hexadecimal. */
  "network.iphexval": { args: { ip: string }; order: ["ip"]; returns: string };
  /** True for an address of the loopback. */
  "network.is_loopback": { args: { ip_addr: string }; order: ["ip_addr"]; returns: boolean };
  /** True for an address of a private network. */
  "network.is_private": { args: { ip_addr: string }; order: ["ip_addr"]; returns: boolean };
  /** Changes the ring buffer sizes of an interface. */
  "network.mod_bufsize": { args: { iface: string; [name: string]: unknown }; order: ["iface"]; rest: unknown[]; returns: unknown };
  /** Changes the name of this host. */
  "network.mod_hostname": { args: { hostname: string }; order: ["hostname"]; returns: boolean };
  /** The open sockets with their programs. */
  "network.netstat": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** Pings a host; returns the output of ping, or whether it answers. `timeout` in seconds. */
  "network.ping": { args: { host: string; timeout?: number; return_boolean?: boolean }; order: ["host", "timeout", "return_boolean"]; returns: boolean | string };
  /** The reverse DNS name of an address. */
  "network.reverse_ip": { args: { ip_addr: string }; order: ["ip_addr"]; returns: string };
  /** The routes, or those of inet or inet6. */
  "network.routes": { args: { family?: unknown }; order: ["family"]; returns: Record<string, unknown>[] };
  /** The IPv4 networks that this host, or some of its interfaces, are in. */
  "network.subnets": { args: { interfaces?: string | string[] | null }; order: ["interfaces"]; returns: string[] };
  /** The IPv6 networks that this host is in. */
  "network.subnets6": { args: Record<never, never>; order: []; returns: string[] };
  /** The hosts on the route to another. */
  "network.traceroute": { args: { host: string }; order: ["host"]; returns: unknown[] };
  /** Wakes up a host with a Wake-on-LAN broadcast. */
  "network.wol": { args: { mac: string; bcast?: string; destport?: number }; order: ["mac", "bcast", "destport"]; returns: true };
  /** Adds a client to an export. */
  "nfs3.add_export": { args: { exports?: string; path?: string | null; hosts?: string | null; options?: string | string[] | null }; order: ["exports", "path", "hosts", "options"]; returns: { hosts: string; options: string[] } };
  /** Removes an export; returns the others. */
  "nfs3.del_export": { args: { exports?: string; path?: string | null }; order: ["exports", "path"]; returns: Record<string, { hosts: string; options: string[] }[]> };
  /** The exports: directory → its clients. */
  "nfs3.list_exports": { args: { exports?: string }; order: ["exports"]; returns: Record<string, { hosts: string; options: string[] }[]> };
  /** Makes the server read the exports again. */
  "nfs3.reload_exports": { args: Record<never, never>; order: []; returns: { stdout: string; stderr: string; result: boolean } };
  /** Adds a rule behind the others, unless it is there. */
  "nftables.append": { args: { table?: string; chain?: string | null; rule?: unknown; family?: string }; order: ["table", "chain", "rule", "family"]; returns: { comment: string; result: boolean } };
  /** The text of a rule; with full='"True"' of the whole command. */
  "nftables.build_rule": { args: { table?: string | null; chain?: string | null; command?: string | null; position?: unknown; full?: unknown; family?: string; [name: string]: unknown }; order: ["table", "chain", "command", "position", "full", "family"]; returns: Record<string, unknown> };
  /** Whether there is such a rule. */
  "nftables.check": { args: { table?: string; chain?: string | null; rule?: unknown; family?: string }; order: ["table", "chain", "rule", "family"]; returns: { comment: string; result: boolean } };
  /** Whether there is such a chain. */
  "nftables.check_chain": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: { comment: string; result: boolean } };
  /** Whether there is such a table. */
  "nftables.check_table": { args: { table?: string | null; family?: string }; order: ["table", "family"]; returns: { comment: string; result: boolean } };
  /** Deletes a rule, by its handle or by what it says. */
  "nftables.delete": { args: { table: string; chain?: string | null; position?: unknown; rule?: unknown; family?: string }; order: ["table", "chain", "position", "rule", "family"]; returns: { comment: string; result: boolean } };
  /** Deletes a chain. */
  "nftables.delete_chain": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: { comment: string; result: boolean } };
  /** Deletes a table. */
  "nftables.delete_table": { args: { table: string; family?: string }; order: ["table", "family"]; returns: { comment: string; result: boolean } };
  /** Deletes all rules of a chain, or of a table. */
  "nftables.flush": { args: { table?: string; chain?: string; family?: string }; order: ["table", "chain", "family"]; returns: { comment: string; result: boolean } };
  /** The policy of a chain; null if it has none. */
  "nftables.get_policy": { args: { table?: string; chain?: string | null; family?: string }; order: ["table", "chain", "family"]; returns: Record<string, unknown> | null };
  /** The number by which nft knows a rule. */
  "nftables.get_rule_handle": { args: { table?: string; chain?: string | null; rule?: unknown; family?: string }; order: ["table", "chain", "rule", "family"]; returns: { comment: string; result: boolean } | { result: boolean; handle: string } };
  /** The rules that hold now, a text for each table. */
  "nftables.get_rules": { args: { family?: string }; order: ["family"]; returns: string[] };
  /** The rules that hold now, as nft lists them in JSON. */
  "nftables.get_rules_json": { args: { family?: string }; order: ["family"]; returns: unknown[] };
  /** The lines of the file of rules, without comments. */
  "nftables.get_saved_rules": { args: { conf_file?: string | null }; order: ["conf_file"]; returns: string[] };
  /** Adds a rule before the others, or before the rule with the handle `position`, unless it is there. */
  "nftables.insert": { args: { table?: string; chain?: string | null; position?: unknown; rule?: unknown; family?: string }; order: ["table", "chain", "position", "rule", "family"]; returns: { comment: string; result: boolean } };
  /** The tables that there are now. */
  "nftables.list_tables": { args: { family?: string }; order: ["family"]; returns: Record<string, unknown>[] };
  /** Makes a chain; with type, hook and priority it is one that packets come through. */
  "nftables.new_chain": { args: { table?: string; chain?: string | null; table_type?: unknown; hook?: string | null; priority?: number | string | null; family?: string }; order: ["table", "chain", "table_type", "hook", "priority", "family"]; returns: { comment: string; result: boolean } };
  /** Makes a table. */
  "nftables.new_table": { args: { table: string; family?: string }; order: ["table", "family"]; returns: { comment: string; result: boolean } };
  /** Saves the rules of all families; below a directory as salt-all-in-one.nft. Returns what it wrote. */
  "nftables.save": { args: { filename?: string | null; family?: string }; order: ["filename", "family"]; returns: string };
  /** Sets the policy of a chain that packets come through; false if it is no such chain. */
  "nftables.set_policy": { args: { table?: string; chain?: string | null; policy?: string | null; family?: string }; order: ["table", "chain", "policy", "family"]; returns: unknown };
  /** The version of nft. */
  "nftables.version": { args: Record<never, never>; order: []; returns: string };
  /** How nginx was built. */
  "nginx.build_info": { args: Record<never, never>; order: []; returns: Record<string, string[]> };
  /** Whether the configuration is right. */
  "nginx.configtest": { args: Record<never, never>; order: []; returns: { comment: string; stderr: string; result: boolean } | { comment: string; stdout: string; result: boolean } };
  /** Starts nginx, or sends it a signal. */
  "nginx.signal": { args: { signal?: unknown }; order: ["signal"]; returns: string | null };
  /** The numbers that stub_status shows. */
  "nginx.status": { args: { url?: string }; order: ["url"]; returns: Record<string, number> | null };
  /** The version of nginx. */
  "nginx.version": { args: Record<never, never>; order: []; returns: string };
  /** Cleans npm's cache; npm 5 and newer does that by `force` alone. */
  "npm.cache_clean": { args: { path?: string | null; runas?: string | null; env?: Record<string, unknown> | string | null; force?: boolean }; order: ["path", "runas", "env", "force"]; returns: boolean };
  /** What npm's cache has. */
  "npm.cache_list": { args: { path?: string | null; runas?: string | null; env?: Record<string, unknown> | string | null }; order: ["path", "runas", "env"]; returns: string };
  /** The directory of npm's cache. */
  "npm.cache_path": { args: { runas?: string | null; env?: Record<string, unknown> | string | null }; order: ["runas", "env"]; returns: string };
  /** Installs packages, or what a directory's package.json names. */
  "npm.install": { args: { pkg?: unknown; pkgs?: string | string[] | null; dir?: string | null; runas?: string | null; registry?: string | null; env?: Record<string, unknown> | string | null; dry_run?: boolean; silent?: boolean }; order: ["pkg", "pkgs", "dir", "runas", "registry", "env", "dry_run", "silent"]; returns: unknown };
  /** The installed packages. */
  "npm.list": { args: { pkg?: unknown; dir?: string | null; runas?: string | null; env?: Record<string, unknown> | string | null; depth?: number | null }; order: ["pkg", "dir", "runas", "env", "depth"]; returns: unknown };
  /** Removes a package; True if that succeeded. */
  "npm.uninstall": { args: { pkg: unknown; dir?: string | null; runas?: string | null; env?: Record<string, unknown> | string | null }; order: ["pkg", "dir", "runas", "env"]; returns: boolean };
  /** Whether a partition is aligned. */
  "partition.align_check": { args: { device: string; part_type: string; partition: number | string }; order: ["device", "part_type", "partition"]; returns: string[] };
  /** Whether the file system of a partition has errors. */
  "partition.check": { args: { device: string; minor: number }; order: ["device", "minor"]; returns: string[] };
  /** Copies the file system of a partition to another. WARNING: data may be lost. */
  "partition.cp": { args: { device: string; from_minor: number | string; to_minor: number | string }; order: ["device", "from_minor", "to_minor"]; returns: string[] };
  /** Sets a flag of a disk. */
  "partition.disk_set": { args: { device: string; flag: string; state: unknown }; order: ["device", "flag", "state"]; returns: string[] };
  /** Toggles a flag of a disk. */
  "partition.disk_toggle": { args: { device: string; flag: string }; order: ["device", "flag"]; returns: string[] };
  /** True if it is a block device. */
  "partition.exists": { args: { device?: string }; order: ["device"]; returns: boolean };
  /** The names of the disks. */
  "partition.get_block_device": { args: Record<never, never>; order: []; returns: string[] };
  /** The system id of a partition. */
  "partition.get_id": { args: { device: string; minor: number }; order: ["device", "minor"]; returns: string[] };
  /** A disk and its partitions. */
  "partition.list": { args: { device: string; unit?: string | null }; order: ["device", "unit"]; returns: { info: Record<string, string>; partitions: Record<string, Record<string, string>> } };
  /** Makes a file system. WARNING: data may be lost. */
  "partition.mkfs": { args: { device: string; fs_type: string }; order: ["device", "fs_type"]; returns: unknown };
  /** Makes an empty table of partitions. WARNING: data may be lost. */
  "partition.mklabel": { args: { device: string; label_type: string }; order: ["device", "label_type"]; returns: string[] };
  /** Makes a partition. */
  "partition.mkpart": { args: { device: string; part_type: string; fs_type?: string | null; start?: number | string | null; end?: number | string | null }; order: ["device", "part_type", "fs_type", "start", "end"]; returns: string[] };
  /** The same as partition.mkpart. */
  "partition.mkpartfs": { args: { device: string; part_type: string; fs_type?: string | null; start?: number | string | null; end?: number | string | null }; order: ["device", "part_type", "fs_type", "start", "end"]; returns: string[] };
  /** Names a partition; letters, digits, spaces, _ and - are taken. */
  "partition.name": { args: { device: string; partition: number | string; name: string }; order: ["device", "partition", "name"]; returns: string[] };
  /** Tells the kernel of changed partitions, of these devices or all. */
  "partition.probe": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** Looks for a lost partition near a place. */
  "partition.rescue": { args: { device: string; start: number | string; end: number | string }; order: ["device", "start", "end"]; returns: string[] };
  /** Resizes a partition. */
  "partition.resize": { args: { device: string; minor: number; start: number | string; end: number | string }; order: ["device", "minor", "start", "end"]; returns: string[] };
  /** Removes a partition. WARNING: data may be lost. */
  "partition.rm": { args: { device: string; minor: number }; order: ["device", "minor"]; returns: string[] };
  /** Sets a flag of a partition. */
  "partition.set": { args: { device: string; minor: number; flag: string; state: unknown }; order: ["device", "minor", "flag", "state"]; returns: string[] };
  /** Sets the system id of a partition. */
  "partition.set_id": { args: { device: string; minor: number; system_id: number | string }; order: ["device", "minor", "system_id"]; returns: string[] };
  /** The system ids that sfdisk knows. */
  "partition.system_types": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** Toggles a flag of a partition. */
  "partition.toggle": { args: { device: string; partition: number | string; flag: string }; order: ["device", "partition", "flag"]; returns: string[] };
  /** The same as pillar.items. */
  "pillar.data": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Compiles the pillar again with one more external pillar, which the master must allow (on_demand_ext_pillar). */
  "pillar.ext": { args: { external: Record<string, unknown>; pillar?: Record<string, unknown> | null; unmask?: boolean | null }; order: ["external", "pillar", "unmask"]; returns: unknown };
  /** The same as pillar.get. */
  "pillar.fetch": { args: { key: string; default?: unknown; merge?: boolean; merge_nested_lists?: boolean | null; delimiter?: string; pillarenv?: string | null; saltenv?: string | null; unmask?: boolean | null }; order: ["key", "default", "merge", "merge_nested_lists", "delimiter", "pillarenv", "saltenv", "unmask"]; returns: unknown };
  /** True if a file of this path exists below pillar_roots of this host, which must be a master. */
  "pillar.file_exists": { args: { path: string; saltenv?: string | null }; order: ["path", "saltenv"]; returns: boolean };
  /** Chooses from a map by a value of the pillar; keys may be globs. `merge` is laid over what was chosen, and what was chosen over the entry that `base` names. */
  "pillar.filter_by": { args: { lookup_dict: Record<string, unknown>; pillar: unknown; merge?: unknown; default?: unknown; base?: string | null }; order: ["lookup_dict", "pillar", "merge", "default", "base"]; returns: unknown };
  /** The value at a path of the pillar in use, or the default. `merge` merges it into the default, `pillarenv` and `saltenv` ask for a fresh pillar. */
  "pillar.get": { args: { key: string; default?: unknown; merge?: boolean; merge_nested_lists?: boolean | null; delimiter?: string; pillarenv?: string | null; saltenv?: string | null; unmask?: boolean | null }; order: ["key", "default", "merge", "merge_nested_lists", "delimiter", "pillarenv", "saltenv", "unmask"]; returns: unknown };
  /** Some values of the pillar in use, by name or path. `default`, `delimiter`, `pillarenv` and `saltenv` are those of pillar.get. */
  "pillar.item": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Compiles the pillar again; with names, returns these values of the pillar in use. `pillar` is merged into it, `pillarenv` asks for one environment. */
  "pillar.items": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** The keys of a map in the pillar in use. */
  "pillar.keys": { args: { key: string; delimiter?: string }; order: ["key", "delimiter"]; returns: string[] };
  /** Compiles the pillar again and returns its top-level names. */
  "pillar.ls": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** As pillar.items, with the types of values instead of the values. */
  "pillar.obfuscate": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** The pillar in use, or what is under one of its keys. */
  "pillar.raw": { args: { key?: string | null; unmask?: boolean | null }; order: ["key", "unmask"]; returns: unknown };
  /** The installed packages, a line for each. */
  "pip.freeze": { args: { bin_env?: string | null; user?: string | null; cwd?: string | null; use_vt?: boolean; env_vars?: Record<string, unknown> | null; [name: string]: unknown }; order: ["bin_env", "user", "cwd", "use_vt", "env_vars"]; returns: string[] };
  /** Installs packages, or those of files of requirements. */
  "pip.install": { args: { pkgs?: string | string[] | null; requirements?: string | string[] | null; bin_env?: string | null; use_wheel?: boolean; no_use_wheel?: boolean; log?: string | null; proxy?: unknown; timeout?: number | null; editable?: unknown; find_links?: string | string[] | null; index_url?: unknown; extra_index_url?: string | string[] | null; no_index?: boolean; mirrors?: string | string[] | null; build?: unknown; target?: unknown; download?: unknown; download_cache?: unknown; source?: unknown; upgrade?: boolean; force_reinstall?: boolean; ignore_installed?: boolean; exists_action?: unknown; no_deps?: boolean; no_install?: boolean; no_download?: boolean; global_options?: unknown; install_options?: unknown; user?: string | null; cwd?: string | null; pre_releases?: boolean; cert?: unknown; allow_all_external?: boolean; allow_external?: unknown; allow_unverified?: unknown; process_dependency_links?: boolean; saltenv?: string; env_vars?: Record<string, unknown> | null; use_vt?: boolean; trusted_host?: string | string[] | null; no_cache_dir?: boolean; extra_args?: unknown; cache_dir?: string | null; no_binary?: unknown; disable_version_check?: boolean; [name: string]: unknown }; order: ["pkgs", "requirements", "bin_env", "use_wheel", "no_use_wheel", "log", "proxy", "timeout", "editable", "find_links", "index_url", "extra_index_url", "no_index", "mirrors", "build", "target", "download", "download_cache", "source", "upgrade", "force_reinstall", "ignore_installed", "exists_action", "no_deps", "no_install", "no_download", "global_options", "install_options", "user", "cwd", "pre_releases", "cert", "allow_all_external", "allow_external", "allow_unverified", "process_dependency_links", "saltenv", "env_vars", "use_vt", "trusted_host", "no_cache_dir", "extra_args", "cache_dir", "no_binary", "disable_version_check"]; returns: unknown };
  /** True if a package is installed. */
  "pip.is_installed": { args: { pkgname: string; bin_env?: string | null; user?: string | null; cwd?: string | null }; order: ["pkgname", "bin_env", "user", "cwd"]; returns: boolean };
  /** The installed packages with their versions. */
  "pip.list": { args: { prefix?: string | null; bin_env?: string | null; user?: string | null; cwd?: string | null; env_vars?: Record<string, unknown> | null; [name: string]: unknown }; order: ["prefix", "bin_env", "user", "cwd", "env_vars"]; returns: Record<string, string> };
  /** The versions that there are of a package, oldest first. */
  "pip.list_all_versions": { args: { pkg: unknown; bin_env?: string | null; include_alpha?: boolean; include_beta?: boolean; include_rc?: boolean; user?: string | null; cwd?: string | null; index_url?: unknown; extra_index_url?: string | string[] | null }; order: ["pkg", "bin_env", "include_alpha", "include_beta", "include_rc", "user", "cwd", "index_url", "extra_index_url"]; returns: string[] | null };
  /** The same, of what pip freezes. */
  "pip.list_freeze_parse": { args: { prefix?: string | null; bin_env?: string | null; user?: string | null; cwd?: string | null; env_vars?: Record<string, unknown> | null; [name: string]: unknown }; order: ["prefix", "bin_env", "user", "cwd", "env_vars"]; returns: Record<string, string> };
  /** The packages that there are newer versions of. */
  "pip.list_upgrades": { args: { bin_env?: string | null; user?: string | null; cwd?: string | null }; order: ["bin_env", "user", "cwd"]; returns: Record<string, string> };
  /** Removes packages. */
  "pip.uninstall": { args: { pkgs?: string | string[] | null; requirements?: string | string[] | null; bin_env?: string | null; log?: string | null; proxy?: unknown; timeout?: number | null; user?: string | null; cwd?: string | null; saltenv?: string; use_vt?: boolean; extra_args?: unknown }; order: ["pkgs", "requirements", "bin_env", "log", "proxy", "timeout", "user", "cwd", "saltenv", "use_vt", "extra_args"]; returns: unknown };
  /** Upgrades all packages. */
  "pip.upgrade": { args: { bin_env?: string | null; user?: string | null; cwd?: string | null; use_vt?: boolean }; order: ["bin_env", "user", "cwd", "use_vt"]; returns: unknown };
  /** True if there is a newer version of a package. */
  "pip.upgrade_available": { args: { pkg: unknown; bin_env?: string | null; user?: string | null; cwd?: string | null }; order: ["pkg", "bin_env", "user", "cwd"]; returns: boolean };
  /** The version of pip. */
  "pip.version": { args: { bin_env?: string | null; cwd?: string | null; user?: string | null }; order: ["bin_env", "cwd", "user"]; returns: string | null };
  /** Adds a key of a repository, from a file, a text, or a key server by its id; True on success. */
  "pkg.add_repo_key": { args: { path?: string | null; text?: string | null; keyserver?: string | null; keyid?: string | null; saltenv?: string; aptkey?: boolean; keydir?: string | null; keyfile?: string | null }; order: ["path", "text", "keyserver", "keyid", "saltenv", "aptkey", "keydir", "keyfile"]; returns: boolean };
  /** Removes packages that were installed as dependencies and are no longer needed. */
  "pkg.autoremove": { args: { list_only?: boolean; purge?: boolean }; order: ["list_only", "purge"]; returns: unknown };
  /** Another name of pkg.latest_version. */
  "pkg.available_version": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, string | string[]> | string | string[] };
  /** Removes locks that are of no use. */
  "pkg.clean_locks": { args: { root?: string | null }; order: ["root"]; returns: { removed: number | string } };
  /** Another name of pkg.refresh_db. */
  "pkg.clean_metadata": { args: { [name: string]: unknown }; order: []; returns: boolean | null };
  /** Removes a repository, or the components of it that are named. */
  "pkg.del_repo": { args: { repo: string; basedir?: string | null; root?: string | null; [name: string]: unknown }; order: ["repo"]; returns: Record<string, unknown> | string };
  /** Removes the key with the id `keyid`; returns the id, or False if it does not exist. */
  "pkg.del_repo_key": { args: { name?: string | null; aptkey?: boolean; keydir?: string | null; [name: string]: unknown }; order: ["name", "aptkey", "keydir"]; returns: false | string };
  /** What was changed of files since their packages had them. */
  "pkg.diff": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Fetches packages as files. */
  "pkg.download": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** The files of packages by package. */
  "pkg.file_dict": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** Another name of pkg.file_dict. */
  "pkg.file_list": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** A configured repository, or an empty map. */
  "pkg.get_repo": { args: { repo: string; basedir?: string | null; root?: string | null; [name: string]: unknown }; order: ["repo"]; returns: Record<string, unknown> };
  /** The keys of repositories: id → details. */
  "pkg.get_repo_keys": { args: { aptkey?: boolean; keydir?: string | null }; order: ["aptkey", "keydir"]; returns: Record<string, Record<string, unknown>> | false };
  /** The selection states of packages: state → names. */
  "pkg.get_selections": { args: { pattern?: string | null; state?: unknown }; order: ["pattern", "state"]; returns: Record<string, string[]> };
  /** Which packages of a group are installed. */
  "pkg.group_diff": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** The packages of a group. */
  "pkg.group_info": { args: { name: string; expand?: boolean; ignore_groups?: unknown; [name: string]: unknown }; order: ["name"]; returns: Record<string, string[]> | { type: string; group: string | null; id: string | null; description: string; conditional: string[]; default: string[]; mandatory: string[]; optional: string[] } };
  /** Installs groups: their mandatory and default packages. */
  "pkg.group_install": { args: { name: string; skip?: unknown[]; include?: unknown[]; [name: string]: unknown }; order: ["name", "skip", "include"]; returns: unknown };
  /** The groups that there are, installed and not. */
  "pkg.group_list": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Installs groups: their mandatory and default packages. */
  "pkg.groupinstall": { args: { name: string; skip?: unknown[]; include?: unknown[]; [name: string]: unknown }; order: ["name", "skip", "include"]; returns: unknown };
  /** Holds packages at their version. */
  "pkg.hold": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; sources?: Record<string, string>[] | null; normalize?: boolean; root?: string | null; [name: string]: unknown }; order: ["name", "pkgs"]; returns: Record<string, unknown> };
  /** Details of available packages. */
  "pkg.info_available": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, Record<string, unknown>> };
  /** Details of installed packages. */
  "pkg.info_installed": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Installs packages: one with its `version`, several as `pkgs`, or files as `sources`. */
  "pkg.install": { args: { name?: string | null; refresh?: boolean; pkgs?: (string | Record<string, string | null>)[] | null; sources?: Record<string, string>[] | null; fromrepo?: string | null; skip_verify?: boolean; debconf?: string | null; reinstall?: boolean; downloadonly?: boolean | null; ignore_epoch?: boolean; normalize?: boolean; sysupgrade?: boolean | null; update_holds?: boolean; saltenv?: string; version?: unknown; ignore_repo_failure?: boolean; no_recommends?: boolean; root?: string | null; [name: string]: unknown }; order: ["name", "refresh"]; returns: unknown };
  /** The newest available version, empty if it is installed. */
  "pkg.latest_version": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, string | string[]> | string | string[] };
  /** The downloaded package files: name, version and path. */
  "pkg.list_downloaded": { args: { root?: string | null; [name: string]: unknown }; order: []; returns: Record<string, Record<string, unknown>> };
  /** The packages that are held. */
  "pkg.list_holds": { args: { pattern?: string | null; full?: boolean; root?: string | null; [name: string]: unknown }; order: ["pattern", "full"]; returns: string[] };
  /** The advisories whose packages are installed. */
  "pkg.list_installed_patches": { args: { root?: string | null; [name: string]: unknown }; order: []; returns: Record<string, { installed: boolean; summary: string }> | Record<string, { installed: boolean; summary: string[] }> };
  /** The installed patterns. */
  "pkg.list_installed_patterns": { args: { root?: string | null }; order: ["root"]; returns: Record<string, { installed: boolean; summary: string }> };
  /** The locks of zypper. */
  "pkg.list_locks": { args: { root?: string | null }; order: ["root"]; returns: Record<string, Record<string, string>> };
  /** All advisories with their packages. */
  "pkg.list_patches": { args: { refresh?: boolean; root?: string | null; [name: string]: unknown }; order: ["refresh"]; returns: Record<string, { installed: boolean; summary: string }> | Record<string, { installed: boolean; summary: string[] }> };
  /** All patterns that there are. */
  "pkg.list_patterns": { args: { refresh?: boolean; root?: string | null }; order: ["refresh", "root"]; returns: Record<string, { installed: boolean; summary: string }> };
  /** The installed packages with their versions. */
  "pkg.list_pkgs": { args: { versions_as_list?: boolean; removed?: boolean; purge_desired?: boolean; root?: string | null; includes?: unknown; [name: string]: unknown }; order: ["versions_as_list"]; returns: Record<string, unknown> };
  /** The installed products, or all that there are. */
  "pkg.list_products": { args: { all?: boolean; refresh?: boolean; root?: string | null }; order: ["all", "refresh", "root"]; returns: Record<string, unknown>[] };
  /** What installed packages provide, with the packages. */
  "pkg.list_provides": { args: { root?: string | null; [name: string]: unknown }; order: ["root"]; returns: Record<string, string[]> };
  /** The available versions of packages. */
  "pkg.list_repo_pkgs": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** The repositories that packages come from, by address. */
  "pkg.list_repos": { args: { basedir?: string | null; root?: string | null; [name: string]: unknown }; order: []; returns: Record<string, Record<string, unknown>> | Record<string, { file: string; comps: string[]; disabled: boolean; dist: string; type: string; uri: string; line: string; architectures: string[]; signedby: string }[]> };
  /** The packages that an upgrade would update. */
  "pkg.list_updates": { args: { refresh?: boolean; root?: string | null; [name: string]: unknown }; order: ["refresh"]; returns: Record<string, string> };
  /** The packages that an upgrade would update. */
  "pkg.list_upgrades": { args: { refresh?: boolean; dist_upgrade?: boolean; root?: string | null; [name: string]: unknown }; order: ["refresh"]; returns: Record<string, string> };
  /** Adds a repository, or changes an existing one. */
  "pkg.mod_repo": { args: { repo: string; saltenv?: string; aptkey?: boolean; basedir?: string | null; [name: string]: unknown }; order: ["repo"]; returns: Record<string, unknown> };
  /** What was changed of the files of packages. */
  "pkg.modified": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** A name without the architecture if that is this system's own. */
  "pkg.normalize_name": { args: { name: string }; order: ["name"]; returns: string };
  /** The packages that files belong to. */
  "pkg.owner": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** A package name and its architecture. */
  "pkg.parse_arch": { args: { name: string }; order: ["name"]; returns: { name: string; arch: string | null } };
  /** Removes packages and their configuration. */
  "pkg.purge": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; root?: string | null; [name: string]: unknown }; order: ["name", "pkgs"]; returns: unknown };
  /** Fetches the lists of packages. */
  "pkg.refresh_db": { args: { cache_valid_time?: number; failhard?: boolean; root?: string | null; force?: boolean | null; [name: string]: unknown }; order: []; returns: Record<string, boolean | null> | Record<string, boolean> | boolean | null };
  /** Removes packages. */
  "pkg.remove": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; root?: string | null; [name: string]: unknown }; order: ["name", "pkgs"]; returns: unknown };
  /** With `resolve_capabilities` the packages that have what is named; otherwise what is named. */
  "pkg.resolve_capabilities": { args: { pkgs: (string | Record<string, string | null>)[]; refresh?: boolean; root?: string | null; [name: string]: unknown }; order: ["pkgs", "refresh", "root"]; returns: unknown[] };
  /** Packages that fit: by name, or by what they provide, require and so on. */
  "pkg.search": { args: { criteria: string; refresh?: boolean; [name: string]: unknown }; order: ["criteria", "refresh"]; returns: Record<string, Record<string, string>> };
  /** The services that use files which an upgrade has replaced. */
  "pkg.services_need_restart": { args: { root?: string | null; [name: string]: unknown }; order: []; returns: string[] };
  /** Sets the selection states of packages. */
  "pkg.set_selections": { args: { path?: string | null; selection?: unknown; clear?: boolean; saltenv?: string }; order: ["path", "selection", "clear", "saltenv"]; returns: unknown };
  /** Details of packages from the package lists; only some fields with `filter`. */
  "pkg.show": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, unknown> };
  /** Lets held packages be upgraded again. */
  "pkg.unhold": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; sources?: Record<string, string>[] | null; root?: string | null; [name: string]: unknown }; order: ["name", "pkgs"]; returns: Record<string, unknown> };
  /** As pkg.upgrade, without packages that replace others. */
  "pkg.update": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; refresh?: boolean; skip_verify?: boolean; normalize?: boolean; minimal?: boolean; obsoletes?: boolean; [name: string]: unknown }; order: ["name", "pkgs", "refresh", "skip_verify", "normalize", "minimal", "obsoletes"]; returns: unknown };
  /** Upgrades all packages, or those that are named. */
  "pkg.upgrade": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; refresh?: boolean; dist_upgrade?: boolean; root?: string | null; skip_verify?: boolean; normalize?: boolean; minimal?: boolean; obsoletes?: boolean; diff_attr?: boolean | null; dryrun?: boolean; fromrepo?: string | null; novendorchange?: boolean; no_recommends?: boolean; [name: string]: unknown }; order: []; returns: unknown };
  /** True if there is a newer version of a package. */
  "pkg.upgrade_available": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: boolean };
  /** The files that are not as their packages had them. */
  "pkg.verify": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** The installed version, empty for none; a map for several packages. */
  "pkg.version": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: Record<string, string | string[]> | string | string[] };
  /** -1, 0 or 1 for a version that is older than another, the same, or newer. */
  "pkg.version_cmp": { args: { pkg1?: string; pkg2?: string; ignore_epoch?: boolean; ver1?: string; ver2?: string; [name: string]: unknown }; order: []; returns: unknown };
  /** Adds a version of a package to a list. */
  "pkg_resource.add_pkg": { args: { pkgs: (string | Record<string, string | null>)[]; name: string; pkgver: string }; order: ["pkgs", "name", "pkgver"]; returns: Record<string, unknown[]> };
  /** Whether a package is as it is wanted, beside its version. */
  "pkg_resource.check_extra_requirements": { args: { pkgname: string; pkgver: string }; order: ["pkgname", "pkgver"]; returns: unknown };
  /** A list of packages as pkg.list_pkgs shows it. */
  "pkg_resource.format_pkg_list": { args: { packages: unknown; versions_as_list: unknown; attr: string }; order: ["packages", "versions_as_list", "attr"]; returns: Record<string, unknown> };
  /** A version with its epoch and release. */
  "pkg_resource.format_version": { args: { epoch: unknown; version: unknown; release: unknown }; order: ["epoch", "version", "release"]; returns: string };
  /** The sources of packages as one map. */
  "pkg_resource.pack_sources": { args: { sources: unknown; normalize?: boolean }; order: ["sources", "normalize"]; returns: Record<string, string> };
  /** What is to be installed, and of which kind it is: names with versions from a repository, or files. */
  "pkg_resource.parse_targets": { args: { name?: string | null; pkgs?: (string | Record<string, string | null>)[] | null; sources?: unknown; saltenv?: string; normalize?: boolean; [name: string]: unknown }; order: ["name", "pkgs", "sources", "saltenv", "normalize"]; returns: (Record<string, string | null> | string)[] | (string | string[])[] | null[] };
  /** Sorts the versions of each package. */
  "pkg_resource.sort_pkglist": { args: { pkgs: (string | Record<string, string | null>)[] }; order: ["pkgs"]; returns: Record<string, string[]> };
  /** Joins the versions of each package with commas. */
  "pkg_resource.stringify": { args: { pkgs: (string | Record<string, string | null>)[] }; order: ["pkgs"]; returns: Record<string, string> };
  /** The installed versions of packages. */
  "pkg_resource.version": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: unknown };
  /** A version without what the package manager writes beside it. */
  "pkg_resource.version_clean": { args: { verstr: string }; order: ["verstr"]; returns: unknown };
  /** Whether a comparison of versions holds. */
  "pkg_resource.version_compare": { args: { ver1: string; oper: string; ver2: string; ignore_epoch?: boolean }; order: ["ver1", "oper", "ver2", "ignore_epoch"]; returns: boolean };
  /** The extensions that a server offers. */
  "postgres.available_extensions": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, Record<string, string>> };
  /** Makes a cluster with Debian's pg_createcluster. */
  "postgres.cluster_create": { args: { version: unknown; name?: string; port?: number | string | null; locale?: string | null; encoding?: string | null; datadir?: string | null; allow_group_access?: boolean | null; data_checksums?: boolean | null; wal_segsize?: unknown }; order: ["version", "name", "port", "locale", "encoding", "datadir", "allow_group_access", "data_checksums", "wal_segsize"]; returns: unknown };
  /** True if there is such a cluster. */
  "postgres.cluster_exists": { args: { version: unknown; name?: string }; order: ["version", "name"]; returns: boolean };
  /** The clusters of Debian's PostgreSQL: their names, or what is known of each. */
  "postgres.cluster_list": { args: { verbose?: boolean }; order: ["verbose"]; returns: Record<string, { port: number; status: string; user: string; datadir: string; log: string }> | string[] };
  /** Removes a cluster with its data. */
  "postgres.cluster_remove": { args: { version: unknown; name?: string; stop?: boolean }; order: ["version", "name", "stop"]; returns: unknown };
  /** Installs, upgrades or moves an extension. */
  "postgres.create_extension": { args: { name: string; if_not_exists?: boolean | null; schema?: string | null; ext_version?: string | null; from_version?: unknown; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "if_not_exists", "schema", "ext_version", "from_version", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** Whether an extension is installed, and what would change. */
  "postgres.create_metadata": { args: { name: string; ext_version?: string | null; schema?: string | null; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "ext_version", "schema", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: string[] };
  /** True for a data directory of PostgreSQL. */
  "postgres.datadir_exists": { args: { name: string }; order: ["name"]; returns: boolean };
  /** Makes a data directory with initdb. */
  "postgres.datadir_init": { args: { name: string; auth?: string; user?: string | null; password?: string | null; encoding?: string; locale?: string | null; waldir?: string | null; checksums?: boolean; runas?: string | null }; order: ["name", "auth", "user", "password", "encoding", "locale", "waldir", "checksums", "runas"]; returns: boolean };
  /** Gives a database another owner or tablespace. */
  "postgres.db_alter": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; tablespace?: string | null; owner?: string | null; owner_recurse?: boolean; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "tablespace", "owner", "owner_recurse", "runas"]; returns: boolean };
  /** Makes a database. */
  "postgres.db_create": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; tablespace?: string | null; encoding?: string | null; lc_collate?: string | null; lc_ctype?: string | null; owner?: string | null; template?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "tablespace", "encoding", "lc_collate", "lc_ctype", "owner", "template", "runas"]; returns: boolean };
  /** True if there is a database of that name. */
  "postgres.db_exists": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** The databases of a server: name → owner, encoding and more. */
  "postgres.db_list": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, Record<string, string>> };
  /** Removes a database, and ends the connections to it. */
  "postgres.db_remove": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: true };
  /** Removes an extension. */
  "postgres.drop_extension": { args: { name: string; if_exists?: boolean | null; restrict?: boolean | null; cascade?: boolean | null; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "if_exists", "restrict", "cascade", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** What is known of an extension that is offered. */
  "postgres.get_available_extension": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, string> | null };
  /** What is known of an extension of a database. */
  "postgres.get_installed_extension": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, string> | null };
  /** Makes a group. */
  "postgres.group_create": { args: { groupname: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; createdb?: boolean | null; createroles?: boolean | null; encrypted?: unknown; login?: boolean | null; inherit?: boolean | null; superuser?: boolean | null; replication?: boolean | null; rolepassword?: string | null; groups?: string | string[] | null; runas?: string | null }; order: ["groupname", "user", "host", "port", "maintenance_db", "password", "createdb", "createroles", "encrypted", "login", "inherit", "superuser", "replication", "rolepassword", "groups", "runas"]; returns: boolean };
  /** Removes a group. */
  "postgres.group_remove": { args: { groupname: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["groupname", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** Changes a group. */
  "postgres.group_update": { args: { groupname: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; createdb?: boolean | null; createroles?: boolean | null; encrypted?: unknown; inherit?: boolean | null; login?: boolean | null; superuser?: boolean | null; replication?: boolean | null; rolepassword?: string | null; groups?: string | string[] | null; runas?: string | null }; order: ["groupname", "user", "host", "port", "maintenance_db", "password", "createdb", "createroles", "encrypted", "inherit", "login", "superuser", "replication", "rolepassword", "groups", "runas"]; returns: boolean };
  /** True if a role has rights on an object, or owns it. */
  "postgres.has_privileges": { args: { name: string; object_name: string; object_type: string; privileges?: string | string[] | null; grant_option?: unknown; prepend?: string; maintenance_db?: string | null; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "object_name", "object_type", "privileges", "grant_option", "prepend", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** The extensions of a database. */
  "postgres.installed_extensions": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, Record<string, string>> };
  /** True if an extension is offered. */
  "postgres.is_available_extension": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** True if a database has an extension. */
  "postgres.is_installed_extension": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** Installs a language. */
  "postgres.language_create": { args: { name: string; maintenance_db: string; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** True if a database has a language. */
  "postgres.language_exists": { args: { name: string; maintenance_db: string; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** The languages of a database. */
  "postgres.language_list": { args: { maintenance_db: string; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["maintenance_db", "user", "host", "port", "password", "runas"]; returns: Record<string, string> };
  /** Removes a language. */
  "postgres.language_remove": { args: { name: string; maintenance_db: string; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** Gives a database and everything in it another owner. */
  "postgres.owner_to": { args: { dbname: string; ownername: string; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["dbname", "ownername", "user", "host", "port", "password", "runas"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Gives a role rights on an object. */
  "postgres.privileges_grant": { args: { name: string; object_name: string; object_type: string; privileges?: string | string[] | null; grant_option?: unknown; prepend?: string; maintenance_db?: string | null; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "object_name", "object_type", "privileges", "grant_option", "prepend", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** The rights on an object: role → right → whether it may be passed on. */
  "postgres.privileges_list": { args: { name: string; object_type: string; prepend?: string; maintenance_db?: string | null; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "object_type", "prepend", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: Record<string, Record<string, boolean> | boolean> };
  /** Takes rights on an object from a role. */
  "postgres.privileges_revoke": { args: { name: string; object_name: string; object_type: string; privileges?: string | string[] | null; prepend?: string; maintenance_db?: string | null; user?: string | null; host?: string | null; port?: number | string | null; password?: string | null; runas?: string | null }; order: ["name", "object_name", "object_type", "privileges", "prepend", "maintenance_db", "user", "host", "port", "password", "runas"]; returns: boolean };
  /** The rows that a query finds, each a map. */
  "postgres.psql_query": { args: { query: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null; write?: boolean }; order: ["query", "user", "host", "port", "maintenance_db", "password", "runas", "write"]; returns: Record<string, string>[] };
  /** What a role may; null if there is none of that name. */
  "postgres.role_get": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null; return_password?: boolean }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas", "return_password"]; returns: Record<string, unknown> | null };
  /** Makes a schema. */
  "postgres.schema_create": { args: { dbname: string; name: string; owner?: string | null; user?: string | null; db_user?: string | null; db_password?: string | null; db_host?: string | null; db_port?: number | string | null }; order: ["dbname", "name", "owner", "user", "db_user", "db_password", "db_host", "db_port"]; returns: boolean };
  /** True if a database has a schema. */
  "postgres.schema_exists": { args: { dbname: string; name: string; user?: string | null; db_user?: string | null; db_password?: string | null; db_host?: string | null; db_port?: number | string | null }; order: ["dbname", "name", "user", "db_user", "db_password", "db_host", "db_port"]; returns: boolean };
  /** Owner and rights of a schema; null if there is none. */
  "postgres.schema_get": { args: { dbname: string; name: string; user?: string | null; db_user?: string | null; db_password?: string | null; db_host?: string | null; db_port?: number | string | null }; order: ["dbname", "name", "user", "db_user", "db_password", "db_host", "db_port"]; returns: Record<string, string> | null };
  /** The schemas of a database: name → owner and rights. */
  "postgres.schema_list": { args: { dbname: string; user?: string | null; db_user?: string | null; db_password?: string | null; db_host?: string | null; db_port?: number | string | null }; order: ["dbname", "user", "db_user", "db_password", "db_host", "db_port"]; returns: Record<string, Record<string, string>> };
  /** Removes a schema that is empty. */
  "postgres.schema_remove": { args: { dbname: string; name: string; user?: string | null; db_user?: string | null; db_password?: string | null; db_host?: string | null; db_port?: number | string | null }; order: ["dbname", "name", "user", "db_user", "db_password", "db_host", "db_port"]; returns: boolean };
  /** Changes name, owner or one parameter of a tablespace. */
  "postgres.tablespace_alter": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; new_name?: string | null; new_owner?: string | null; set_option?: unknown; reset_option?: unknown; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "new_name", "new_owner", "set_option", "reset_option", "runas"]; returns: boolean };
  /** Makes a tablespace in a directory that is there. */
  "postgres.tablespace_create": { args: { name: string; location: string; options?: unknown; owner?: string | null; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "location", "options", "owner", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** True if there is a tablespace of that name. */
  "postgres.tablespace_exists": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** The tablespaces of a server: name → owner, location and more. */
  "postgres.tablespace_list": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["user", "host", "port", "maintenance_db", "password", "runas"]; returns: Record<string, Record<string, string>> };
  /** Removes a tablespace. */
  "postgres.tablespace_remove": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** Makes a user. */
  "postgres.user_create": { args: { username: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; createdb?: boolean | null; createroles?: boolean | null; inherit?: boolean | null; login?: boolean | null; connlimit?: number | null; encrypted?: unknown; superuser?: boolean | null; replication?: boolean | null; rolepassword?: string | null; valid_until?: string | null; groups?: string | string[] | null; runas?: string | null }; order: ["username", "user", "host", "port", "maintenance_db", "password", "createdb", "createroles", "inherit", "login", "connlimit", "encrypted", "superuser", "replication", "rolepassword", "valid_until", "groups", "runas"]; returns: boolean };
  /** True if there is a role of that name. */
  "postgres.user_exists": { args: { name: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["name", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** The roles of a server: name → what each may. */
  "postgres.user_list": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null; return_password?: boolean }; order: ["user", "host", "port", "maintenance_db", "password", "runas", "return_password"]; returns: Record<string, Record<string, unknown>> | false };
  /** Removes a user. */
  "postgres.user_remove": { args: { username: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["username", "user", "host", "port", "maintenance_db", "password", "runas"]; returns: boolean };
  /** Changes a user. */
  "postgres.user_update": { args: { username: string; user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; createdb?: boolean | null; createroles?: boolean | null; encrypted?: unknown; superuser?: boolean | null; inherit?: boolean | null; login?: boolean | null; connlimit?: number | null; replication?: boolean | null; rolepassword?: string | null; valid_until?: string | null; groups?: string | string[] | null; runas?: string | null }; order: ["username", "user", "host", "port", "maintenance_db", "password", "createdb", "createroles", "encrypted", "superuser", "inherit", "login", "connlimit", "replication", "rolepassword", "valid_until", "groups", "runas"]; returns: boolean };
  /** The version of the server. */
  "postgres.version": { args: { user?: string | null; host?: string | null; port?: number | string | null; maintenance_db?: string | null; password?: string | null; runas?: string | null }; order: ["user", "host", "port", "maintenance_db", "password", "runas"]; returns: string | null };
  /** The boot time: seconds since 1970, or in a format of strftime. */
  "ps.boot_time": { args: { time_format?: string | null }; order: ["time_format"]; returns: unknown };
  /** The usage of the processors over some seconds, in total or per processor. */
  "ps.cpu_percent": { args: { interval?: number; per_cpu?: boolean }; order: ["interval", "per_cpu"]; returns: unknown };
  /** The processor times in seconds, by kind. */
  "ps.cpu_times": { args: { per_cpu?: boolean }; order: ["per_cpu"]; returns: unknown };
  /** What disks have read and written: all, or one; False if it does not exist. */
  "ps.disk_io_counters": { args: { device?: string | null }; order: ["device"]; returns: Record<string, unknown> | false };
  /** The mounted file systems and their usage. */
  "ps.disk_partition_usage": { args: { all?: boolean }; order: ["all"]; returns: Record<string, unknown>[] };
  /** The mounted file systems; with `all` also virtual ones. */
  "ps.disk_partitions": { args: { all?: boolean }; order: ["all"]; returns: Record<string, unknown>[] };
  /** The usage of the file system of a path. */
  "ps.disk_usage": { args: { path: string }; order: ["path"]; returns: Record<string, unknown> };
  /** The pids of all processes. */
  "ps.get_pid_list": { args: Record<never, never>; order: []; returns: number[] };
  /** The users who are logged in. */
  "ps.get_users": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** Sends a signal to a process; False if it does not exist. */
  "ps.kill_pid": { args: { pid: number; signal?: number | string }; order: ["pid", "signal"]; returns: boolean };
  /** The open files of processes with a name, from lsof. */
  "ps.lsof": { args: { name: string }; order: ["name"]; returns: string[] };
  /** The lines of netstat that contain a text. */
  "ps.netstat": { args: { name: string }; order: ["name"]; returns: (string | string[])[] };
  /** What network interfaces have sent and received: all, or one. */
  "ps.network_io_counters": { args: { interface?: string | null }; order: ["interface"]; returns: Record<string, unknown> | false };
  /** How many processors there are. */
  "ps.num_cpus": { args: Record<never, never>; order: []; returns: number };
  /** The pids of processes by name, or with `full` by command line; null for none. */
  "ps.pgrep": { args: { pattern: string; user?: string | null; full?: boolean; pattern_is_regex?: boolean }; order: ["pattern", "user", "full", "pattern_is_regex"]; returns: number[] | null };
  /** Sends a signal to processes found as by ps.pgrep; null if there are none. */
  "ps.pkill": { args: { pattern: string; user?: string | null; signal?: number | string; full?: boolean }; order: ["pattern", "user", "signal", "full"]; returns: { killed: number[] } | null };
  /** Details of a process; null for those that may not be read. */
  "ps.proc_info": { args: { pid: number; attrs?: unknown }; order: ["pid", "attrs"]; returns: unknown };
  /** The lines of `ps aux` that contain a text, and their number. */
  "ps.psaux": { args: { name: string }; order: ["name"]; returns: (string | string[])[] };
  /** The lines of ss that contain a text. */
  "ps.ss": { args: { name: string }; order: ["name"]; returns: (string | string[])[] };
  /** The processes in a state: running, sleeping, zombie and so on. */
  "ps.status": { args: { status: unknown }; order: ["status"]; returns: { pid: number; name: string }[] };
  /** The usage of swap, in bytes. */
  "ps.swap_memory": { args: Record<never, never>; order: []; returns: Record<string, Float | number> };
  /** The processes that use the processors most, over some seconds. */
  "ps.top": { args: { num_processes?: number; interval?: number }; order: ["num_processes", "interval"]; returns: Record<string, unknown>[] };
  /** Bytes of memory. */
  "ps.total_physical_memory": { args: Record<never, never>; order: []; returns: number };
  /** The usage of memory, in bytes. */
  "ps.virtual_memory": { args: Record<never, never>; order: []; returns: Record<string, Float | number> };
  /** Runs a function on minions and returns minion → {ret, out}. */
  "publish.full_data": { args: { tgt: string | string[]; fun: string; arg?: unknown[] | null; tgt_type?: string; returner?: string; timeout?: number }; order: ["tgt", "fun", "arg", "tgt_type", "returner", "timeout"]; returns: Record<string, unknown> };
  /** Runs a function on minions and returns minion → return. */
  "publish.publish": { args: { tgt: string | string[]; fun: string; arg?: unknown[] | null; tgt_type?: string; returner?: string; timeout?: number; via_master?: string | null }; order: ["tgt", "fun", "arg", "tgt_type", "returner", "timeout", "via_master"]; returns: Record<string, unknown> };
  /** Runs a runner on the master, if its option `peer_run` allows it. */
  "publish.runner": { args: { fun: string; arg?: unknown[] | null; timeout?: number }; order: ["fun", "arg", "timeout"]; returns: unknown };
  /** Adds a device to an array; true if that went well. */
  "raid.add": { args: { name: string; device: string }; order: ["name", "device"]; returns: boolean };
  /** Starts an array that exists on its devices. */
  "raid.assemble": { args: { name: string; devices: string | string[]; test_mode?: boolean; [name: string]: unknown }; order: ["name", "devices", "test_mode"]; returns: unknown };
  /** Makes an array. WARNING: data on the devices is lost. */
  "raid.create": { args: { name: string; level: string; devices: string | string[]; metadata?: string; test_mode?: boolean; [name: string]: unknown }; order: ["name", "level", "devices", "metadata", "test_mode"]; returns: unknown };
  /** Stops an array and wipes what its members know of it. WARNING: its data is lost. */
  "raid.destroy": { args: { device: string }; order: ["device"]; returns: boolean };
  /** What is known of an array, with its members. */
  "raid.detail": { args: { device?: string }; order: ["device"]; returns: Record<string, unknown> };
  /** What a device knows of the array that it is in. */
  "raid.examine": { args: { device: string; quiet?: boolean }; order: ["device", "quiet"]; returns: Record<string, string> };
  /** The arrays of this host. */
  "raid.list": { args: Record<never, never>; order: []; returns: Record<string, Record<string, string>> };
  /** Writes the arrays into mdadm's configuration, and makes the initial RAM disk anew. */
  "raid.save_config": { args: Record<never, never>; order: []; returns: unknown };
  /** Stops all arrays that are not in use; true if mdadm says that it failed, as in Salt. */
  "raid.stop": { args: Record<never, never>; order: []; returns: boolean };
  /** A random text, fit for passwords. Its characters are `chars`, or those of the classes that are wanted. */
  "random.get_str": { args: { length?: number; chars?: unknown; lowercase?: boolean; uppercase?: boolean; digits?: boolean; punctuation?: boolean; whitespace?: boolean; printable?: boolean }; order: ["length", "chars", "lowercase", "uppercase", "digits", "punctuation", "whitespace", "printable"]; returns: string };
  /** The hash of a text, as hexadecimal digits. */
  "random.hash": { args: { value: unknown; algorithm?: string }; order: ["value", "algorithm"]; returns: string };
  /** A random number, both bounds included; the same for the same seed. */
  "random.rand_int": { args: { start?: number | string; end?: number | string; seed?: unknown }; order: ["start", "end", "seed"]; returns: bigint | number };
  /** Some members of a list, drawn at random; the same for the same seed. */
  "random.sample": { args: { value: unknown; size: unknown; seed?: unknown }; order: ["value", "size", "seed"]; returns: unknown[] };
  /** A number below `range` that is always the same for this minion, or for a value. */
  "random.seed": { args: { range?: number; hash?: unknown }; order: ["range", "hash"]; returns: bigint | number };
  /** A hash for /etc/shadow: sha512, sha256 or md5. Salt and password are drawn where none is given. */
  "random.shadow_hash": { args: { crypt_salt?: string | null; password?: string | null; algorithm?: string }; order: ["crypt_salt", "password", "algorithm"]; returns: string };
  /** A list in random order; the same for the same seed. */
  "random.shuffle": { args: { value: unknown; seed?: unknown }; order: ["value", "seed"]; returns: unknown[] };
  /** A text in base64. */
  "random.str_encode": { args: { value: unknown; encoder?: string }; order: ["value", "encoder"]; returns: string };
  /** The configuration of the daemon. */
  "rsync.config": { args: { conf_path?: string }; order: ["conf_path"]; returns: string };
  /** Copies files. What is not given is taken from options such as rsync.exclude. */
  "rsync.rsync": { args: { src: string; dst: string; delete?: boolean; force?: boolean; update?: boolean; passwordfile?: string | null; exclude?: string | string[] | null; excludefrom?: string | null; dryrun?: boolean; rsh?: string | null; additional_opts?: string[] | null; saltenv?: string }; order: ["src", "dst", "delete", "force", "update", "passwordfile", "exclude", "excludefrom", "dryrun", "rsh", "additional_opts", "saltenv"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** The version of rsync. */
  "rsync.version": { args: Record<never, never>; order: []; returns: string };
  /** Empties the caches of the minion; keys and running jobs stay. */
  "saltutil.clear_cache": { args: Record<never, never>; order: []; returns: true };
  /** Removes jobs from the cache of the minion that are older. */
  "saltutil.clear_job_cache": { args: { hours?: number }; order: ["hours"]; returns: true };
  /** Runs a function on minions of the master on this host: id → {ret, retcode, jid}. */
  "saltutil.cmd": { args: { tgt: string | string[]; fun: string; arg?: unknown[]; timeout?: number | null; tgt_type?: string; ret?: string; kwarg?: Record<string, unknown> | null; ssh?: boolean; [name: string]: unknown }; order: ["tgt", "fun", "arg", "timeout", "tgt_type", "ret", "kwarg", "ssh"]; returns: Record<string, unknown> };
  /** The same as saltutil.cmd: a job has one return. */
  "saltutil.cmd_iter": { args: { tgt: string | string[]; fun: string; arg?: unknown[]; timeout?: number | null; tgt_type?: string; ret?: string; kwarg?: Record<string, unknown> | null; ssh?: boolean; [name: string]: unknown }; order: ["tgt", "fun", "arg", "timeout", "tgt_type", "ret", "kwarg", "ssh"]; returns: Record<string, unknown> };
  /** The stored return of a job (option cache_jobs), with everything that was sent. */
  "saltutil.find_cached_job": { args: { jid: string }; order: ["jid"]; returns: unknown };
  /** The running job with this jid, or an empty map. Masters ask minions that have not returned. */
  "saltutil.find_job": { args: { jid: string }; order: ["jid"]; returns: Record<string, unknown> };
  /** The running jobs whose function a glob matches. */
  "saltutil.is_running": { args: { fun: string }; order: ["fun"]; returns: Record<string, unknown>[] };
  /** Kills all other jobs. */
  "saltutil.kill_all_jobs": { args: Record<never, never>; order: []; returns: string[] };
  /** Kills a job. */
  "saltutil.kill_job": { args: { jid: string }; order: ["jid"]; returns: string };
  /** The custom modules that were synced, by kind. */
  "saltutil.list_extmods": { args: Record<never, never>; order: []; returns: Record<string, string[]> };
  /** The same as saltutil.refresh_pillar. */
  "saltutil.pillar_refresh": { args: { wait?: boolean; timeout?: number; clean_cache?: boolean }; order: ["wait", "timeout", "clean_cache"]; returns: boolean };
  /** Makes the minion reload beacons. */
  "saltutil.refresh_beacons": { args: Record<never, never>; order: []; returns: boolean };
  /** Refreshes the grains of the minion, and then its pillar unless refresh_pillar=False; clean_pillar_cache=True is for the master not to answer from its pillar cache. */
  "saltutil.refresh_grains": { args: { [name: string]: unknown }; order: []; returns: boolean };
  /** Makes the minion reload matchers. */
  "saltutil.refresh_matchers": { args: Record<never, never>; order: []; returns: boolean };
  /** Makes the minion check again which modules are available. */
  "saltutil.refresh_modules": { args: { [name: string]: unknown }; order: []; returns: boolean };
  /** Refreshes the pillar of the minion. `wait` waits for it, at most `timeout` seconds. */
  "saltutil.refresh_pillar": { args: { wait?: boolean; timeout?: number; clean_cache?: boolean }; order: ["wait", "timeout", "clean_cache"]; returns: boolean };
  /** Removes the keys of this minion and the one of its master: it makes new ones when it starts again, and the master has to accept those. */
  "saltutil.regen_keys": { args: Record<never, never>; order: []; returns: null };
  /** Makes the master delete the key of this minion and the data cached for it. */
  "saltutil.revoke_auth": { args: { preserve_minion_cache?: boolean }; order: ["preserve_minion_cache"]; returns: boolean };
  /** Runs a runner of the master on this host. */
  "saltutil.runner": { args: { name: string; arg?: unknown[] | null; kwarg?: Record<string, unknown> | null; full_return?: boolean; saltenv?: string; jid?: string | null; [name: string]: unknown }; order: ["name", "arg", "kwarg", "full_return", "saltenv", "jid"]; returns: unknown };
  /** The running jobs, without this one. */
  "saltutil.running": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** Sends a signal to a job. */
  "saltutil.signal_job": { args: { jid: string; sig: number | string }; order: ["jid", "sig"]; returns: string };
  /** Fetches custom modules of all kinds, and returns the names of those that changed. */
  "saltutil.sync_all": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null; clean_pillar_cache?: boolean }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist", "clean_pillar_cache"]; returns: Record<string, string[]> };
  /** Fetches the custom beacons of salt://_beacons, and returns the names of those that changed. */
  "saltutil.sync_beacons": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom clouds of salt://_clouds, and returns the names of those that changed. */
  "saltutil.sync_clouds": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom engines of salt://_engines, and returns the names of those that changed. */
  "saltutil.sync_engines": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom executors of salt://_executors, and returns the names of those that changed. */
  "saltutil.sync_executors": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom grains of salt://_grains, and returns the names of those that changed. */
  "saltutil.sync_grains": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null; clean_pillar_cache?: boolean }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist", "clean_pillar_cache"]; returns: string[] };
  /** Fetches the custom log_handlers of salt://_log_handlers, and returns the names of those that changed. */
  "saltutil.sync_log_handlers": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom matchers of salt://_matchers, and returns the names of those that changed. */
  "saltutil.sync_matchers": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom modules of salt://_modules, and returns the names of those that changed. */
  "saltutil.sync_modules": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom output of salt://_output, and returns the names of those that changed. */
  "saltutil.sync_output": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom output of salt://_output, and returns the names of those that changed. */
  "saltutil.sync_outputters": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom pillar of salt://_pillar, and returns the names of those that changed. */
  "saltutil.sync_pillar": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null; clean_pillar_cache?: boolean }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist", "clean_pillar_cache"]; returns: string[] };
  /** Fetches the custom proxymodules of salt://_proxy, and returns the names of those that changed. */
  "saltutil.sync_proxymodules": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom renderers of salt://_renderers, and returns the names of those that changed. */
  "saltutil.sync_renderers": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom returners of salt://_returners, and returns the names of those that changed. */
  "saltutil.sync_returners": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom sdb of salt://_sdb, and returns the names of those that changed. */
  "saltutil.sync_sdb": { args: { saltenv?: string | null; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom serializers of salt://_serializers, and returns the names of those that changed. */
  "saltutil.sync_serializers": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom states of salt://_states, and returns the names of those that changed. */
  "saltutil.sync_states": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom thorium of salt://_thorium, and returns the names of those that changed. */
  "saltutil.sync_thorium": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Fetches the custom utils of salt://_utils, and returns the names of those that changed. */
  "saltutil.sync_utils": { args: { saltenv?: string | null; refresh?: boolean; extmod_whitelist?: string | string[] | null; extmod_blacklist?: string | string[] | null }; order: ["saltenv", "refresh", "extmod_whitelist", "extmod_blacklist"]; returns: string[] };
  /** Sends SIGTERM to all other jobs. */
  "saltutil.term_all_jobs": { args: Record<never, never>; order: []; returns: string[] };
  /** Sends SIGTERM to a job. */
  "saltutil.term_job": { args: { jid: string }; order: ["jid"]; returns: string };
  /** Runs a wheel function on the master of this host, and returns the event of its end. */
  "saltutil.wheel": { args: { name: string; [name: string]: unknown }; order: ["name"]; rest: unknown[]; returns: unknown };
  /** Adds a job: `function`, `job_args`, `job_kwargs`, when it runs (`seconds`, `minutes`, `hours`, `days`, `when`, `cron`, `once`) and the other fields of an entry. `test`, `persist`, `offline`. */
  "schedule.add": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** The entry that schedule.add would add. */
  "schedule.build_schedule_item": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** Copies a job to other minions. */
  "schedule.copy": { args: { name: string; target: unknown; [name: string]: unknown }; order: ["name", "target"]; returns: Record<string, unknown> };
  /** Deletes a job. `test`, `persist`, `offline`. */
  "schedule.delete": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** Disables the schedule. `test`, `persist`. */
  "schedule.disable": { args: { [name: string]: unknown }; order: []; returns: Record<string, unknown> };
  /** Disables a job. `test`. */
  "schedule.disable_job": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** Enables the schedule. `test`, `persist`. */
  "schedule.enable": { args: { [name: string]: unknown }; order: []; returns: Record<string, unknown> };
  /** Enables a job. */
  "schedule.enable_job": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** One job, or whether the schedule is enabled. */
  "schedule.is_enabled": { args: { name?: string | null }; order: ["name"]; returns: unknown };
  /** A job with all that the scheduler knows of it. */
  "schedule.job_status": { args: { name: string; time_fmt?: string }; order: ["name", "time_fmt"]; returns: Record<string, unknown> };
  /** The jobs of the schedule, as YAML or a map. `show_all`: those that the minion has by itself, too. `where`: `opts` or `pillar` alone. `offline`: what was saved, of a minion that does not run. */
  "schedule.list": { args: { show_all?: boolean; show_disabled?: boolean; where?: unknown; return_yaml?: boolean; offline?: boolean }; order: ["show_all", "show_disabled", "where", "return_yaml", "offline"]; returns: Record<string, unknown> | string };
  /** Replaces a job by one of these arguments, as in schedule.add. `test`, `persist`, `offline`. */
  "schedule.modify": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** Moves a job to other minions. */
  "schedule.move": { args: { name: string; target: unknown; [name: string]: unknown }; order: ["name", "target"]; returns: Record<string, unknown> };
  /** Skips a job at a time and runs it at another. `time_fmt`: their format, `%Y-%m-%dT%H:%M:%S` by default. */
  "schedule.postpone_job": { args: { name: string; current_time: unknown; new_time: unknown; [name: string]: unknown }; order: ["name", "current_time", "new_time"]; returns: unknown };
  /** Deletes all jobs. `test`, `persist`, `offline`. */
  "schedule.purge": { args: { [name: string]: unknown }; order: []; returns: Record<string, unknown> };
  /** Reads `schedule.conf` beside the minion's included configuration, and the pillar. */
  "schedule.reload": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Runs a job now; with `force` one that is disabled, too. */
  "schedule.run_job": { args: { name: string; force?: boolean }; order: ["name", "force"]; returns: Record<string, unknown> };
  /** Writes the schedule, without what is of the pillar, for the next start. */
  "schedule.save": { args: { [name: string]: unknown }; order: []; returns: Record<string, unknown> };
  /** When a job runs next. */
  "schedule.show_next_fire_time": { args: { name: string; [name: string]: unknown }; order: ["name"]; returns: Record<string, unknown> };
  /** Skips a job at a time. `time_fmt`: its format, `%Y-%m-%dT%H:%M:%S` by default. */
  "schedule.skip_job": { args: { name: string; current_time: unknown; [name: string]: unknown }; order: ["name", "current_time"]; returns: unknown };
  /** Deletes a value, which no driver here can. False if the profile does not exist. */
  "sdb.delete": { args: { uri: string }; order: ["uri"]; returns: unknown };
  /** The value of an address. What is no address of a profile is returned as it is. */
  "sdb.get": { args: { uri: string; strict?: boolean }; order: ["uri", "strict"]; returns: unknown };
  /** The value of an address. If there is none, a random text is stored and returned. */
  "sdb.get_or_set_hash": { args: { uri: string; length?: number; chars?: string }; order: ["uri", "length", "chars"]; returns: unknown };
  /** Stores a value. False if the profile does not exist. */
  "sdb.set": { args: { uri: string; value: unknown }; order: ["uri", "value"]; returns: unknown };
  /** Adds a policy for files, or changes it. */
  "selinux.fcontext_add_policy": { args: { name: string; filetype?: string | null; sel_type?: string | null; sel_user?: string | null; sel_level?: string | null }; order: ["name", "filetype", "sel_type", "sel_user", "sel_level"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Gives files the labels of the policy. */
  "selinux.fcontext_apply_policy": { args: { name: string; recursive?: boolean }; order: ["name", "recursive"]; returns: Record<string, unknown> };
  /** Deletes a policy for files. */
  "selinux.fcontext_delete_policy": { args: { name: string; filetype?: string | null; sel_type?: string | null; sel_user?: string | null; sel_level?: string | null }; order: ["name", "filetype", "sel_type", "sel_user", "sel_level"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** The policy for files; null if there is none such. */
  "selinux.fcontext_get_policy": { args: { name: string; filetype?: string | null; sel_type?: string | null; sel_user?: string | null; sel_level?: string | null }; order: ["name", "filetype", "sel_type", "sel_user", "sel_level"]; returns: Record<string, string> | null };
  /** What is to change so that files have the labels of the policy, as restorecon says it; empty if nothing. */
  "selinux.fcontext_policy_is_applied": { args: { name: string; recursive?: boolean }; order: ["name", "recursive"]; returns: string };
  /** The words for a kind of file. */
  "selinux.filetype_id_to_string": { args: { filetype?: string }; order: ["filetype"]; returns: string };
  /** The mode that the configuration says. */
  "selinux.getconfig": { args: Record<never, never>; order: []; returns: string | null };
  /** The mode now: Enforcing, Permissive or Disabled. */
  "selinux.getenforce": { args: Record<never, never>; order: []; returns: string };
  /** A boolean; empty if there is none of that name. */
  "selinux.getsebool": { args: { boolean: unknown }; order: ["boolean"]; returns: Record<string, unknown> };
  /** A module of the policy; empty if there is none of that name. */
  "selinux.getsemod": { args: { module: string }; order: ["module"]; returns: Record<string, unknown> };
  /** Installs a module of the policy; true if that went well. */
  "selinux.install_semod": { args: { module_path: string }; order: ["module_path"]; returns: boolean };
  /** All booleans, now and after the next boot. */
  "selinux.list_sebool": { args: Record<never, never>; order: []; returns: Record<string, { State: string; Default: string; Description: string }> };
  /** All modules of the policy. */
  "selinux.list_semod": { args: Record<never, never>; order: []; returns: Record<string, { Enabled: boolean; Version: string | null }> };
  /** Adds a policy for a port. */
  "selinux.port_add_policy": { args: { name: string; sel_type?: string | null; protocol?: string | null; port?: number | string | null; sel_range?: string | null }; order: ["name", "sel_type", "protocol", "port", "sel_range"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Deletes a policy for a port. */
  "selinux.port_delete_policy": { args: { name: string; protocol?: string | null; port?: number | string | null }; order: ["name", "protocol", "port"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** The policy for a port; null if there is none. */
  "selinux.port_get_policy": { args: { name: string; sel_type?: string | null; protocol?: string | null; port?: number | string | null }; order: ["name", "sel_type", "protocol", "port"]; returns: Record<string, string> | null };
  /** Removes a module of the policy; true if that went well. */
  "selinux.remove_semod": { args: { module: string }; order: ["module"]; returns: boolean };
  /** Where the kernel's file system of SELinux is. */
  "selinux.selinux_fs_path": { args: Record<never, never>; order: []; returns: string | null };
  /** Sets the mode, now and in the configuration. */
  "selinux.setenforce": { args: { mode: number | string }; order: ["mode"]; returns: string };
  /** Sets a boolean; true if that went well. */
  "selinux.setsebool": { args: { boolean: unknown; value: unknown; persist?: boolean }; order: ["boolean", "value", "persist"]; returns: boolean };
  /** Sets several booleans; true if that went well. */
  "selinux.setsebools": { args: { pairs: unknown; persist?: boolean }; order: ["pairs", "persist"]; returns: unknown };
  /** Enables or disables a module of the policy; true if that went well. */
  "selinux.setsemod": { args: { module: string; state: unknown }; order: ["module", "state"]; returns: boolean };
  /** True if the service exists. */
  "service.available": { args: { name: string }; order: ["name"]; returns: boolean };
  /** Disables a service from starting at boot. */
  "service.disable": { args: { name: string; no_block?: boolean; root?: string | null; [name: string]: unknown }; order: ["name", "no_block", "root"]; returns: boolean };
  /** True if a service does not start at boot. */
  "service.disabled": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: boolean };
  /** Enables a service to start at boot. */
  "service.enable": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean; root?: string | null; [name: string]: unknown }; order: ["name", "no_block", "unmask", "unmask_runtime", "root"]; returns: boolean };
  /** True if a service starts at boot. */
  "service.enabled": { args: { name: string; root?: string | null; [name: string]: unknown }; order: ["name", "root"]; returns: boolean };
  /** The program of each service. */
  "service.execs": { args: { root?: string | null }; order: ["root"]; returns: Record<string, unknown> };
  /** Lets a service read its configuration again, by a restart if need be. */
  "service.force_reload": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean }; order: ["name", "no_block", "unmask", "unmask_runtime"]; returns: boolean };
  /** All services. */
  "service.get_all": { args: Record<never, never>; order: []; returns: string[] };
  /** The services that do not start with the system. */
  "service.get_disabled": { args: Record<never, never>; order: []; returns: string[] };
  /** The services that start with the system. */
  "service.get_enabled": { args: Record<never, never>; order: []; returns: string[] };
  /** The services that run. */
  "service.get_running": { args: Record<never, never>; order: []; returns: string[] };
  /** The services that start only if another wants them. */
  "service.get_static": { args: Record<never, never>; order: []; returns: string[] };
  /** Masks a service, so that it cannot be started. */
  "service.mask": { args: { name: string; runtime?: boolean; root?: string | null }; order: ["name", "runtime", "root"]; returns: true };
  /** True if a service is masked; with `runtime`, until the next boot. */
  "service.masked": { args: { name: string; runtime?: boolean; root?: string | null }; order: ["name", "runtime", "root"]; returns: boolean };
  /** True if the service does not exist. */
  "service.missing": { args: { name: string }; order: ["name"]; returns: boolean };
  /** True if services cannot be started on this system now, as in a chroot. */
  "service.offline": { args: Record<never, never>; order: []; returns: boolean };
  /** Lets a service read its configuration again. */
  "service.reload": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean }; order: ["name", "no_block", "unmask", "unmask_runtime"]; returns: boolean };
  /** Stops a service and starts it again. */
  "service.restart": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean }; order: ["name", "no_block", "unmask", "unmask_runtime"]; returns: boolean };
  /** The properties of a service in systemd. */
  "service.show": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: Record<string, unknown> };
  /** Starts a service; True if that went well. */
  "service.start": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean }; order: ["name", "no_block", "unmask", "unmask_runtime"]; returns: boolean };
  /** True if a service runs; for a pattern, which of them do. With `sig`, whether such a process is there. */
  "service.status": { args: { name: string; sig?: number | string | null; wait?: number }; order: ["name", "sig", "wait"]; returns: Record<string, boolean> | boolean };
  /** Stops a service; True if that went well. */
  "service.stop": { args: { name: string; no_block?: boolean; unmask?: boolean; unmask_runtime?: boolean }; order: ["name", "no_block", "unmask", "unmask_runtime"]; returns: boolean };
  /** Reloads the units of systemd. */
  "service.systemctl_reload": { args: Record<never, never>; order: []; returns: true };
  /** Unmasks a service. */
  "service.unmask": { args: { name: string; runtime?: boolean; root?: string | null }; order: ["name", "runtime", "root"]; returns: true };
  /** The entry of an account that cannot log in with a password. */
  "shadow.default_hash": { args: Record<never, never>; order: []; returns: string };
  /** Removes a user's password: anyone can then log in as that user. */
  "shadow.del_password": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: boolean };
  /** The hash of a password: by sha512, sha256, md5, blowfish or crypt. */
  "shadow.gen_password": { args: { password: string; crypt_salt?: string | null; algorithm?: string }; order: ["password", "crypt_salt", "algorithm"]; returns: string };
  /** The password entry of a user; dates in days since 1970. */
  "shadow.info": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: { name: string; passwd: string; lstchg: number; min: number; max: number; warn: number; inact: number; expire: number } | { name: string; passwd: string; lstchg: string; min: string; max: string; warn: string; inact: string; expire: string } };
  /** The names of all users with a password entry. */
  "shadow.list_users": { args: { root?: string | null }; order: ["root"]; returns: string[] };
  /** Locks a user's password. */
  "shadow.lock_password": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: boolean };
  /** Sets when a password was last changed: a date, or days since 1970. */
  "shadow.set_date": { args: { name: string; date: number | string; root?: string | null }; order: ["name", "date", "root"]; returns: boolean };
  /** Sets when an account ends: a date, or days since 1970; -1 for never. */
  "shadow.set_expire": { args: { name: string; expire: number | string; root?: string | null }; order: ["name", "expire", "root"]; returns: boolean };
  /** Sets for how many days a password can be changed once it is old. */
  "shadow.set_inactdays": { args: { name: string; inactdays: number; root?: string | null }; order: ["name", "inactdays", "root"]; returns: boolean };
  /** Sets after how many days a password must be changed. */
  "shadow.set_maxdays": { args: { name: string; maxdays: number; root?: string | null }; order: ["name", "maxdays", "root"]; returns: boolean };
  /** Sets for how many days a password must be kept. */
  "shadow.set_mindays": { args: { name: string; mindays: number; root?: string | null }; order: ["name", "mindays", "root"]; returns: boolean };
  /** Sets the hash of a user's password. */
  "shadow.set_password": { args: { name: string; password: string; use_usermod?: boolean; root?: string | null }; order: ["name", "password", "use_usermod", "root"]; returns: boolean };
  /** Sets how many days before its end a user is warned. */
  "shadow.set_warndays": { args: { name: string; warndays: number; root?: string | null }; order: ["name", "warndays", "root"]; returns: boolean };
  /** Unlocks a user's password. */
  "shadow.unlock_password": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: boolean };
  /** A comment that warns of changing a managed file. */
  "slsutil.banner": { args: { width?: number; commentchar?: string; borderchar?: string; blockstart?: string | null; blockend?: string | null; title?: string | null; text?: string | null; newline?: boolean }; order: ["width", "commentchar", "borderchar", "blockstart", "blockend", "title", "text", "newline"]; returns: string };
  /** One of two texts. */
  "slsutil.boolstr": { args: { value: unknown; true?: string; false?: string }; order: ["value", "true", "false"]; returns: unknown };
  /** Data of a text: json, yaml, msgpack, configparser, keyvalue, plist, toml. */
  "slsutil.deserialize": { args: { serializer: string; stream_or_string: string; [name: string]: unknown }; order: ["serializer", "stream_or_string"]; returns: unknown };
  /** True if there is such a directory below the file roots. */
  "slsutil.dir_exists": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: boolean };
  /** True if there is such a file below the file roots. */
  "slsutil.file_exists": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: boolean };
  /** The first of some names in a directory below the file roots, or in the nearest one above. */
  "slsutil.findup": { args: { startpath: string; filenames: unknown; saltenv?: string }; order: ["startpath", "filenames", "saltenv"]; returns: string };
  /** Merges two maps. */
  "slsutil.merge": { args: { obj_a: unknown; obj_b: unknown; strategy?: string; renderer?: string; merge_lists?: boolean }; order: ["obj_a", "obj_b", "strategy", "renderer", "merge_lists"]; returns: unknown };
  /** Merges maps in their order. */
  "slsutil.merge_all": { args: { lst: unknown[]; strategy?: string; renderer?: string; merge_lists?: boolean }; order: ["lst", "strategy", "renderer", "merge_lists"]; returns: unknown };
  /** True if there is such a path below the file roots. */
  "slsutil.path_exists": { args: { path: string; saltenv?: string }; order: ["path", "saltenv"]; returns: boolean };
  /** Renders a file or a text to data; further keywords are names in it. */
  "slsutil.renderer": { args: { path?: string | null; string?: string | null; default_renderer?: string; [name: string]: unknown }; order: ["path", "string", "default_renderer"]; returns: unknown };
  /** Data as text: json, yaml, msgpack, configparser, keyvalue, plist, python. */
  "slsutil.serialize": { args: { serializer: string; obj: unknown; [name: string]: unknown }; order: ["serializer", "obj"]; returns: Uint8Array | string };
  /** Lays a map over another, in place. */
  "slsutil.update": { args: { dest: string; upd: unknown; recursive_update?: boolean; merge_lists?: boolean }; order: ["dest", "upd", "recursive_update", "merge_lists"]; returns: unknown };
  /** One value of the firmware; null if the vendor left it empty. */
  "smbios.get": { args: { string: string; clean?: boolean }; order: ["string", "clean"]; returns: string | null };
  /** The records of the firmware. */
  "smbios.records": { args: { rec_type?: number | string | null; fields?: string | string[] | null; clean?: boolean }; order: ["rec_type", "fields", "clean"]; returns: unknown[] };
  /** The keys that may log in as a user. */
  "ssh.auth_keys": { args: { user?: string | null; config?: string; fingerprint_hash_type?: string | null }; order: ["user", "config", "fingerprint_hash_type"]; returns: Record<string, unknown> };
  /** What ssh.set_auth_key would do: add, update or exists. */
  "ssh.check_key": { args: { user: string; key: string; enc: string; comment: string; options: unknown; config?: string; cache_keys?: unknown; fingerprint_hash_type?: string | null }; order: ["user", "key", "enc", "comment", "options", "config", "cache_keys", "fingerprint_hash_type"]; returns: "add" | "exists" | "update" };
  /** The same of each key in a file. */
  "ssh.check_key_file": { args: { user: string; source: unknown; config?: string; saltenv?: string; fingerprint_hash_type?: string | null }; order: ["user", "source", "config", "saltenv", "fingerprint_hash_type"]; returns: Record<string, string> };
  /** What ssh.set_known_host would do: add, update or exists. */
  "ssh.check_known_host": { args: { user?: string | null; hostname?: string | null; key?: string | null; fingerprint?: string | null; config?: string | null; port?: number | string | null; fingerprint_hash_type?: string | null }; order: ["user", "hostname", "key", "fingerprint", "config", "port", "fingerprint_hash_type"]; returns: unknown };
  /** The keys that are known of a host. */
  "ssh.get_known_host_entries": { args: { user: string; hostname: string; config?: string | null; port?: number | string | null; fingerprint_hash_type?: string | null }; order: ["user", "hostname", "config", "port", "fingerprint_hash_type"]; returns: { hostname: unknown; key: unknown; enc: unknown; fingerprint?: string; port?: unknown }[] | { status: "error"; error: string } | null };
  /** Hides the names of known hosts. */
  "ssh.hash_known_hosts": { args: { user?: string | null; config?: string | null }; order: ["user", "config"]; returns: unknown };
  /** The keys of this host. */
  "ssh.host_keys": { args: { keydir?: string | null; private?: boolean; certs?: boolean }; order: ["keydir", "private", "certs"]; returns: Record<string, string> };
  /** True if a private key needs a passphrase. */
  "ssh.key_is_encrypted": { args: { key: string }; order: ["key"]; returns: boolean };
  /** The keys that a host shows. */
  "ssh.recv_known_host_entries": { args: { hostname: string; enc?: string | null; port?: number | string | null; hash_known_hosts?: boolean; timeout?: number; fingerprint_hash_type?: string | null }; order: ["hostname", "enc", "port", "hash_known_hosts", "timeout", "fingerprint_hash_type"]; returns: { hostname: unknown; key: unknown; enc: unknown; fingerprint?: string; port?: unknown }[] | null };
  /** Takes a key from those that may log in. */
  "ssh.rm_auth_key": { args: { user: string; key: string; config?: string; fingerprint_hash_type?: string | null }; order: ["user", "key", "config", "fingerprint_hash_type"]; returns: string };
  /** The same of each key in a file. */
  "ssh.rm_auth_key_from_file": { args: { user: string; source: unknown; config?: string; saltenv?: string; fingerprint_hash_type?: string | null }; order: ["user", "source", "config", "saltenv", "fingerprint_hash_type"]; returns: string };
  /** Forgets the keys of a host. */
  "ssh.rm_known_host": { args: { user?: string | null; hostname?: string | null; config?: string | null; port?: number | string | null }; order: ["user", "hostname", "config", "port"]; returns: unknown };
  /** Adds a key to those that may log in. */
  "ssh.set_auth_key": { args: { user: string; key: string; enc?: string; comment?: string; options?: unknown; config?: string; cache_keys?: unknown; fingerprint_hash_type?: string | null }; order: ["user", "key", "enc", "comment", "options", "config", "cache_keys", "fingerprint_hash_type"]; returns: string };
  /** The same of each key in a file. */
  "ssh.set_auth_key_from_file": { args: { user: string; source: unknown; config?: string; saltenv?: string; fingerprint_hash_type?: string | null; [name: string]: unknown }; order: ["user", "source", "config", "saltenv", "fingerprint_hash_type"]; returns: string };
  /** Notes the key of a host: the one given, or the one that it shows. */
  "ssh.set_known_host": { args: { user?: string | null; hostname?: string | null; fingerprint?: string | null; key?: string | null; port?: number | string | null; enc?: string | null; config?: string | null; hash_known_hosts?: boolean; timeout?: number; fingerprint_hash_type?: string | null }; order: ["user", "hostname", "fingerprint", "key", "port", "enc", "config", "hash_known_hosts", "timeout", "fingerprint_hash_type"]; returns: unknown };
  /** The keys in the homes of users. */
  "ssh.user_keys": { args: { user?: string | null; pubfile?: string | null; prvfile?: string | null }; order: ["user", "pubfile", "prvfile"]; returns: Record<string, Record<string, string>> };
  /** Runs the named SLS files, as state.sls; without names what top files say, as state.highstate. */
  "state.apply": { args: { mods?: string | string[] | null; [name: string]: unknown }; order: ["mods"]; returns: StateReturns };
  /** The calls that state.request has kept, or one of them. */
  "state.check_request": { args: { name?: string | null }; order: ["name"]; returns: unknown };
  /** Removes what is kept of compiled states, and returns the names of the files. */
  "state.clear_cache": { args: Record<never, never>; order: []; returns: string[] };
  /** Forgets the calls that state.request has kept, or one of them. */
  "state.clear_request": { args: { name?: string | null }; order: ["name"]; returns: boolean };
  /** Keeps states from being run: highstate, names of SLS files, module.function, or module.* for all of a module. */
  "state.disable": { args: { states: string | string[] }; order: ["states"]; returns: { res: true; msg: string } };
  /** Lets states be run that state.disable has kept from it. */
  "state.enable": { args: { states: string | string[] }; order: ["states"]; returns: { res: true; msg: string } };
  /** Shows events of the bus: only the runner state.event can. */
  "state.event": { args: { tagmatch?: string; count?: number; quiet?: boolean; sock_dir?: string | null; pretty?: boolean; node?: string }; order: ["tagmatch", "count", "quiet", "sock_dir", "pretty", "node"]; returns: unknown };
  /** The pauses of running jobs. */
  "state.get_pauses": { args: { jid?: string | null }; order: ["jid"]; returns: Record<string, unknown> };
  /** Runs high data. */
  "state.high": { args: { data: unknown; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["data", "test", "queue"]; returns: StateReturns };
  /** Runs what top files say of this minion. */
  "state.highstate": { args: { test?: boolean | null; queue?: boolean | number | null; state_events?: unknown; [name: string]: unknown }; order: ["test", "queue", "state_events"]; returns: StateReturns };
  /** True if SLS files have all of these ids. */
  "state.id_exists": { args: { ids: string | string[]; mods: string | string[]; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["ids", "mods", "test", "queue"]; returns: boolean };
  /** What state.disable has named. */
  "state.list_disabled": { args: Record<never, never>; order: []; returns: unknown };
  /** Runs one low chunk and returns what its state returns. */
  "state.low": { args: { data: unknown; queue?: boolean | number | null; [name: string]: unknown }; order: ["data", "queue"]; returns: unknown };
  /** Runs an orchestration: only the runner state.orchestrate can. */
  "state.orchestrate": { args: { mods: string | string[]; saltenv?: string; test?: boolean | null; exclude?: string | string[] | null; pillar?: Record<string, unknown> | null; pillarenv?: string | null }; order: ["mods", "saltenv", "test", "exclude", "pillar", "pillarenv"]; returns: unknown };
  /** Has a running job wait before a state, or before its next one: for some seconds, or until state.resume. */
  "state.pause": { args: { jid: string; state_id?: string | null; duration?: number | null }; order: ["jid", "state_id", "duration"]; returns: null };
  /** Runs a package of states as salt-ssh makes it. */
  "state.pkg": { args: { pkg_path: string; pkg_sum: unknown; hash_type: string; test?: boolean | null; [name: string]: unknown }; order: ["pkg_path", "pkg_sum", "hash_type", "test"]; returns: unknown };
  /** Runs states dry, and keeps the call for state.run_request. */
  "state.request": { args: { mods?: string | string[] | null; [name: string]: unknown }; order: ["mods"]; returns: StateReturns };
  /** Lets a job go on that state.pause has stopped. */
  "state.resume": { args: { jid: string; state_id?: string | null }; order: ["jid", "state_id"]; returns: null };
  /** Runs a call that state.request has kept. */
  "state.run_request": { args: { name?: string; [name: string]: unknown }; order: ["name"]; returns: unknown };
  /** Which other jobs run states on this minion. */
  "state.running": { args: { concurrent?: boolean }; order: ["concurrent"]; returns: string[] };
  /** High data of what top files say. */
  "state.show_highstate": { args: { queue?: boolean | number | null; [name: string]: unknown }; order: ["queue"]; returns: Record<string, unknown> | string[] };
  /** Low chunks of SLS files. */
  "state.show_low_sls": { args: { mods: string | string[]; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["mods", "test", "queue"]; returns: Record<string, unknown>[] | string[] };
  /** Low chunks of what top files say. */
  "state.show_lowstate": { args: { queue?: boolean | number | null; [name: string]: unknown }; order: ["queue"]; returns: Record<string, unknown>[] | string[] };
  /** High data of SLS files. */
  "state.show_sls": { args: { mods: string | string[]; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["mods", "test", "queue"]; returns: Record<string, unknown> | string[] };
  /** Which SLS files of each environment a highstate uses, and which not. */
  "state.show_state_usage": { args: { queue?: boolean | number | null; [name: string]: unknown }; order: ["queue"]; returns: Record<string, { used: string[]; unused: string[]; count_all: number; count_used: number; count_unused: number }> };
  /** Names of the SLS files that a highstate runs. */
  "state.show_states": { args: { queue?: boolean | number | null; [name: string]: unknown }; order: ["queue"]; returns: string[] };
  /** What top files say of this minion. */
  "state.show_top": { args: { queue?: boolean | number | null; [name: string]: unknown }; order: ["queue"]; returns: Record<string, string[]> | string[] };
  /** Runs one state, given as its function, its name and its arguments. */
  "state.single": { args: { fun: string; name: string; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["fun", "name", "test", "queue"]; returns: StateReturns };
  /** Runs the named SLS files. */
  "state.sls": { args: { mods: string | string[]; test?: boolean | null; exclude?: string | string[] | null; queue?: boolean | number | null; sync_mods?: unknown; state_events?: unknown; [name: string]: unknown }; order: ["mods", "test", "exclude", "queue", "sync_mods", "state_events"]; returns: StateReturns };
  /** True if SLS files are there, and have no errors. */
  "state.sls_exists": { args: { mods: string | string[]; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["mods", "test", "queue"]; returns: boolean };
  /** Runs the states of one id, with what they require. */
  "state.sls_id": { args: { id_: string; mods: string | string[]; test?: boolean | null; queue?: boolean | number | null; state_events?: unknown; [name: string]: unknown }; order: ["id_", "mods", "test", "queue", "state_events"]; returns: StateReturns };
  /** Ends a running job before a state, or before its next one. */
  "state.soft_kill": { args: { jid: string; state_id?: string | null }; order: ["jid", "state_id"]; returns: null };
  /** Runs the states of one file of this minion. */
  "state.template": { args: { tem: string; queue?: boolean | number | null; [name: string]: unknown }; order: ["tem", "queue"]; returns: StateReturns };
  /** Runs the states that a text has. */
  "state.template_str": { args: { tem: string; queue?: boolean | number | null; [name: string]: unknown }; order: ["tem", "queue"]; returns: StateReturns };
  /** Runs states dry, as state.apply with test=True. */
  "state.test": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: StateReturns };
  /** Runs what another top file says of this minion. */
  "state.top": { args: { topfn: string; test?: boolean | null; queue?: boolean | number | null; [name: string]: unknown }; order: ["topfn", "test", "queue"]; returns: StateReturns };
  /** Everything that the functions of this module gather. */
  "status.all_status": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** The kind of the processors. */
  "status.cpuinfo": { args: Record<never, never>; order: []; returns: Record<string, string | string[]> };
  /** What the processors have spent their time on, in ticks, and other counters. */
  "status.cpustats": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** The fields that options such as `status.cpustats.custom` ask for. */
  "status.custom": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Counters of the disks. */
  "status.diskstats": { args: Record<never, never>; order: []; returns: Record<string, Record<string, number | string>> };
  /** Free and total bytes of file systems, by path or type; of all without arguments. */
  "status.diskusage": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, { available: number; total: number }> };
  /** How many processes wanted to run, over the last minutes. */
  "status.loadavg": { args: Record<never, never>; order: []; returns: Record<string, Float | number> };
  /** True if a connection to the master is open; fires an event if that differs from `connected`. */
  "status.master": { args: { master?: unknown; connected?: boolean }; order: ["master", "connected"]; returns: boolean | null };
  /** How memory is used. */
  "status.meminfo": { args: Record<never, never>; order: []; returns: Record<string, { value: string; unit?: string }> };
  /** Counters of the network interfaces. */
  "status.netdev": { args: Record<never, never>; order: []; returns: Record<string, Record<string, number | string>> };
  /** Counters of the network protocols. */
  "status.netstats": { args: Record<never, never>; order: []; returns: Record<string, Record<string, number>> };
  /** Processors that there are for us. */
  "status.nproc": { args: Record<never, never>; order: []; returns: number };
  /** The pids of the processes whose line of `ps` matches a pattern, one per line. */
  "status.pid": { args: { sig: number | string }; order: ["sig"]; returns: string };
  /** True if a connection to the master can be opened. */
  "status.ping_master": { args: { master: unknown }; order: ["master"]; returns: boolean };
  /** The processes: number to user and command. */
  "status.procs": { args: Record<never, never>; order: []; returns: unknown };
  /** The time of day, in a format of strftime. */
  "status.time": { args: { format?: unknown }; order: ["format"]; returns: string };
  /** How long the system has been running. */
  "status.uptime": { args: Record<never, never>; order: []; returns: { seconds: number; since_iso: string; since_t: number; days: number; time: string; users: number } };
  /** The version of the kernel, in its own words. */
  "status.version": { args: Record<never, never>; order: []; returns: string };
  /** Counters of the virtual memory. */
  "status.vmstats": { args: Record<never, never>; order: []; returns: Record<string, number> };
  /** Who is logged in, and what they do. */
  "status.w": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** Activates what the configuration has of a process or a group. */
  "supervisord.add": { args: { name: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** Runs any command of supervisorctl. */
  "supervisord.custom": { args: { command: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["command", "user", "conf_file", "bin_env"]; returns: string };
  /** What the configuration says of a process. */
  "supervisord.options": { args: { name: string; conf_file?: string | null }; order: ["name", "conf_file"]; returns: Record<string, unknown> };
  /** Removes a process or a group from the running configuration. */
  "supervisord.remove": { args: { name: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** Reads the configuration again; nothing is restarted. */
  "supervisord.reread": { args: { user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["user", "conf_file", "bin_env"]; returns: string };
  /** Restarts processes, without reading the configuration again. */
  "supervisord.restart": { args: { name?: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** Starts processes. */
  "supervisord.start": { args: { name?: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** The processes with their states. */
  "supervisord.status": { args: { name?: string | null; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: Record<string, { state: string; reason: string }> };
  /** Whether there is a process, and has a state. */
  "supervisord.status_bool": { args: { name: string; expected_state?: unknown; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "expected_state", "user", "conf_file", "bin_env"]; returns: boolean };
  /** The same, as supervisorctl prints it. */
  "supervisord.status_raw": { args: { name?: string | null; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** Stops processes. */
  "supervisord.stop": { args: { name?: string; user?: string | null; conf_file?: string | null; bin_env?: string | null }; order: ["name", "user", "conf_file", "bin_env"]; returns: string };
  /** Reads the configuration again, and adds, removes and restarts what changed. */
  "supervisord.update": { args: { user?: string | null; conf_file?: string | null; bin_env?: string | null; name?: string | null }; order: ["user", "conf_file", "bin_env", "name"]; returns: string };
  /** The signatures of functions: names of the arguments, and the defaults of the last ones. */
  "sys.argspec": { args: { module?: string }; order: ["module"]; returns: Record<string, FunctionSignature> };
  /** The documentation of functions, of whole modules, or of those that match a glob. */
  "sys.doc": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, string | null> };
  /** The names of functions: all, those of modules, or those that match a glob. */
  "sys.list_functions": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string[] };
  /** The names of modules: all, or those that match a glob. */
  "sys.list_modules": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** The names of renderers: all, or those that match a glob. */
  "sys.list_renderers": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** The names of the functions of returners. */
  "sys.list_returner_functions": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string[] };
  /** The names of returners: all, or those that match a glob. */
  "sys.list_returners": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** The names of the functions of runners. */
  "sys.list_runner_functions": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string[] };
  /** The names of runners: all, or those that match a glob. */
  "sys.list_runners": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** The names of the functions of states. */
  "sys.list_state_functions": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string[] };
  /** The names of states: all, or those that match a glob. */
  "sys.list_state_modules": { args: Record<never, never>; order: []; rest: unknown[]; returns: string[] };
  /** Checks again which modules are available. */
  "sys.reload_modules": { args: { initial_load?: boolean; context?: unknown }; order: ["initial_load", "context"]; returns: null };
  /** The documentation of renderers. */
  "sys.renderer_doc": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, string | null> };
  /** How functions of returners are called. */
  "sys.returner_argspec": { args: { module?: string }; order: ["module"]; returns: Record<string, FunctionSignature> };
  /** The documentation of functions of returners. */
  "sys.returner_doc": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, string | null> };
  /** How functions of runners are called. */
  "sys.runner_argspec": { args: { module?: string }; order: ["module"]; returns: Record<string, FunctionSignature> };
  /** The documentation of functions of runners. */
  "sys.runner_doc": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, string | null> };
  /** How functions of states are called. */
  "sys.state_argspec": { args: { module?: string }; order: ["module"]; returns: Record<string, FunctionSignature> };
  /** The documentation of functions of states. */
  "sys.state_doc": { args: Record<never, never>; order: []; rest: unknown[]; returns: Record<string, string | null> };
  /** Nothing yet: there are no schemas of states. */
  "sys.state_schema": { args: { module?: string }; order: ["module"]; returns: Record<string, unknown> };
  /** Changes a setting until the next boot. */
  "sysctl.assign": { args: { name: string; value: unknown }; order: ["name", "value"]; returns: Record<string, string> };
  /** The file that sysctl.persist writes by default. */
  "sysctl.default_config": { args: Record<never, never>; order: []; returns: string };
  /** One setting of the running kernel. */
  "sysctl.get": { args: { name: string }; order: ["name"]; returns: string };
  /** Changes a setting now and for later boots. */
  "sysctl.persist": { args: { name: string; value: unknown; config?: string | null }; order: ["name", "value", "config"]; returns: string };
  /** All settings of the running kernel, or those of a configuration file. */
  "sysctl.show": { args: { config_file?: boolean }; order: ["config_file"]; returns: Record<string, string> };
  /** Reads an attribute, or writes it. Of a directory its path; false if there is none. */
  "sysfs.attr": { args: { key: string; value?: unknown }; order: ["key", "value"]; returns: unknown };
  /** The attributes below a directory: those that can be read (r), written (w), and both (rw). */
  "sysfs.interfaces": { args: { root: string }; order: ["root"]; returns: false | { r: string[]; w: string[]; rw: string[] } };
  /** Reads an attribute, or all below a directory; false if it has no value. */
  "sysfs.read": { args: { key: string; root?: string }; order: ["key", "root"]; returns: unknown };
  /** Where a path leads, with links resolved; false if there is none. */
  "sysfs.target": { args: { key: string; full?: boolean }; order: ["key", "full"]; returns: false | string };
  /** Writes an attribute; false if that failed. */
  "sysfs.write": { args: { key: string; value: unknown }; order: ["key", "value"]; returns: boolean };
  /** The words that describe the computer. */
  "system.get_computer_desc": { args: Record<never, never>; order: []; returns: string };
  /** The name of the computer. */
  "system.get_computer_name": { args: Record<never, never>; order: []; returns: string };
  /** True if system.set_reboot_required_witnessed was called since the last boot. */
  "system.get_reboot_required_witnessed": { args: Record<never, never>; order: []; returns: boolean };
  /** The date, here or at an offset from UTC. */
  "system.get_system_date": { args: { utc_offset?: string | null }; order: ["utc_offset"]; returns: string };
  /** Date and time, here or at an offset from UTC. */
  "system.get_system_date_time": { args: { utc_offset?: string | null }; order: ["utc_offset"]; returns: string };
  /** The time of day, here or at an offset from UTC. */
  "system.get_system_time": { args: { utc_offset?: string | null }; order: ["utc_offset"]; returns: string };
  /** Stops the system. */
  "system.halt": { args: Record<never, never>; order: []; returns: string };
  /** True if the clock of the hardware can be set. */
  "system.has_settable_hwclock": { args: Record<never, never>; order: []; returns: boolean };
  /** Changes the level that the system runs in. */
  "system.init": { args: { runlevel: unknown }; order: ["runlevel"]; returns: string };
  /** Turns the system off. */
  "system.poweroff": { args: Record<never, never>; order: []; returns: string };
  /** Reboots the system, now or in some minutes. */
  "system.reboot": { args: { at_time?: unknown }; order: ["at_time"]; returns: string };
  /** Sets the words that describe the computer. */
  "system.set_computer_desc": { args: { desc: string }; order: ["desc"]; returns: boolean };
  /** Changes the name of the computer. */
  "system.set_computer_name": { args: { hostname: string }; order: ["hostname"]; returns: unknown };
  /** Notes that the system must be rebooted. */
  "system.set_reboot_required_witnessed": { args: Record<never, never>; order: []; returns: boolean };
  /** Sets the date. */
  "system.set_system_date": { args: { newdate: string; utc_offset?: string | null }; order: ["newdate", "utc_offset"]; returns: boolean };
  /** Sets date and time; what is not given stays. */
  "system.set_system_date_time": { args: { years?: number | null; months?: number | null; days?: number | null; hours?: number | null; minutes?: number | null; seconds?: number | null; utc_offset?: string | null }; order: ["years", "months", "days", "hours", "minutes", "seconds", "utc_offset"]; returns: boolean };
  /** Sets the time of day. */
  "system.set_system_time": { args: { newtime: string; utc_offset?: string | null }; order: ["newtime", "utc_offset"]; returns: boolean };
  /** Ends the system: now, or in some minutes. */
  "system.shutdown": { args: { at_time?: unknown }; order: ["at_time"]; returns: string };
  /** Makes a directory that only its owner can use, under a name that nobody can guess. */
  "temp.dir": { args: { suffix?: string; prefix?: string; parent?: unknown }; order: ["suffix", "prefix", "parent"]; returns: string };
  /** Makes an empty file that only its owner can use, under a name that nobody can guess. */
  "temp.file": { args: { suffix?: string; prefix?: string; parent?: unknown }; order: ["suffix", "prefix", "parent"]; returns: string };
  /** Shows which positional and keyword arguments arrive, those added by the publication included. */
  "test.arg": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: unknown[]; kwargs: Record<string, unknown> } };
  /** Shows the arguments as test.arg does, without those that the publication added. */
  "test.arg_clean": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: unknown[]; kwargs: Record<string, unknown> } };
  /** Shows the arguments in Python's notation. */
  "test.arg_repr": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: string; kwargs: string } };
  /** Shows the type of each argument. */
  "test.arg_type": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: { args: string[]; kwargs: Record<string, string> } };
  /** Fails unless the value is true. */
  "test.assertion": { args: { assertion: unknown }; order: ["assertion"]; returns: null };
  /** Calls grains.items from inside this function. */
  "test.attr_call": { args: Record<never, never>; order: []; returns: unknown };
  /** The Collatz sequence from a number down to one, and the seconds it took. */
  "test.collatz": { args: { start: number | string }; order: ["start"]; returns: [(Float | bigint | number)[], Float | number] };
  /** The value of the option test.foo. */
  "test.conf_test": { args: Record<never, never>; order: []; returns: unknown };
  /** Calls another function from inside this one. */
  "test.cross_test": { args: { func: string; args?: string | string[] | null }; order: ["func", "args"]; returns: unknown };
  /** Returns True and logs a deprecation warning. */
  "test.deprecation_warning": { args: Record<never, never>; order: []; returns: boolean };
  /** Returns the given value, of any type. */
  "test.echo": { args: { text: unknown }; order: ["text"]; returns: unknown };
  /** Fails with this message, to see how a failure is shown. */
  "test.exception": { args: { message?: string }; order: ["message"]; returns: never };
  /** Always False. */
  "test.false": { args: Record<never, never>; order: []; returns: boolean };
  /** The Fibonacci number at that place, and the seconds it took. */
  "test.fib": { args: { num: number }; order: ["num"]; returns: [bigint | number, Float | number] };
  /** Every option of this minion. */
  "test.get_opts": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Returns the keyword arguments. */
  "test.kwarg": { args: { [name: string]: unknown }; order: []; returns: Record<string, unknown> };
  /** What is loaded: names of functions and modules, and the files that are not available. */
  "test.module_report": { args: Record<never, never>; order: []; returns: { functions: string[]; modules: string[]; missing_modules: Record<string, string> } };
  /** Modules that are there but not available on this minion. */
  "test.not_loaded": { args: Record<never, never>; order: []; returns: string[] };
  /** Every option of this minion, with its grains. */
  "test.opts_pkg": { args: Record<never, never>; order: []; returns: Record<string, unknown> };
  /** Returns the given value, to see how an outputter shows it. */
  "test.outputter": { args: { data: unknown }; order: ["data"]; returns: unknown };
  /** Returns True: the minion runs, receives jobs and can send returns. No ICMP is involved. */
  "test.ping": { args: Record<never, never>; order: []; returns: boolean };
  /** The file that provides a module. */
  "test.provider": { args: { module: string }; order: ["module"]; returns: string };
  /** Files of modules, each with the name under which it is called. */
  "test.providers": { args: Record<never, never>; order: []; returns: Record<string, string> };
  /** Raises the exception with this name and these arguments; False if it is unknown. */
  "test.raise_exception": { args: { name: string; [name: string]: unknown }; order: ["name"]; rest: unknown[]; returns: boolean };
  /** Returns True after a random number of seconds, at most `max`. */
  "test.rand_sleep": { args: { max?: number }; order: ["max"]; returns: true };
  /** The older name of test.random_hash. */
  "test.rand_str": { args: { size?: number; hash_type?: string | null }; order: ["size", "hash_type"]; returns: string };
  /** The hash of a random number up to `size`, in hexadecimal. */
  "test.random_hash": { args: { size?: number; hash_type?: string | null }; order: ["size", "hash_type"]; returns: string };
  /** Returns True and sets the return code of the job. */
  "test.retcode": { args: { code?: unknown }; order: ["code"]; returns: boolean };
  /** Returns True after a number of seconds; other jobs run in the meantime. */
  "test.sleep": { args: { length: number }; order: ["length"]; returns: true };
  /** The stack of calls that led here. */
  "test.stack": { args: Record<never, never>; order: []; returns: string };
  /** Always True. */
  "test.true": { args: Record<never, never>; order: []; returns: boolean };
  /** Calls a function with keyword arguments; if it fails, returns the failure as text when `return_try_exception` is set, otherwise null. */
  "test.try": { args: { module: string; return_try_exception?: boolean; [name: string]: unknown }; order: ["module", "return_try_exception"]; returns: unknown };
  /** Moved to cmd.tty. */
  "test.tty": { args: { [name: string]: unknown }; order: []; rest: unknown[]; returns: string };
  /** The Salt release whose behaviour this minion has. test.versions shows what implements it. */
  "test.version": { args: Record<never, never>; order: []; returns: string };
  /** A report of the versions of all programs involved. */
  "test.versions": { args: Record<never, never>; order: []; returns: string };
  /** The versions of test.versions_report as maps. */
  "test.versions_information": { args: Record<never, never>; order: []; returns: Record<string, Record<string, string | null>> };
  /** A report of the versions of all programs involved. */
  "test.versions_report": { args: Record<never, never>; order: []; returns: string };
  /** Whether the clock of the hardware runs on UTC or localtime. */
  "timezone.get_hwclock": { args: Record<never, never>; order: []; returns: string };
  /** How far local time is ahead of UTC. */
  "timezone.get_offset": { args: Record<never, never>; order: []; returns: string };
  /** The zone, such as Europe/Berlin. */
  "timezone.get_zone": { args: Record<never, never>; order: []; returns: string };
  /** The short name of the zone, such as CET. */
  "timezone.get_zonecode": { args: Record<never, never>; order: []; returns: string };
  /** The zones there are. */
  "timezone.list_zones": { args: Record<never, never>; order: []; returns: string[] };
  /** Lets the clock of the hardware run on UTC or localtime. */
  "timezone.set_hwclock": { args: { clock: unknown }; order: ["clock"]; returns: boolean };
  /** Sets the zone: of this host, or of the system below a directory. */
  "timezone.set_zone": { args: { timezone: string; root?: string | null }; order: ["timezone", "root"]; returns: boolean | string };
  /** True if local time follows the rules of a zone. */
  "timezone.zone_compare": { args: { timezone: string }; order: ["timezone"]; returns: boolean };
  /** True if there is an authority of that name. */
  "tls.ca_exists": { args: { ca_name: string; cacert_path?: string | null; ca_filename?: string | null }; order: ["ca_name", "cacert_path", "ca_filename"]; returns: boolean };
  /** The directory of authorities. */
  "tls.cert_base_path": { args: { cacert_path?: string | null }; order: ["cacert_path"]; returns: string };
  /** What a certificate says. */
  "tls.cert_info": { args: { cert: unknown; digest?: string }; order: ["cert", "digest"]; returns: unknown };
  /** Makes an authority: a key, and a certificate that signs itself. */
  "tls.create_ca": { args: { ca_name: string; bits?: number; days?: number; CN?: string; C?: string; ST?: string; L?: string; O?: string; OU?: string | null; emailAddress?: string | null; fixmode?: boolean; cacert_path?: string | null; ca_filename?: string | null; digest?: string; onlyif?: string | string[] | null; unless?: string | string[] | null; replace?: boolean }; order: ["ca_name", "bits", "days", "CN", "C", "ST", "L", "O", "OU", "emailAddress", "fixmode", "cacert_path", "ca_filename", "digest", "onlyif", "unless", "replace"]; returns: unknown };
  /** Makes the certificate that a request of create_csr asks for. */
  "tls.create_ca_signed_cert": { args: { ca_name: string; CN: string; days?: number; cacert_path?: string | null; ca_filename?: string | null; cert_path?: string | null; cert_filename?: string | null; digest?: string; cert_type?: string | null; type_ext?: boolean; replace?: boolean }; order: ["ca_name", "CN", "days", "cacert_path", "ca_filename", "cert_path", "cert_filename", "digest", "cert_type", "type_ext", "replace"]; returns: unknown };
  /** Makes a key and a request for a certificate. */
  "tls.create_csr": { args: { ca_name: string; bits?: number; CN?: string; C?: string; ST?: string; L?: string; O?: string; OU?: string | null; emailAddress?: string | null; subjectAltName?: unknown; cacert_path?: string | null; ca_filename?: string | null; csr_path?: string | null; csr_filename?: string | null; digest?: string; type_ext?: boolean; cert_type?: string; replace?: boolean }; order: ["ca_name", "bits", "CN", "C", "ST", "L", "O", "OU", "emailAddress", "subjectAltName", "cacert_path", "ca_filename", "csr_path", "csr_filename", "digest", "type_ext", "cert_type", "replace"]; returns: string };
  /** Makes a list without revoked certificates. */
  "tls.create_empty_crl": { args: { ca_name: string; cacert_path?: string | null; ca_filename?: string | null; crl_file?: string | null; digest?: string }; order: ["ca_name", "cacert_path", "ca_filename", "crl_file", "digest"]; returns: string };
  /** Puts a certificate, its key and its authority into a file of PKCS#12. */
  "tls.create_pkcs12": { args: { ca_name: string; CN: string; passphrase?: string; cacert_path?: string | null; replace?: boolean }; order: ["ca_name", "CN", "passphrase", "cacert_path", "replace"]; returns: string };
  /** Makes a key and a certificate that signs itself. */
  "tls.create_self_signed_cert": { args: { tls_dir?: string; bits?: number; days?: number; CN?: string; C?: string; ST?: string; L?: string; O?: string; OU?: string | null; emailAddress?: string | null; cacert_path?: string | null; cert_filename?: string | null; digest?: string; replace?: boolean }; order: ["tls_dir", "bits", "days", "CN", "C", "ST", "L", "O", "OU", "emailAddress", "cacert_path", "cert_filename", "digest", "replace"]; returns: string };
  /** The path of the certificate of an authority, or its text. */
  "tls.get_ca": { args: { ca_name: string; as_text?: boolean; cacert_path?: string | null }; order: ["ca_name", "as_text", "cacert_path"]; returns: string };
  /** The path of a certificate that an authority signed, or its text. */
  "tls.get_ca_signed_cert": { args: { ca_name: string; CN?: string; as_text?: boolean; cacert_path?: string | null; cert_filename?: string | null }; order: ["ca_name", "CN", "as_text", "cacert_path", "cert_filename"]; returns: string };
  /** The path of the key of such a certificate, or its text. */
  "tls.get_ca_signed_key": { args: { ca_name: string; CN?: string; as_text?: boolean; cacert_path?: string | null; key_filename?: string | null }; order: ["ca_name", "CN", "as_text", "cacert_path", "key_filename"]; returns: string };
  /** When a certificate ends. */
  "tls.get_expiration_date": { args: { cert: unknown; date_format?: string }; order: ["cert", "date_format"]; returns: string };
  /** The extensions of a kind of certificate: of the pillar tls.extensions, or the usual ones. */
  "tls.get_extensions": { args: { cert_type: string }; order: ["cert_type"]; returns: { csr: Record<string, unknown>; cert: Record<string, unknown> } };
  /** Makes the certificate of an authority anew if it has a version that there is none of. */
  "tls.maybe_fix_ssl_version": { args: { ca_name: string; cacert_path?: string | null; ca_filename?: string | null }; order: ["ca_name", "cacert_path", "ca_filename"]; returns: null };
  /** Revokes a certificate: in the index of its authority, and in the list of revoked ones. */
  "tls.revoke_cert": { args: { ca_name: string; CN: string; cacert_path?: string | null; ca_filename?: string | null; cert_path?: string | null; cert_filename?: string | null; crl_file?: string | null; digest?: string }; order: ["ca_name", "CN", "cacert_path", "ca_filename", "cert_path", "cert_filename", "crl_file", "digest"]; returns: unknown };
  /** The directory that a call with this cacert_path would use. It holds for no other call. */
  "tls.set_ca_path": { args: { cacert_path: string }; order: ["cacert_path"]; returns: string };
  /** Whether a certificate is valid, and signed by an authority, and not revoked. */
  "tls.validate": { args: { cert: unknown; ca_name: string; crl_file: string }; order: ["cert", "ca_name", "crl_file"]; returns: unknown };
  /** The properties of a device. */
  "udev.env": { args: { dev: string }; order: ["dev"]; returns: Record<string, unknown> | null };
  /** All that udev knows of all devices. */
  "udev.exportdb": { args: Record<never, never>; order: []; returns: Record<string, unknown>[] };
  /** All that udev knows of a device. */
  "udev.info": { args: { dev: string }; order: ["dev"]; returns: Record<string, unknown> };
  /** The links to a device: one text or a list. */
  "udev.links": { args: { dev: string }; order: ["dev"]; returns: string | string[] | null };
  /** The kernel's name of a device. */
  "udev.name": { args: { dev: string }; order: ["dev"]; returns: string | null };
  /** The path of a device below /sys. */
  "udev.path": { args: { dev: string }; order: ["dev"]; returns: string | null };
  /** Makes a user. */
  "user.add": { args: { name: string; uid?: number | string | null; gid?: number | string | null; groups?: string | string[] | null; home?: string | null; shell?: string | null; unique?: boolean; system?: boolean; fullname?: string; roomnumber?: string; workphone?: string; homephone?: string; other?: string; createhome?: unknown; loginclass?: string | null; nologinit?: boolean; root?: string | null; usergroup?: boolean | null }; order: ["name", "uid", "gid", "groups", "home", "shell", "unique", "system", "fullname", "roomnumber", "workphone", "homephone", "other", "createhome", "loginclass", "nologinit", "root", "usergroup"]; returns: boolean };
  /** Changes a user's full name. */
  "user.chfullname": { args: { name: string; fullname: string; root?: string | null }; order: ["name", "fullname", "root"]; returns: boolean };
  /** Changes the group of a user's own. */
  "user.chgid": { args: { name: string; gid: number | string; root?: string | null }; order: ["name", "gid", "root"]; returns: boolean };
  /** Changes the groups that a user is in, or adds some. */
  "user.chgroups": { args: { name: string; groups: string | string[]; append?: boolean; root?: string | null }; order: ["name", "groups", "append", "root"]; returns: boolean };
  /** Changes a user's home, and with `persist` moves what is in it. */
  "user.chhome": { args: { name: string; home: string; persist?: boolean; root?: string | null }; order: ["name", "home", "persist", "root"]; returns: boolean };
  /** Changes a user's telephone at home. */
  "user.chhomephone": { args: { name: string; homephone: unknown; root?: string | null }; order: ["name", "homephone", "root"]; returns: boolean };
  /** Changes a user's login class, which only BSD has: False here. */
  "user.chloginclass": { args: { name: string; loginclass: string; root?: string | null }; order: ["name", "loginclass", "root"]; returns: boolean };
  /** Changes a user's further remarks. */
  "user.chother": { args: { name: string; other: unknown; root?: string | null }; order: ["name", "other", "root"]; returns: boolean };
  /** Changes a user's room. */
  "user.chroomnumber": { args: { name: string; roomnumber: unknown; root?: string | null }; order: ["name", "roomnumber", "root"]; returns: boolean };
  /** Changes a user's shell. */
  "user.chshell": { args: { name: string; shell: string; root?: string | null }; order: ["name", "shell", "root"]; returns: boolean };
  /** Changes a user's number. */
  "user.chuid": { args: { name: string; uid: number | string; root?: string | null }; order: ["name", "uid", "root"]; returns: boolean };
  /** Changes a user's telephone at work. */
  "user.chworkphone": { args: { name: string; workphone: unknown; root?: string | null }; order: ["name", "workphone", "root"]; returns: boolean };
  /** Deletes a user; with `remove` also the home directory. */
  "user.delete": { args: { name: string; remove?: boolean; force?: boolean; root?: string | null }; order: ["name", "remove", "force", "root"]; returns: boolean };
  /** A user's login class, which only BSD has: False here. */
  "user.get_loginclass": { args: { name: string }; order: ["name"]; returns: boolean };
  /** All users with what is known of them. */
  "user.getent": { args: { refresh?: boolean; root?: string | null }; order: ["refresh", "root"]; returns: UserRecord[] };
  /** What is known of a user; nothing if there is none of that name. */
  "user.info": { args: { name: string; root?: string | null }; order: ["name", "root"]; returns: Record<string, never> | UserRecord };
  /** The groups that a user is in. */
  "user.list_groups": { args: { name: string }; order: ["name"]; returns: string[] };
  /** The names of all users. */
  "user.list_users": { args: { root?: string | null }; order: ["root"]; returns: string[] };
  /** The group of a user's own. */
  "user.primary_group": { args: { name: string }; order: ["name"]; returns: string };
  /** Renames a user. */
  "user.rename": { args: { name: string; new_name: string; root?: string | null }; order: ["name", "new_name", "root"]; returns: boolean };
  /** Makes an environment. */
  "virtualenv.create": { args: { path: string; venv_bin?: string | null; system_site_packages?: boolean; distribute?: boolean; clear?: boolean; python?: string | null; extra_search_dir?: unknown; never_download?: boolean | null; prompt?: string | null; pip?: boolean; symlinks?: boolean | null; upgrade?: boolean | null; user?: string | null; use_vt?: boolean; saltenv?: string; [name: string]: unknown }; order: ["path", "venv_bin", "system_site_packages", "distribute", "clear", "python", "extra_search_dir", "never_download", "prompt", "pip", "symlinks", "upgrade", "user", "use_vt", "saltenv"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** The directory of a distribution. */
  "virtualenv.get_distribution_path": { args: { venv: string; distribution: string }; order: ["venv", "distribution"]; returns: string };
  /** The content of a file of a package. */
  "virtualenv.get_resource_content": { args: { venv: string; package?: string | null; resource?: string | null }; order: ["venv", "package", "resource"]; returns: string };
  /** The path of a file of a package. */
  "virtualenv.get_resource_path": { args: { venv: string; package?: string | null; resource?: string | null }; order: ["venv", "package", "resource"]; returns: string };
  /** The directory of its packages. */
  "virtualenv.get_site_packages": { args: { venv: string }; order: ["venv"]; returns: string };
  /** The version of virtualenv as numbers. */
  "virtualenv.virtualenv_ver": { args: { venv_bin: string; user?: string | null; [name: string]: unknown }; order: ["venv_bin", "user"]; returns: number[] };
  /** Adds a user to a password file, or changes the password. The file is made if it is missing. */
  "webutil.useradd": { args: { pwfile: string; user: string; password: string; opts?: string; runas?: string | null }; order: ["pwfile", "user", "password", "opts", "runas"]; returns: { pid: number; retcode: number; stdout: string; stderr: string } };
  /** Removes a user from a password file. */
  "webutil.userdel": { args: { pwfile: string; user: string; runas?: string | null; all_results?: boolean }; order: ["pwfile", "user", "runas", "all_results"]; returns: unknown };
  /** True if the user has that password. */
  "webutil.verify": { args: { pwfile: string; user: string; password: string; opts?: string; runas?: string | null }; order: ["pwfile", "user", "password", "opts", "runas"]; returns: boolean };
  /** Makes a certificate: signed with signing_private_key of this host, or by the minion ca_server. */
  "x509.create_certificate": { args: { ca_server?: string | null; signing_policy?: string | null; encoding?: string; append_certs?: unknown; pkcs12_passphrase?: unknown; pkcs12_encryption_compat?: boolean; pkcs12_friendlyname?: unknown; path?: string | null; overwrite?: boolean; raw?: boolean; [name: string]: unknown }; order: ["ca_server", "signing_policy", "encoding", "append_certs", "pkcs12_passphrase", "pkcs12_encryption_compat", "pkcs12_friendlyname", "path", "overwrite", "raw"]; returns: unknown };
  /** Makes a list of revoked certificates. */
  "x509.create_crl": { args: { signing_private_key: unknown; revoked: unknown; signing_cert: unknown; signing_private_key_passphrase?: unknown; include_expired?: boolean; days_valid?: number | null; digest?: string; encoding?: string; extensions?: Record<string, unknown> | null; path?: string | null; raw?: boolean; [name: string]: unknown }; order: ["signing_private_key", "revoked", "signing_cert", "signing_private_key_passphrase", "include_expired", "days_valid", "digest", "encoding", "extensions", "path", "raw"]; returns: unknown };
  /** Makes a request for a certificate. */
  "x509.create_csr": { args: { private_key: unknown; private_key_passphrase?: string | null; digest?: string; encoding?: string; path?: string | null; raw?: boolean; [name: string]: unknown }; order: ["private_key", "private_key_passphrase", "digest", "encoding", "path", "raw"]; returns: unknown };
  /** Makes a private key. */
  "x509.create_private_key": { args: { algo?: string; keysize?: number | null; passphrase?: unknown; encoding?: string; pkcs12_encryption_compat?: boolean; path?: string | null; raw?: boolean; [name: string]: unknown }; order: ["algo", "keysize", "passphrase", "encoding", "pkcs12_encryption_compat", "path", "raw"]; returns: unknown };
  /** A certificate in another encoding. */
  "x509.encode_certificate": { args: { certificate: unknown; encoding?: string; append_certs?: unknown; private_key?: unknown; private_key_passphrase?: string | null; pkcs12_passphrase?: unknown; pkcs12_encryption_compat?: boolean; pkcs12_friendlyname?: unknown; raw?: boolean }; order: ["certificate", "encoding", "append_certs", "private_key", "private_key_passphrase", "pkcs12_passphrase", "pkcs12_encryption_compat", "pkcs12_friendlyname", "raw"]; returns: unknown };
  /** A list of revoked certificates in another encoding. */
  "x509.encode_crl": { args: { crl: unknown; encoding?: string; raw?: boolean }; order: ["crl", "encoding", "raw"]; returns: unknown };
  /** A request for a certificate in another encoding. */
  "x509.encode_csr": { args: { csr: unknown; encoding?: string; raw?: boolean }; order: ["csr", "encoding", "raw"]; returns: unknown };
  /** A private key in another encoding, or with another passphrase. */
  "x509.encode_private_key": { args: { private_key: unknown; encoding?: string; passphrase?: unknown; private_key_passphrase?: string | null; pkcs12_encryption_compat?: boolean; raw?: boolean }; order: ["private_key", "encoding", "passphrase", "private_key_passphrase", "pkcs12_encryption_compat", "raw"]; returns: unknown };
  /** Whether a certificate is no longer valid, with its path and name. */
  "x509.expired": { args: { certificate: unknown }; order: ["certificate"]; returns: { expired: boolean } };
  /** True if a certificate is no longer valid, or will not be in so many days. */
  "x509.expires": { args: { certificate: unknown; days?: number }; order: ["certificate", "days"]; returns: boolean };
  /** The entries of the files that a pattern means. */
  "x509.get_pem_entries": { args: { glob_path: string }; order: ["glob_path"]; returns: Record<string, Uint8Array> };
  /** One entry of a PEM in its proper form. */
  "x509.get_pem_entry": { args: { text: string; pem_type?: string | null }; order: ["text", "pem_type"]; returns: Uint8Array };
  /** How many bits a private key has; null for keys that are all alike. */
  "x509.get_private_key_size": { args: { private_key: unknown; passphrase?: unknown }; order: ["private_key", "passphrase"]; returns: number | null };
  /** The public key of a certificate, a request, or a private key, as PEM. */
  "x509.get_public_key": { args: { key: string; passphrase?: unknown; asObj?: unknown }; order: ["key", "passphrase", "asObj"]; returns: string };
  /** A signing policy of this minion, or of the minion that signs. */
  "x509.get_signing_policy": { args: { signing_policy: string; ca_server?: string | null }; order: ["signing_policy", "ca_server"]; returns: Record<string, unknown> };
  /** Everything that a certificate says. */
  "x509.read_certificate": { args: { certificate: unknown }; order: ["certificate"]; returns: Record<string, unknown> };
  /** Everything that the certificates say which a pattern means. */
  "x509.read_certificates": { args: { glob_path: string }; order: ["glob_path"]; returns: Record<string, Record<string, unknown>> };
  /** Everything that a list of revoked certificates says. */
  "x509.read_crl": { args: { crl: unknown }; order: ["crl"]; returns: Record<string, unknown> };
  /** Everything that a request for a certificate says. */
  "x509.read_csr": { args: { csr: unknown }; order: ["csr"]; returns: Record<string, unknown> };
  /** Signs a certificate for another minion, by a signing policy. Minions call it; the master's option peer must allow them to. */
  "x509.sign_remote_certificate": { args: { signing_policy: string; kwargs: unknown; get_signing_policy_only?: boolean; [name: string]: unknown }; order: ["signing_policy", "kwargs", "get_signing_policy_only"]; returns: { data: unknown; errors: string[] } };
  /** True if a list of revoked certificates was signed with the key of a certificate. */
  "x509.verify_crl": { args: { crl: unknown; cert: unknown }; order: ["crl", "cert"]; returns: boolean };
  /** True if a private key belongs to a public key, or to that of a certificate. */
  "x509.verify_private_key": { args: { private_key: unknown; public_key: unknown; passphrase?: unknown }; order: ["private_key", "public_key", "passphrase"]; returns: boolean };
  /** True if a certificate was signed with a key; without one, with its own. */
  "x509.verify_signature": { args: { certificate: unknown; signing_pub_key?: unknown; signing_pub_key_passphrase?: unknown }; order: ["certificate", "signing_pub_key", "signing_pub_key_passphrase"]; returns: boolean };
  /** Whether a certificate will not be valid in so many days, with its path and name. */
  "x509.will_expire": { args: { certificate: unknown; days: number }; order: ["certificate", "days"]; returns: { check_days: unknown; will_expire: boolean } };
  /** Writes an entry of a PEM to a file for its owner alone. */
  "x509.write_pem": { args: { text: string; path: string; overwrite?: boolean; pem_type?: string | null }; order: ["text", "path", "overwrite", "pem_type"]; returns: string };
}

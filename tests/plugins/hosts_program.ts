/**
 * Runs each operation on each kind of host, and prints what became of it, a line of JSON each: `hosts_program.ts DIRECTORY [HOSTS]`.
 * `hosts_slow_test.ts` runs it as root with mounts of its own.
 */
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { kwargs, type TestMinion, testMinion } from "../support/context.ts";
import { localFiles } from "../support/local_files.ts";

const OLD = "old\nkey = 1\n";
/** More than what is left on a full disk. */
const NEW = `${"new_".repeat(2000)}\n`;

/** How a directory `$D` and the file `$D/file` come to be. What is mounted goes away with the process. */
interface Host {
  prepare: string;
  /** Undoes what the next host must not have. */
  finish?: string;
  /** Where `$D` is. @default "plain" */
  on?: "ext4";
  /** The operations, by name; all of the usual ones unless it says which. */
  only?: readonly string[];
  /** Whether the file's access control list and extended attributes are of interest. */
  lists?: true;
  /** How the process itself is while the operation runs. */
  process?: { umask?: number; home?: false; cwd?: "removed" };
}

const FILE = `printf 'old\\nkey = 1\\n' > "$D/file"; chown 1:1 "$D/file"; chmod 640 "$D/file"`;
const IN_A_MOUNT = `mkdir "$D.from"; mount --bind "$D.from" "$D"; ${FILE}`;

const SPOOL = `S=/var/spool/cron/crontabs; mount -t tmpfs -o size=64k,mode=1730 tmpfs $S; ` +
  `chgrp crontab $S; echo '1 1 * * * old' | crontab -`;

/** Enough to see what the process itself makes of it. */
const SOME = ["managed, new", "managed, changed", "managed, source", "replace, backup", "line", "append", "copy, force"]
  .concat("directory, recurse", "recurse, clean", "archive.extracted", "cp.get_file", "cmd.run", "file.stats");
const OF_CONTENT = ["managed, changed", "managed, unchanged", "managed, backup", "serialize", "replace", "blockreplace"]
  .concat(
    "line",
    "append",
    "prepend",
    "comment",
    "keyvalue",
    "cp.get_file",
    "file.write",
    "absent",
    "directory, clean",
  );
const OF_USERS = ["managed, user", "directory, user", "user.present", "group.present", "file.find, user", "runas"];
const OF_SSH = ["ssh_auth.present"];
const OF_CRON = ["cron.present", "cron.file"];

const HOSTS: Record<string, Host> = {
  plain: { prepare: FILE },
  "bind-mounted file": {
    prepare: `D=$D.from; mkdir "$D"; ${FILE}; D=\${D%.from}; > "$D/file"; mount --bind "$D.from/file" "$D/file"`,
  },
  "bind-mounted directory": { prepare: IN_A_MOUNT },
  overlay: {
    prepare:
      `mkdir "$D.o"; mount -t tmpfs tmpfs "$D.o"; O=$D; D=$D.o/lower; mkdir "$D" "$O.o/upper" "$O.o/work"; ${FILE}; ` +
      `mount -t overlay overlay -o "lowerdir=$O.o/lower,upperdir=$O.o/upper,workdir=$O.o/work" "$O"`,
  },
  "access control list": {
    on: "ext4",
    lists: true,
    prepare: `${FILE}; setfacl -m u:7:rw "$D/file"; setfattr -n user.note -v kept "$D/file"`,
  },
  immutable: { on: "ext4", prepare: `${FILE}; chattr +i "$D/file"` },
  "append-only": { on: "ext4", prepare: `${FILE}; chattr +a "$D/file"` },
  "immutable directory": { on: "ext4", prepare: `${FILE}; chattr +i "$D"` },
  "append-only directory": { on: "ext4", prepare: `${FILE}; chattr +a "$D"` },
  full: {
    prepare: `mount -t tmpfs -o size=64k tmpfs "$D"; ${FILE}; head -c 1M /dev/zero > "$D/fill" 2> /dev/null || :`,
  },
  "a user's own directory": { prepare: `${FILE}; chown 1:1 "$D"`, only: OF_SSH },
  "a user's own directory, full": {
    prepare: `mount -t tmpfs -o size=64k tmpfs "$D"; ${FILE}; chown 1:1 "$D"; chmod 755 "$D"; ` +
      `head -c 1M /dev/zero > "$D/fill" 2> /dev/null || :`,
    only: OF_SSH,
  },
  "a user's file in root's directory": { prepare: FILE, only: OF_SSH },
  "a full cache": {
    prepare: `${FILE}; mount -t tmpfs -o size=64k tmpfs "\${SOCKET%/*}/files.cache"; ` +
      `head -c 1M /dev/zero > "\${SOCKET%/*}/files.cache/fill" 2> /dev/null || :`,
    finish: 'umount "${SOCKET%/*}/files.cache"',
    only: [
      "managed, changed",
      "managed, source",
      "managed, backup",
      "recurse, clean",
      "cp.get_file",
      "archive.extracted",
    ],
  },
  // As those of other systems are: all files have one owner and one mode.
  "no owners": {
    prepare:
      `mkdir "$D.from"; bindfs --chown-deny --chmod-deny --perms=0755 --force-user=root --force-group=root "$D.from" "$D"; ` +
      `printf 'old\\nkey = 1\\n' > "$D/file"`,
    finish: 'umount -l "$D"',
    only: OF_CONTENT,
  },
  "a mount below": {
    prepare: `${FILE}; mkdir "$D/mounted"; mount -t tmpfs tmpfs "$D/mounted"; printf inner > "$D/mounted/inner"`,
    only: ["absent, all", "directory, clean", "recurse, clean"],
  },
  "read-only": { prepare: `${IN_A_MOUNT}; mount -o remount,ro,bind "$D"` },
  "names of bytes": {
    prepare: `${FILE}; for d in a "$(printf 'd\\344')"; do mkdir "$D/$d"; > "$D/$d/$(printf 'f\\344')"; done; ` +
      `ln -s "$(printf 'f\\344')" "$D/$(printf 'l\\344')"`,
  },
  "Latin-1 without an end": { prepare: `${FILE}; printf '\\344ld\\nkey = 1' > "$D/file"` },
  "a pipe": { prepare: `mkfifo -m 640 "$D/file"` },
  // A second name of the one socket that there is.
  "a socket": { prepare: `ln "$SOCKET" "$D/file"` },
  "a device": { prepare: `mknod -m 640 "$D/file" c 1 3` },
  "a dangling link": { prepare: `ln -s nothing "$D/file"` },
  "umask 0777": { prepare: FILE, only: SOME, process: { umask: 0o777 } },
  "umask 0": { prepare: FILE, only: SOME, process: { umask: 0 } },
  "no HOME": { prepare: FILE, only: SOME, process: { home: false } },
  "removed working directory": { prepare: FILE, process: { cwd: "removed" } },
  "labels are enforced": {
    prepare: `${FILE}; mount -t tmpfs tmpfs /sys/fs; mkdir /sys/fs/selinux; echo 1 > /sys/fs/selinux/enforce`,
    finish: "umount /sys/fs",
    only: ["managed, new", "managed, changed", "managed, source"],
  },
  "users of another source": { prepare: FILE, only: OF_USERS },
  "crontab": { prepare: SPOOL, finish: "umount /var/spool/cron/crontabs", only: OF_CRON },
  "crontab, full": {
    prepare: `${SPOOL}; head -c 1M /dev/zero > /var/spool/cron/crontabs/fill 2> /dev/null || :`,
    finish: "umount /var/spool/cron/crontabs",
    only: OF_CRON,
  },
  "crontab, read-only": {
    prepare: `${SPOOL}; mount -o remount,ro /var/spool/cron/crontabs`,
    finish: "umount /var/spool/cron/crontabs",
    only: OF_CRON,
  },
};

interface Operation {
  fun: string;
  args?: unknown[];
  kwargs?: Record<string, unknown>;
  /** Whether the function is one of states. */
  state?: true;
}

const file = (fun: string, kwargs: Record<string, unknown>): Operation => ({ fun: `file.${fun}`, kwargs, state: true });
const NAME = { name: "{D}/file" };

const OPERATIONS: Record<string, Operation> = {
  "managed, new": file("managed", { name: "{D}/new", contents: NEW }),
  "managed, changed": file("managed", { ...NAME, contents: NEW }),
  "managed, unchanged": file("managed", { ...NAME, contents: OLD }),
  "managed, test": file("managed", { ...NAME, contents: NEW, test: true }),
  "managed, source": file("managed", { ...NAME, source: "salt://new", user: "daemon", mode: "0600" }),
  "managed, backup": file("managed", { ...NAME, contents: NEW, backup: "minion" }),
  serialize: file("serialize", { ...NAME, dataset: { key: NEW }, serializer: "json" }),
  replace: file("replace", { ...NAME, pattern: "key", repl: NEW.trim(), backup: false }),
  "replace, backup": file("replace", { ...NAME, pattern: "key", repl: NEW.trim() }),
  blockreplace: file("blockreplace", {
    ...NAME,
    marker_start: "# (",
    marker_end: "# )",
    content: NEW,
    append_if_not_found: true,
  }),
  line: file("line", { ...NAME, mode: "ensure", content: NEW.trim(), after: "key.*" }),
  append: file("append", { ...NAME, text: NEW.trim() }),
  prepend: file("prepend", { ...NAME, text: NEW.trim() }),
  comment: file("comment", { ...NAME, regex: "^key", backup: false }),
  touch: file("touch", { ...NAME }),
  keyvalue: file("keyvalue", { ...NAME, key: "key", value: NEW.trim(), separator: " = " }),
  "directory, recurse": file("directory", {
    name: "{D}",
    user: 2,
    group: 2,
    dir_mode: "0750",
    file_mode: "0604",
    recurse: ["user", "group", "mode"],
  }),
  "directory, clean": file("directory", { name: "{D}", clean: true }),
  "recurse, clean": file("recurse", { name: "{D}", source: "salt://tree", clean: true }),
  "copy, force": file("copy", { ...NAME, source: "{FILES}/new", force: true }),
  "symlink, force": file("symlink", { ...NAME, target: "/nowhere", force: true }),
  absent: file("absent", NAME),
  "absent, all": file("absent", { name: "{D}" }),
  rename: file("rename", { name: "{D}/renamed", source: "{D}/file" }),
  "rename, force": file("rename", { ...NAME, source: "{D}.source", force: true }),
  "archive.extracted": {
    fun: "archive.extracted",
    state: true,
    kwargs: { name: "{D}", source: "salt://new.tar", enforce_toplevel: false },
  },
  "cp.get_file": { fun: "cp.get_file", args: ["salt://new", "{D}/file"] },
  "cmd.run": {
    fun: "cmd.run",
    args: ["echo out > /dev/stdout; echo err > /dev/stderr"],
    kwargs: { python_shell: true },
  },
  "file.stats": { fun: "file.stats", args: ["{D}/file"] },
  "file.find": { fun: "file.find", args: ["{D}"], kwargs: { print: "path,type,mode" } },
  "file.readdir": { fun: "file.readdir", args: ["{D}"] },
  "file.copy": { fun: "file.copy", args: ["{FILES}/new", "{D}/file"] },
  "file.write": { fun: "file.write", args: ["{D}/file", NEW] },
};

const present = (fun: string, kwargs: Record<string, unknown>): Operation => ({ fun, kwargs, state: true });

/** Operations of the hosts that say which. */
const MORE_OPERATIONS: Record<string, Operation> = {
  "managed, user": file("managed", { ...NAME, contents: NEW, user: "brineuser", group: "brinegroup" }),
  "directory, user": file("directory", { name: "{D}", user: "brineuser", group: "brinegroup" }),
  "user.present": present("user.present", { name: "brineuser", uid: 70_001, createhome: false }),
  "group.present": present("group.present", { name: "brinegroup", gid: 70_001 }),
  "file.find, user": { fun: "file.find", args: ["{D}"], kwargs: { owner: "brineuser" } },
  runas: { fun: "cmd.run", args: ["id -un"], kwargs: { runas: "brineuser", cwd: "/", shell: "/bin/sh" } },
  "ssh_auth.present": present("ssh_auth.present", {
    name: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ000000000000000000000000000000000000000000 ${NEW.trim()}`,
    user: "daemon",
    config: "{D}/file",
  }),
  "cron.present": present("cron.present", { name: "new", user: "root", minute: "2" }),
  "cron.file": present("cron.file", { name: "salt://crontab", user: "root" }),
};

interface Seen {
  name: string;
  kind: string;
  mode: string;
  owner: string;
  content?: string;
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

function look(path: Buffer, name: string): Seen {
  const stat = lstatSync(path);
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "other";
  const content = kind === "file"
    ? latin1(readFileSync(path)).replaceAll(NEW.trim(), "NEW")
    : kind === "link"
    ? latin1(readlinkSync(path, { encoding: "buffer" }))
    : undefined;
  const text = content !== undefined && content.length > 100 ? `${content.length}: ${content.slice(0, 20)}` : content;
  return {
    name,
    kind,
    mode: (stat.mode & 0o7777).toString(8),
    owner: `${stat.uid}:${stat.gid}`,
    ...text === undefined ? {} : { content: text },
  };
}

function tree(directory: Buffer, above = ""): Seen[] {
  return readdirSync(directory, { encoding: "buffer" }).toSorted(Buffer.compare).flatMap((name) => {
    const path = Buffer.concat([directory, Buffer.from("/"), name]);
    const seen = look(path, above + latin1(name));
    return seen.kind === "directory" ? [seen, ...tree(path, `${seen.name}/`)] : [seen];
  });
}

/** One shell for all that is prepared: to start a program from this process takes ten times as long. */
const shell = spawn("sh", [], { stdio: ["pipe", "pipe", "ignore"] });
const END = "\0";

async function sh(script: string, D: string): Promise<string> {
  const exports = `D='${D}'; SOCKET='${join(top, "socket")}'`;
  shell.stdin.write(`(set -e; ${exports}; ${script}) < /dev/null; printf '%d\\0' $?\n`);
  let told = "";
  while (!told.endsWith(END)) told += await new Promise((resolve) => shell.stdout.once("data", resolve));
  const [, output = "", status] = /^([^]*?)(\d+)\0$/.exec(told)!;
  if (status !== "0") throw new Error(`The host cannot be made: ${script}`);
  return output;
}

function filled(value: unknown, places: Record<string, string>): unknown {
  if (typeof value === "string") return value.replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
  if (Array.isArray(value)) return value.map((one) => filled(one, places));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, places)]));
}

async function run(minion: TestMinion, operation: Operation, places: Record<string, string>): Promise<unknown> {
  const { fun, args = [], kwargs: named = {}, state } = filled(operation, places) as Operation;
  const arg = [...args, kwargs(named)];
  const outcome = await minion.run(state ? "state.single" : fun, state ? [fun, ...arg] : arg);
  if (!state || typeof outcome.return !== "object") return outcome.return;
  const [, entry] = isMap(outcome.return) ? entriesOf(outcome.return)[0] ?? [] : [];
  return isMap(entry) ? Object.fromEntries(entriesOf(entry)) : outcome.return;
}

let number = 0;

async function cell(minion: TestMinion, top: string, host: Host, operation: Operation) {
  const D = join(top, host.on ?? "plain", `host${number++}`);
  const before = { umask: process.umask(), home: process.env.HOME };
  mkdirSync(D, { mode: 0o755 });
  await sh(`printf source > "$D.source"; ${host.prepare}`, D);
  const [old, lists] = [tree(Buffer.from(D)), await attributes(host, D)];
  const { umask, home, cwd } = host.process ?? {};
  if (umask !== undefined) process.umask(umask);
  if (home === false) delete process.env.HOME;
  if (cwd === "removed") {
    mkdirSync(`${D}.cwd`);
    process.chdir(`${D}.cwd`);
    await sh('rmdir "$D.cwd"', D);
  }
  let told: unknown;
  try {
    told = await run(minion, operation, { D, FILES: join(top, "files") });
  } finally {
    process.umask(before.umask);
    if (before.home !== undefined) process.env.HOME = before.home;
    if (cwd !== undefined) process.chdir("/");
  }
  const isThere = lstatSync(D, { throwIfNoEntry: false }) !== undefined;
  const now = isThere ? tree(Buffer.from(D)) : [];
  const table = host.only === OF_CRON ? { table: await sh("crontab -l", D) } : {};
  const labelled = await sh('cat "$D.labelled" 2> /dev/null || :', D);
  const seen = { D, told, old, lists, now, labelled, nowLists: isThere ? await attributes(host, D) : "", ...table };
  if (host.finish !== undefined) await sh(host.finish, D);
  return seen;
}

/** Access control list and extended attributes of the file. */
async function attributes({ lists }: Host, D: string): Promise<string> {
  if (lists === undefined) return "";
  return await sh('test ! -f "$D/file" || { getfacl -cpn "$D/file"; getfattr -d "$D/file" | grep -v ^# || :; }', D);
}

const [top = "", wanted] = process.argv.slice(2);
const minion = await testMinion({
  opts: {
    ...localFiles(join(top, "files")),
    root_dir: join(top, "root"),
    id: "hosts",
    renderer: "jinja|yaml",
    local: true,
    test: false,
    state_auto_order: true,
  },
});
for (const [host, how] of Object.entries(HOSTS)) {
  if (wanted !== undefined && !wanted.split("|").includes(host)) continue;
  for (const operation of how.only ?? Object.keys(OPERATIONS)) {
    const seen = await cell(minion, top, how, { ...OPERATIONS, ...MORE_OPERATIONS }[operation]!);
    console.log(JSON.stringify({ host, operation, ...seen }).replaceAll(NEW.trim(), "NEW"));
  }
}
shell.stdin.end();

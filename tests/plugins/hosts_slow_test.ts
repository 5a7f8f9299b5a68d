/**
 * What a host can be, and what is done on it: each cell is either done as on a plain host, or refused with the path and the reason, and then
 * the old content is whole and nothing is left behind. `hosts_program.ts` has both tables.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

interface Seen {
  name: string;
  kind: string;
  mode: string;
  owner: string;
  content?: string;
}

interface Cell {
  host: string;
  operation: string;
  D: string;
  told: unknown;
  old: Seen[];
  now: Seen[];
  /** Access control list and extended attributes. */
  lists: string;
  nowLists: string;
  /** What `restorecon` was called with. */
  labelled: string;
  /** The crontab. */
  table?: string;
}

const PROGRAM = fileURLToPath(new URL("hosts_program.ts", import.meta.url));
const EXTRAUSERS = "/usr/lib/libnss_extrausers.so.2";

const has = (program: string, ...words: string[]) => spawnSync(program, words, { stdio: "ignore" }).status === 0;
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

/** Why hosts cannot be made here, by what their names begin with. */
const MISSING: Record<string, string | undefined> = {
  "": isRoot && has("unshare", "-m", "-p", "-f", "--mount-proc", "true")
    ? undefined
    : "only root with mounts of its own can make hosts",
  "ext4": has("losetup", "--find") && has("mkfs.ext4", "-V")
    ? undefined
    : "it needs a free loop device and mkfs.ext4 (install e2fsprogs)",
  "lists": has("getfacl", "--version") && has("getfattr", "--version") ? undefined : "install acl and attr",
  "bindfs": has("bindfs", "--version") && existsSync("/dev/fuse")
    ? undefined
    : "it needs FUSE and bindfs (install bindfs)",
  "users": existsSync(EXTRAUSERS) ? undefined : "install libnss-extrausers",
  "crontab": existsSync("/var/spool/cron/crontabs") && has("sh", "-c", "command -v crontab")
    ? undefined
    : "install cron",
};

/** What a host needs besides root. */
const NEEDS: Record<string, readonly string[]> = {
  "access control list": ["ext4", "lists"],
  immutable: ["ext4"],
  "append-only": ["ext4"],
  "immutable directory": ["ext4"],
  "append-only directory": ["ext4"],
  "no owners": ["bindfs"],
  "users of another source": ["users"],
  crontab: ["crontab"],
  "crontab, full": ["crontab"],
  "crontab, read-only": ["crontab"],
};

const SETUP = `
set -e
cd "$1"
mount -t tmpfs tmpfs top
cp -r files bin top
cd top
mkdir plain ext4 root files.cache
if [ -n "$EXT4" ]; then truncate -s 16M image; mkfs.ext4 -q -m 0 image; mount -o loop image ext4; fi
if [ -n "$USERS" ]; then
  mount -t tmpfs tmpfs /var/lib/extrausers
  echo brineuser:x:70001:70001::/:/bin/sh > /var/lib/extrausers/passwd
  echo brinegroup:x:70001:brineuser > /var/lib/extrausers/group
  : > /var/lib/extrausers/shadow
  chmod 755 /var/lib/extrausers; chmod 644 /var/lib/extrausers/*
  sed 's/^\\(passwd\\|group\\|shadow\\):.*/\\1: files extrausers/' /etc/nsswitch.conf > nsswitch
  mount --bind nsswitch /etc/nsswitch.conf
fi
"$2" -e 'require("net").createServer().listen("socket", () => process.kill(process.pid, 9))' || :
tar -C files/tree -cf files/new.tar kept sub
PATH="$PWD/bin:$PATH" exec "$2" "$3" "$PWD" "$HOSTS"
`;

const NEW = "NEW\n";
const TREE = { kept: "tree", sub: "directory", "sub/file": "sub" };
type Change = Record<string, string | undefined>;

/** What an operation makes of a directory where it is done: names with their content, undefined for those that are gone. */
const DONE: Record<string, (old: string, all: string[]) => Change> = {
  "managed, new": () => ({ new: NEW }),
  "managed, changed": () => ({ file: NEW }),
  "managed, unchanged": () => ({ file: "old\nkey = 1\n" }),
  "managed, test": () => ({}),
  "managed, source": () => ({ file: NEW }),
  "managed, backup": () => ({ file: NEW }),
  serialize: () => ({ file: '{\n  "key": "NEW\\n"\n}\n' }),
  replace: (old) => ({ file: old.replace("key", "NEW") }),
  "replace, backup": (old) => ({ file: old.replace("key", "NEW"), "file.bak": old }),
  blockreplace: (old) => ({ file: `${old}# (\nNEW\n# )\n`, "file.bak": old }),
  line: (old) => ({ file: `${old}NEW\n` }),
  append: (old) => ({ file: `${old}NEW\n` }),
  prepend: (old) => ({ file: `NEW\n${old}` }),
  comment: (old) => ({ file: old.replace("key", "#key") }),
  touch: () => ({}),
  keyvalue: (old) => ({ file: old.replace("key = 1", "key = NEW") }),
  "directory, recurse": () => ({}),
  "directory, clean": (_old, all) => Object.fromEntries(all.map((name) => [name, undefined])),
  "recurse, clean": (_old, all) => ({ ...Object.fromEntries(all.map((name) => [name, undefined])), ...TREE }),
  "copy, force": () => ({ file: NEW }),
  "symlink, force": () => ({ file: "/nowhere" }),
  absent: () => ({ file: undefined }),
  "absent, all": (_old, all) => Object.fromEntries(all.map((name) => [name, undefined])),
  rename: (old) => ({ file: undefined, renamed: old }),
  "rename, force": () => ({ file: "source" }),
  "archive.extracted": () => TREE,
  "cp.get_file": () => ({ file: NEW }),
  "cmd.run": () => ({}),
  "file.stats": () => ({}),
  "file.find": () => ({}),
  "file.readdir": () => ({}),
  "file.copy": () => ({ file: NEW }),
  "file.write": () => ({ file: `${NEW}\n` }),
  "managed, user": () => ({ file: NEW }),
  "ssh_auth.present": (old) => ({ file: `${old}ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ${"0".repeat(42)} NEW\n` }),
};

const SPECIAL = { absent: () => ({}), "file.copy": () => ({}), "file.write": () => ({}) };
const THROUGH = (content: string) => () => ({ nothing: content });

/** Where an operation does something else. */
const OTHERWISE: Record<string, Record<string, () => Change>> = {
  // As in Salt: what is neither a file nor a directory is not seen as present.
  "a pipe": SPECIAL,
  "a socket": SPECIAL,
  "a device": SPECIAL,
  "a dangling link": {
    append: THROUGH("NEW\n"),
    prepend: THROUGH("NEW\n"),
    touch: THROUGH(""),
    "cp.get_file": THROUGH(NEW),
    "file.copy": THROUGH(NEW),
    "file.write": THROUGH(`${NEW}\n`),
  },
};

/** Operations that write `file`: it keeps its owner, its mode, its access control list and its extended attributes. */
const KEEPING =
  "managed, changed|managed, backup|serialize|replace|replace, backup|blockreplace|line|append|prepend|comment|keyvalue|" +
  "cp.get_file|file.write|touch|ssh_auth.present";

const WRITING =
  "managed, changed|managed, source|managed, backup|serialize|replace|replace, backup|blockreplace|line|" +
  "prepend|comment|keyvalue|cp.get_file|file.copy|file.write";
const TAKING = "directory, clean|recurse, clean|symlink, force|absent|rename";
const EDITING = "line|append|prepend|comment|keyvalue";

/** What is refused, with the reason. */
const REFUSED: Record<string, Record<string, RegExp>> = {
  "bind-mounted file": { [`${TAKING}|absent, all`]: /resource busy/ },
  "bind-mounted directory": { "absent, all": /resource busy/ },
  overlay: { "absent, all": /resource busy/ },
  immutable: {
    [`${WRITING}|${TAKING}|append|touch|directory, recurse|copy, force|absent, all|rename, force`]: /not permitted/,
  },
  "append-only": {
    [`${WRITING}|${TAKING}|touch|directory, recurse|copy, force|absent, all|rename, force`]: /not permitted/,
  },
  "immutable directory": {
    [`${TAKING}|managed, new|replace, backup|blockreplace|directory, recurse|absent, all`]: /not permitted/,
    "archive.extracted": /Cannot open|Cannot mkdir/,
  },
  "append-only directory": { [`${TAKING}|directory, recurse|absent, all`]: /not permitted/ },
  full: {
    [`${WRITING}|managed, new|append|recurse, clean|copy, force|rename, force|archive.extracted`]: /no space left/i,
    "absent, all": /resource busy/,
  },
  "a user's own directory, full": { "ssh_auth.present": /No space left/ },
  "a full cache": { "managed, source|managed, backup|recurse, clean|archive.extracted": /no space left/ },
  "a mount below": { "absent, all|directory, clean|recurse, clean": /resource busy/ },
  "read-only": {
    [`${WRITING}|${TAKING}|managed, new|append|touch|directory, recurse|copy, force|rename, force`]: /read-only/i,
    "absent, all": /resource busy/,
    "archive.extracted": /Cannot open|Read-only/,
  },
  "Latin-1 without an end": { blockreplace: /binary file/, [EDITING]: /can't decode byte 0xe4/ },
  "a pipe": {
    "replace|replace, backup|blockreplace|append|prepend|comment|file.copy|file.write": /named pipe/,
    line: /not a file/,
    keyvalue: /unable to open/,
    "cp.get_file": /expected a file/,
  },
  "a socket": {
    "replace|replace, backup|comment": /binary file/,
    "blockreplace|append|prepend": /a socket/,
    line: /not a file/,
    keyvalue: /unable to open/,
    "cp.get_file": /expected a file/,
    "file.copy|file.write": /No such device/,
  },
  "a device": {
    "replace|replace, backup|comment": /binary file/,
    "blockreplace|append|prepend": /character device/,
    line: /not a file/,
    keyvalue: /unable to open/,
    "cp.get_file": /expected a file/,
  },
  "a dangling link": {
    "managed, changed|managed, unchanged|managed, test|managed, source|managed, backup|serialize": /No such file/,
    "replace|replace, backup|blockreplace|line|comment": /file not found/,
    keyvalue: /unable to open/,
  },
};

/** Operations on many files: those before the one that is refused are done, and it is the file that stays as it is. */
const OF_MANY = ["recurse, clean", "directory, recurse", "archive.extracted"];
/** Where names are removed one after the other. */
const ONE_BY_ONE = "a mount below";

/** Where no name can be removed, an empty draft stays; a copy stays, too. */
const LEFT: Record<string, RegExp> = { "append-only directory": /^\.[0-9a-f-]+\.(tmp|part)$|^renamed$/ };

function reasonFor(host: string, operation: string): RegExp | undefined {
  return Object.entries(REFUSED[host] ?? {}).find(([names]) => names.split("|").includes(operation))?.[1];
}

const shown = ({ kind, content }: Seen) => content ?? kind;
const contents = (all: readonly Seen[]) => new Map(all.map((seen) => [seen.name, shown(seen)]));

/** What became of the names, as far as it is not what it was. */
function changed({ host, old, now }: Cell): Change {
  const isDraft = ({ name, content }: Seen) => content === "" && LEFT[host]?.test(name);
  const [before, after] = [contents(old), contents(now.filter((seen) => !isDraft(seen)))];
  const names = [...before.keys(), ...after.keys()].filter((name) => before.get(name) !== after.get(name));
  return Object.fromEntries(names.map((name) => [name, after.get(name)]));
}

function outcomeOf(told: unknown): { failed: boolean; text: string } {
  if (typeof told === "object" && told !== null && "result" in told && "comment" in told) {
    const { result, comment, changes } = told as { result: unknown; comment: unknown; changes?: unknown };
    return { failed: result === false, text: `${String(comment)} ${JSON.stringify(changes)}` };
  }
  const text = typeof told === "string" ? told : JSON.stringify(told);
  return { failed: /^ERROR|caused an exception|Traceback/.test(text), text };
}

function checkDone(cell: Cell): void {
  const { host, operation, old, now, lists, nowLists } = cell;
  const file = old.find(({ name }) => name === "file")!;
  const before = contents(old);
  const want = (OTHERWISE[host]?.[operation] ?? DONE[operation])!(shown(file), [...before.keys()]);
  const expected = Object.entries(want).filter(([name, content]) => content !== before.get(name));
  assert.deepEqual(changed(cell), Object.fromEntries(expected));
  if (file.kind !== "file" || !KEEPING.split("|").includes(operation)) return;
  const after = now.find(({ name }) => name === "file");
  assert.deepEqual([after?.mode, after?.owner], [file.mode, file.owner]);
  assert.equal(nowLists, lists);
}

function checkRefused({ host, operation, D, old, now, lists, nowLists }: Cell, text: string, reason: RegExp): void {
  assert.match(text.replaceAll(D, "D"), reason);
  assert.ok(text.includes(host === "a full cache" ? "/files.cache/" : D), `the path is not named: ${text}`);
  if (OF_MANY.includes(operation) || host === ONE_BY_ONE) {
    const left = contents(now).get("file");
    if (left !== undefined) assert.equal(left, contents(old).get("file"));
    return;
  }
  assert.deepEqual(now.filter(({ name }) => !LEFT[host]?.test(name)), old);
  assert.equal(nowLists, lists);
}

/** Runs all hosts in a process with mounts of its own, which end with it. */
function cellsOf(hosts: string[]): Cell[] {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-hosts-"));
  // Users have files in it.
  chmodSync(directory, 0o755);
  try {
    for (const name of ["files/tree/sub", "bin", "top"]) {
      mkdirSync(path.join(directory, name), { recursive: true });
    }
    writeFileSync(path.join(directory, "files/new"), `${"new_".repeat(2000)}\n`);
    writeFileSync(path.join(directory, "files/crontab"), "2 2 * * * new\n");
    writeFileSync(path.join(directory, "files/tree/kept"), "tree");
    writeFileSync(path.join(directory, "files/tree/sub/file"), "sub");
    writeFileSync(
      path.join(directory, "bin/restorecon"),
      '#!/bin/sh\nprintf "%s" "$1" > "$(dirname "$1").labelled"\n',
      { mode: 0o755 },
    );
    const needs = hosts.flatMap((host) => NEEDS[host] ?? []);
    const env = {
      ...process.env,
      HOSTS: hosts.join("|"),
      EXT4: needs.includes("ext4") ? "1" : "",
      USERS: needs.includes("users") ? "1" : "",
    };
    // With processes of their own, too: what mounts a file system of FUSE ends with the rest.
    const own = ["-m", "-p", "-f", "--kill-child", "--mount-proc", "--propagation", "private"];
    const argv = [...own, "sh", "-c", SETUP, "sh", directory, process.execPath, PROGRAM];
    const told = execFileSync("unshare", argv, { encoding: "utf8", env, maxBuffer: 1 << 28 });
    return told.trim().split("\n").map((line) => JSON.parse(line) as Cell);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const HOSTS = [
  "plain",
  "bind-mounted file",
  "bind-mounted directory",
  "overlay",
  "access control list",
  "immutable",
  "append-only",
  "immutable directory",
  "append-only directory",
  "full",
  "a user's own directory",
  "a user's own directory, full",
  "a user's file in root's directory",
  "a full cache",
  "no owners",
  "a mount below",
  "read-only",
  "names of bytes",
  "Latin-1 without an end",
  "a pipe",
  "a socket",
  "a device",
  "a dangling link",
  "umask 0777",
  "umask 0",
  "no HOME",
  "removed working directory",
  "labels are enforced",
  "users of another source",
  "crontab",
  "crontab, full",
  "crontab, read-only",
];

const whyNot = (host: string) =>
  ["", ...NEEDS[host] ?? []].map((need) => MISSING[need]).find((why) => why !== undefined);

describe("what a host can be", () => {
  let cells: Cell[] = [];
  const cell = (host: string, operation: string) =>
    cells.find((one) => one.host === host && one.operation === operation)!;
  before(() => {
    const hosts = HOSTS.filter((host) => whyNot(host) === undefined);
    if (hosts.length > 0) cells = cellsOf(hosts);
  });
  after(() => cells = []);

  for (const host of HOSTS) {
    const skip = whyNot(host) ?? false;
    test(`each operation is done or refused as a whole: ${host}`, { skip }, () => {
      const own = cells.filter((one) => one.host === host);
      assert.ok(own.length > 0);
      const wrong = own.filter(({ operation }) => operation in DONE).flatMap((one) => {
        try {
          const { failed, text } = outcomeOf(one.told);
          const reason = reasonFor(host, one.operation);
          assert.equal(failed, reason !== undefined, text);
          if (reason === undefined) checkDone(one);
          else checkRefused(one, text, reason);
          return [];
        } catch (error) {
          return [`${one.operation}: ${(error as Error).message}`];
        }
      });
      assert.deepEqual(wrong, []);
    });
  }

  const on = (host: string, title: string, check: () => void) => test(title, { skip: whyNot(host) ?? false }, check);

  on("plain", "a command may write to /dev/stdout and /dev/stderr", () => {
    for (const { told } of cells.filter(({ operation }) => operation === "cmd.run")) assert.equal(told, "out\nerr");
  });

  on("names of bytes", "names that are not UTF-8 are listed so that they lead back to their files", () => {
    const { D } = cell("names of bytes", "file.readdir");
    assert.deepEqual(cell("names of bytes", "file.readdir").told, [".", "..", "a", "d\udce4", "file", "l\udce4"]);
    const found = (cell("names of bytes", "file.find").told as string[][]).map(([one]) =>
      one!.replace(/^.*host\d+/, "")
    );
    assert.deepEqual(found, ["", "/a", "/a/f\udce4", "/d\udce4", "/d\udce4/f\udce4", "/file", "/l\udce4"], D);
    const { now } = cell("names of bytes", "directory, recurse");
    assert.ok(now.every(({ owner, kind, mode }) => owner === "2:2" && (kind !== "file" || mode === "604")));
  });

  on("a mount below", "what is mounted below a directory that is removed or cleaned stays", () => {
    for (const { operation, now } of cells.filter(({ host }) => host === "a mount below")) {
      assert.equal(contents(now).get("mounted/inner"), "inner", operation);
    }
  });

  on("labels are enforced", "a new file gets the label of the policy, and an existing one keeps its own", () => {
    const { D, labelled } = cell("labels are enforced", "managed, new");
    assert.equal(labelled, `${D}/new`);
    assert.equal(cell("labels are enforced", "managed, changed").labelled, "");
  });

  on("users of another source", "users and groups of another source of names are known", () => {
    const of = (operation: string) => cell("users of another source", operation);
    for (const operation of ["managed, user", "directory, user", "user.present", "group.present"]) {
      const { told } = of(operation);
      assert.equal((told as { result: unknown }).result, true, JSON.stringify(told));
    }
    assert.deepEqual((of("user.present").told as { changes: unknown }).changes, {});
    assert.equal(of("managed, user").now[0]!.owner, "70001:70001");
    assert.equal(of("runas").told, "brineuser");
  });

  on("crontab", "a crontab that cannot be written stays as it is", () => {
    for (const operation of ["cron.present", "cron.file"]) {
      const { told, table } = cell("crontab", operation);
      assert.equal((told as { result: unknown }).result, true, JSON.stringify(told));
      assert.match(table!, /new$/m);
      for (const [host, reason] of [["crontab, full", /space/i], ["crontab, read-only", /[Rr]ead-only/]] as const) {
        const refused = cell(host, operation);
        const { failed, text } = outcomeOf(refused.told);
        assert.ok(failed, text);
        assert.match(text, reason);
        assert.match(refused.table!, /old$/m);
        assert.doesNotMatch(refused.table!, /new$/m);
      }
    }
  });
});

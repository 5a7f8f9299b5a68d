import assert from "node:assert/strict";
import { test } from "node:test";
import { allAccounts, allGroups, findAccount, findGroup, groupsOf, shadowRows } from "../../src/runtime/accounts.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../support/fake_clock.ts";

const { crypto } = await currentRuntime();

const LOCAL = "root:x:0:0:root:/root:/bin/bash\n1000:x:1500:1500::/home/digits:/bin/sh\n#gone:x:9:9::/:/bin/sh\n";
const DIRECTORY: Record<string, string> = {
  "passwd jürgen": "jürgen:*:70001:70001:Jürgen:/home/jürgen:/bin/sh\n",
  "passwd 70001": "jürgen:*:70001:70001:Jürgen:/home/jürgen:/bin/sh\n",
  "passwd root": "root:x:0:0:of LDAP:/ldap:/bin/sh\n",
  "passwd 1000": "other:*:1000:1000::/:/bin/sh\n",
  "passwd": `${LOCAL}jürgen:*:70001:70001:Jürgen:/home/jürgen:/bin/sh\n`,
  "group 70001": "ldapgroup:*:70001:jürgen\n",
  "group ldapgroup": "ldapgroup:*:70001:jürgen\n",
  "group 70002": "admins:*:70002:\n",
  "initgroups jürgen": "jürgen                70001 70002\n",
  // As glibc writes a name without further groups.
  "initgroups root": "root                 \n",
  "initgroups daemon": "daemon               \n",
  "passwd daemon": "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
  "group 1": "daemon:x:1:\n",
};

/** A host with a directory service; `asked` are the questions that its getent got. */
function hostWith(nsswitch: string | undefined, getent = true) {
  const asked: string[] = [];
  const clock = new FakeClock();
  const runtime = memoryRuntime({
    clock,
    crypto,
    process: {
      programs: {
        "/usr/bin/getent": ({ argv: [, database, , key], stdout }) => {
          const question = [database, ...key === undefined ? [] : [key]].join(" ");
          asked.push(question);
          void stdout(DIRECTORY[question] ?? "");
          return question in DIRECTORY ? 0 : 2;
        },
      },
    },
  });
  for (const directory of ["/etc", "/usr/bin"]) runtime.fs.mkdir(directory, 0o755);
  runtime.fs.write("/etc/passwd", LOCAL);
  runtime.fs.write("/etc/group", "root:x:0:\nwheel:x:10:root,jürgen\n");
  if (nsswitch !== undefined) runtime.fs.write("/etc/nsswitch.conf", nsswitch);
  if (getent) runtime.fs.write("/usr/bin/getent", "");
  return { runtime, clock, asked };
}

const OTHERS = "# x\npasswd: files [NOTFOUND=continue] ldap # of the company\ngroup:files sss\n";

for (const nsswitch of [undefined, "passwd: files\ngroup: files\n", "hosts: files dns\n"]) {
  test(`a host whose sources are ${nsswitch ?? "not named"} asks nobody`, () => {
    const { runtime, asked } = hostWith(nsswitch);
    assert.equal(findAccount(runtime, "root")?.home, "/root");
    assert.equal(findAccount(runtime, "jürgen"), undefined);
    assert.equal(findGroup(runtime, 70001), undefined);
    assert.equal(allAccounts(runtime).length, 2);
    assert.deepEqual(groupsOf(runtime, "root"), ["root", "wheel"]);
    assert.deepEqual(asked, []);
  });
}

test("accounts of a directory service are found by name and number, with their groups", () => {
  const { runtime } = hostWith(OTHERS);
  assert.deepEqual(findAccount(runtime, "jürgen"), {
    name: "jürgen",
    passwd: "*",
    uid: 70001,
    gid: 70001,
    gecos: "Jürgen",
    home: "/home/jürgen",
    shell: "/bin/sh",
  });
  assert.equal(findAccount(runtime, 70001)?.name, "jürgen");
  assert.deepEqual(findGroup(runtime, "ldapgroup"), {
    name: "ldapgroup",
    passwd: "*",
    gid: 70001,
    members: ["jürgen"],
  });
  assert.equal(findGroup(runtime, 70001)?.name, "ldapgroup");
  assert.deepEqual(groupsOf(runtime, "jürgen"), ["admins", "ldapgroup", "wheel"]);
  assert.deepEqual(allAccounts(runtime).map(({ name }) => name), ["root", "1000", "jürgen"]);
});

test("an account without further groups has only its own: it is not in the group with the number 0", () => {
  assert.deepEqual(groupsOf(hostWith(OTHERS).runtime, "daemon"), ["daemon"]);
});

test("the first source wins: the file, or one before it", () => {
  const after = hostWith(OTHERS);
  assert.equal(findAccount(after.runtime, "root")?.home, "/root");
  assert.deepEqual(after.asked, []);
  assert.equal(findAccount(hostWith("passwd: ldap files\n").runtime, "root")?.home, "/ldap");
});

test("a name of digits is not asked for, since getent would take it for a number", () => {
  const { runtime, asked } = hostWith(OTHERS);
  assert.equal(findAccount(runtime, "1000")?.uid, 1500);
  assert.equal(findAccount(runtime, "2000"), undefined);
  assert.deepEqual(asked, []);
  assert.equal(findAccount(runtime, 1000)?.name, "other");
});

test("an answer counts for a minute, and that there is no such account for seconds, unless the files change", () => {
  const { runtime, clock, asked } = hostWith(OTHERS);
  for (let round = 0; round < 500; round++) {
    findAccount(runtime, "jürgen");
    findAccount(runtime, 12345);
  }
  assert.deepEqual(asked, ["passwd jürgen", "passwd 12345"]);
  clock.advance(10_000);
  findAccount(runtime, "jürgen");
  findAccount(runtime, 12345);
  assert.deepEqual(asked, ["passwd jürgen", "passwd 12345", "passwd 12345"]);
  runtime.fs.write("/etc/passwd", `${LOCAL}new:x:12345:12345::/:/bin/sh\n`);
  assert.equal(findAccount(runtime, 12345)?.name, "new");
  findAccount(runtime, "jürgen");
  assert.equal(asked.length, 4);
});

test("a list is asked for again once the file of its database has changed", () => {
  const { runtime, asked } = hostWith("passwd: files systemd\ngroup: files systemd\nshadow: files systemd\n");
  const lists = { passwd: allAccounts, group: allGroups, shadow: shadowRows };
  for (const [database, list] of Object.entries(lists)) {
    asked.length = 0;
    runtime.fs.write(`/etc/${database}`, "before");
    list(runtime);
    list(runtime);
    runtime.fs.write(`/etc/${database}`, "other:content");
    list(runtime);
    assert.deepEqual(asked, [database, database]);
  }
});

test("a host without getent has its files", () => {
  const { runtime } = hostWith(OTHERS, false);
  assert.equal(findAccount(runtime, "root")?.uid, 0);
  assert.equal(findAccount(runtime, "jürgen"), undefined);
  assert.equal(allAccounts(runtime).length, 2);
});

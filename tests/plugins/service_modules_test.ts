/** Modules around services, in memory: what is refused, and answers that differ from Salt's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";

const PROGRAMS = [
  "apache2ctl",
  "a2enmod",
  "htpasswd",
  "getfacl",
  "setfacl",
  "dig",
  "showmount",
  "udevadm",
  "rsync",
  "hg",
]
  .concat("dmidecode");

for (
  const [fun, ...words] of [
    ["aliases.set_target", "root", "x\nother: y"],
    ["aliases.set_target", "a:b", "x"],
    ["apache.a2enmod", "-q"],
    ["webutil.useradd", "/h", "-D", "p"],
    ["webutil.useradd", "/h", "a:b", "p"],
    ["webutil.useradd", "/h", "a", null],
    ["webutil.useradd", "/h", "a", "p", "s -c"],
    ["webutil.userdel", "/etc", "-x"],
    ["acl.getfacl", "-R"],
    ["acl.modfacl", "user", "a:rwx,u:b", "r", "/x"],
    ["acl.modfacl", "user", "a", "r,u:b:w", "/x"],
    ["acl.delfacl", "user", "a", "--restore=x"],
    ["dig.A", "-f/etc/shadow"],
    ["dig.A", "x", "-p"],
    ["nfs3.add_export", "/etc/exports", "/srv", "a(rw) b", ["ro"]],
    ["nfs3.add_export", "/etc/exports", "/srv", "a", ["ro\n/ *(rw"]],
    ["udev.info", "-a"],
    ["smbios.get", "-d"],
    ["smbios.records", "--dump"],
    ["rsync.rsync", "-e sh", "/b"],
    ["rsync.rsync", "/a", "--delete"],
    ["hg.revision", "/r", "--config=x"],
    ["hg.clone", "/r", "--config=x"],
    ["hg.update", "/r", "-C"],
    ["hg.pull", "/r", null, null, "/k; reboot"],
  ]
) {
  test(`${fun} refuses ${JSON.stringify(words)}`, async () => {
    const { minion, ran } = await memoryHost({ programs: PROGRAMS, files: { "/etc/exports": "" } });
    const outcome = await minion.run(String(fun), words);
    assert.match(String(outcome.return), /Cannot (?:use|export)/);
    assert.deepEqual(ran, []);
  });
}

test("aliases.set_target keeps continuation lines, which Salt empties", async () => {
  const { minion, fs } = await memoryHost({ files: { "/etc/aliases": "team: a,\n  b\n\nroot: x\n" } });
  assert.equal(await minion.value("aliases.set_target", "root", "y"), true);
  assert.equal(fs.readText("/etc/aliases"), "team: a,\n  b\n\nroot: y\n");
});

test("nfs3 does not rewrite a file with a client that it cannot read", async () => {
  const text = "/srv host\n";
  const { minion, fs } = await memoryHost({ programs: PROGRAMS, files: { "/etc/exports": text } });
  await assert.rejects(minion.value("nfs3.add_export", "/etc/exports", "/b", "h", ["ro"]), /Cannot read "host"/);
  assert.equal(fs.readText("/etc/exports"), text);
});

test("dig.SPF of domains that include each other ends", async () => {
  const says = (name: string) => `"v=spf1 include:${name} ip4:192.0.2.1"`;
  const answers = { "dig +short a SPF": says("b"), "dig +short b SPF": says("a") };
  const { minion, ran } = await memoryHost({ programs: PROGRAMS, answers });
  assert.deepEqual(await minion.value("dig.SPF", "a"), ["192.0.2.1", "192.0.2.1"]);
  assert.equal(ran.length, 2);
});

test("smbios.records has the last field of a record", async () => {
  const answers = { "/usr/sbin/dmidecode -t 1": "Handle 0x0001, DMI type 1, 27 bytes\nSystem\n\tFamily: One\n\n" };
  const { minion } = await memoryHost({ programs: PROGRAMS, answers });
  assert.deepEqual(await minion.value("smbios.records", "1"), [
    { handle: "0x0001", description: "System", type: 1, data: { family: "One" } },
  ]);
});

test("hg.describe names a revision by its tag, or by its short id", async () => {
  const log = "hg log -r tip --template {latesttag}-{latesttagdistance}-{node|short}";
  const tagged = await memoryHost({ programs: PROGRAMS, answers: { [log]: "1.0-2-0123456789ab" } });
  assert.equal(await tagged.minion.value("hg.describe", "/r"), "1.0-2-0123456789ab");
  const plain = await memoryHost({ programs: PROGRAMS, answers: { "hg id -i -r tip": "0123456789ab" } });
  assert.equal(await plain.minion.value("hg.describe", "/r"), "0123456789ab");
});

test("apache.server_status counts workers and keeps values that are text", async () => {
  const body = "ServerVersion: Apache/2.4\nTotal Accesses: 5\nCPULoad: .5\nScoreboard: W__K.\n";
  const query = { signature: "url, **kwargs", doc: "", run: () => ({ body }) };
  const { minion } = await memoryHost({ programs: PROGRAMS, modules: { http: { query } } });
  const { Scoreboard: board, ...rest } = await minion.value("apache.server_status") as Record<string, unknown>;
  assert.deepEqual(board, { _: 2, S: 0, R: 0, W: 1, K: 1, D: 0, C: 0, L: 0, G: 0, I: 0, ".": 1 });
  assert.equal(rest.ServerVersion, "Apache/2.4");
  assert.equal(rest["Total Accesses"], 5);
  assert.equal(Number(rest.CPULoad), 0.5);
});

test("rsync.rsync takes what is not given from options", async () => {
  const { minion, ran } = await memoryHost({ programs: PROGRAMS, grains: { "rsync.delete": true } });
  await minion.value("rsync.rsync", "/a", "/b", kwargs({ exclude: ["x"] }));
  assert.deepEqual(ran, ["rsync -avz --delete --exclude x /a /b"]);
});

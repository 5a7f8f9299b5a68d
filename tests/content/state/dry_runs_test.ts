/**
 * What a run refuses whatever the states before it do, a dry run refuses too, in the same words.
 *
 * A dry run stays None for what an earlier state of the same run may bring: a directory, a user, a program.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../../../src/base/errors.ts";
import { CommandExecutionError, type ExecutionModule } from "../../../src/model/loader/family.ts";
import { newContainer } from "../../../src/plugins/docker/create_options.ts";
import { module as file } from "../../../src/plugins/modules/file.ts";
import { GRANTS } from "../../../src/plugins/modules/mysql/grants.ts";
import { module as pip } from "../../../src/plugins/modules/pip.ts";
import { yumModRepo as modYumRepo } from "../../../src/plugins/modules/yumpkg/repositories.ts";
import { zypperModRepo as modZypperRepo } from "../../../src/plugins/modules/zypperpkg/repositories.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { type StateHost, stateHost } from "../../support/file_states.ts";
import { localFiles } from "../../support/local_files.ts";

type Args = Record<string, unknown>;
type Functions = ExecutionModule["functions"];
type Family = "Debian" | "RedHat" | "Suse";

const FILES: Record<string, string> = {
  "/etc/fstab": "",
  "/etc/group": "root:x:0:\n",
  "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
  "/full/x": "a\n",
  "/full/y/z": "a\n",
  "/proc/self/mountinfo": "",
  "/proc/self/mounts": "",
  "/srv/salt/tree/x": "a\n",
};
const PROGRAMS = ["at", "git", "groupadd", "iptables", "iptables-save", "lvm", "nft", "ssh", "ssh-keygen", "useradd"];

const fun = (run: Functions[string]["run"], signature = "*args, **kwargs"): Functions[string] => ({
  signature,
  doc: "",
  run,
});
const answers = (map: Record<string, unknown>): Functions =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fun(() => structuredClone(value))]));

/** Programs that print nothing, and what this host does not have. */
const MODULES: Record<string, Functions> = {
  alternatives: answers({ check_exists: false }),
  cmd: answers({ run: "", run_all: { pid: 1, retcode: 0, stdout: "", stderr: "" }, run_stdout: "", run_stderr: "" }),
  docker: {
    ...answers({ networks: [], resolve_image_id: "sha256:1" }),
    create: fun((_, { image, kwargs }) => newContainer(image, { dns: (kwargs as Args).dns }), "image, **kwargs"),
    inspect_container: fun(() => {
      throw new CommandExecutionError("Error 404: No such container");
    }),
    run_container: fun((_, { image, kwargs }) => newContainer(image, { dns: (kwargs as Args).dns }), "image, **kwargs"),
  },
  mysql: { ...GRANTS, ...answers({ db_get: { name: "d", collate: "a" }, grant_exists: false }) },
  debconf: answers({ show: null }),
  file: { ...file.functions, ...answers({ is_blkdev: true }) },
  keyboard: answers({ get_sys: "us" }),
  locale: answers({ get_locale: "C" }),
  postgres: answers({ db_list: {}, tablespace_list: {} }),
  pip: { ...pip.functions, ...answers({ list: {}, version: "23.0" }) },
  selinux: answers({}),
};
const REPOSITORIES: Record<Family, Functions> = {
  Debian: {},
  RedHat: {
    get_repo: fun(() => ({})),
    mod_repo: fun(
      (context, { repo, kwargs }) => modYumRepo(context, String(repo), null, kwargs as Args),
      "repo, **kwargs",
    ),
  },
  Suse: {
    get_repo: fun(() => ({})),
    mod_repo: fun(
      (context, { repo, kwargs }) => modZypperRepo(context, String(repo), kwargs as Args),
      "repo, **kwargs",
    ),
  },
};
/** What the minion says of its beacons and its schedule. */
const MINION: Record<string, Args> = {
  beacons_list_complete: { beacons: {} },
  beacons_list_available_complete: { beacons: ["inotify"] },
  beacon_validation_complete: { valid: false, vcomment: "Configuration for inotify beacon must be a list." },
};

async function hostOf(family: Family): Promise<StateHost> {
  const { crypto } = await currentRuntime();
  const clock = Object.assign(new FakeClock(), { sleep: () => Promise.resolve() });
  const { fs, host } = memoryRuntime({ clock, crypto });
  for (const directory of ["/d", "/usr/sbin"]) fs.mkdir(directory);
  for (const name of PROGRAMS) fs.write(`/usr/sbin/${name}`, "", { mode: 0o755 });
  for (const [path, text] of Object.entries(FILES)) {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")));
    fs.write(path, text, { mode: 0o644 });
  }
  const modules = { ...MODULES, ...(family === "Debian" ? {} : { pkg: REPOSITORIES[family] }) };
  return await stateHost({
    runtime: { clock, fs, host },
    modules: Object.fromEntries(
      Object.entries(modules).map(([name, functions]) => [name, () => Promise.resolve({ module: { functions } })]),
    ),
    opts: localFiles("/srv/salt"),
    grains: { kernel: "Linux", os: family, os_family: family, shell: "/bin/sh" },
    master: {
      fireEvent: () => Promise.resolve(true),
      fireLocal: () => {},
      request: () => Promise.reject(new Error("There is no master in this test")),
      askLocal: (_tag, _data, answer) =>
        Promise.resolve({ complete: true, schedule: {}, ...MINION[answer.slice("/salt/minion/minion_".length)] }),
    },
  });
}
const hosts = new Map<Family, Promise<StateHost>>();
const hostFor = (family: Family): Promise<StateHost> => {
  const host = hosts.get(family) ?? hostOf(family);
  hosts.set(family, host);
  return host;
};

/** Result and comment of a state; one that throws has failed with its message. */
async function outcomeOf(run: () => Promise<{ result: unknown; comment: unknown }>): Promise<[unknown, string]> {
  try {
    const { result, comment } = await run();
    return [result, String(comment)];
  } catch (error) {
    return [false, messageOf(error)];
  }
}

/** Of a dry run, and of the run after it. */
async function bothOf(name: string, args: Args, family: Family = "Debian") {
  const { run, test: dryRun } = await hostFor(family);
  const dry = await outcomeOf(() => dryRun(name, structuredClone(args)));
  return { dry, real: await outcomeOf(() => run(name, structuredClone(args))) };
}

const MODE = /Mode 'rwx' is not valid/;
const KEY = { signing_private_key: "/k", signing_cert: "/c" };

for (
  const [name, args, says, family] of [
    ["alternatives.install", { name: "a", link: "/l", path: "/p", priority: "high" }, /expected a number as priority/],
    ["archive.extracted", { name: "/a", source: "http://x/a.tar", clean: true, clean_parent: true }, /Only one of/],
    ["at.present", { name: "a", timespec: "now", tag: "a b" }, /A tag has letters, digits and underscores only/],
    ["at.present", { name: "a", timespec: "-f" }, /invalid timespec/],
    ["blockdev.tuned", { name: "/dev/a", "read-behind": 1 }, /Invalid keyword arguments: read-behind=1/],
    ["debconf.set", { name: "p", data: { "a b": { type: "string", value: "c" } } }, /each one word/],
    ["keyboard.system", { name: "a b" }, /"a b" is not a keyboard layout/],
    ["locale.system", { name: "a b c" }, /"a b c" is not a locale/],
    ["postgres_database.present", { name: "d", encoding: "a'b" }, /Unsupported character ' in value/],
    ["postgres_tablespace.present", { name: "t", directory: "/t", options: { "a b": 1 } }, /Not a parameter/],
    ["user.present", { name: "u", fullname: "a:b" }, /Unsupported char ':'/],
    ["user.present", { name: "u", password: "a:b" }, /has no colon/],
    ["beacon.present", { name: "nope" }, /Beacon "nope" is not available/],
    ["beacon.present", { name: "inotify", x: 1 }, /configuration invalid, not adding/],
    ["docker_container.run", { name: "w", image: "i", dns: "x" }, /Failed to translate input/],
    ["docker_container.running", { name: "w", image: "i", dns: "x" }, /Failed to translate input/],
    ["environ.setenv", { name: "a", value: { A: 1 } }, /Failed to set environ variables/],
    ["file.append", { name: "/n", source: "salt://nope" }, /Failed to load template file salt:\/\/nope/],
    ["file.comment", { name: "/full/x", regex: "a", encoding: "nope" }, /unknown encoding: nope/],
    ["file.copy", { name: "/full/x", source: "/full/x", force: true }, /Failed to copy/],
    ["file.copy", { name: "/full/y/d", source: "/full" }, /Failed to copy/],
    ["file.copy", { name: "/n", source: "/full/x", mode: "rwx" }, MODE],
    ["file.decode", { name: "/n", encoded_data: "a" }, /Invalid base64-encoded string/],
    ["file.decode", { name: "/n", encoded_data: "YQ==", checksum: "nope" }, /'nope' is not supported/],
    ["file.directory", { name: "/n", dir_mode: "rwx" }, MODE],
    ["file.managed", { name: "/n", contents: "a", mode: "rwx" }, MODE],
    ["file.managed", { name: "/n", contents: "a", encoding: "nope" }, /unknown encoding: nope/],
    ["file.mknod", { name: "/n", ntype: "p", mode: "rwx" }, MODE],
    ["file.pruned", { name: "full" }, /not an absolute path/],
    ["file.recurse", { name: "/n", source: "salt://tree", file_mode: "rwx" }, MODE],
    ["file.rename", { name: "/full/x", source: "/full/x", force: true }, /Failed to move/],
    ["file.rename", { name: "/full/d", source: "/full" }, /Failed to move/],
    ["file.serialize", { name: "/n", dataset: { a: 1 }, mode: "rwx" }, MODE],
    ["file.serialize", { name: "/n", dataset: { a: 1 }, encoding: "nope" }, /unknown encoding: nope/],
    ["file.symlink", { name: "/full/x", target: "/t", backupname: "a/b", force: true }, /Backupname must be/],
    ["file.touch", { name: "/n", atime: "nope" }, /atime and mtime must be integers/],
    ["git.cloned", { name: "http://x/y", target: "/n", https_user: "me" }, /Basic Auth only supported for HTTPS/],
    ["group.present", { name: "g", members: "a" }, /members must be a list of users/],
    ["ini.options_present", { name: "/n", sections: { a: { b: 1 } }, encoding: "nope" }, /unknown encoding: nope/],
    ["iptables.append", { name: "r", jump: "DROP" }, /Chain needs to be specified/],
    ["iptables.delete", { name: "r", jump: "DROP", position: 1 }, /Chain needs to be specified/],
    ["iptables.insert", { name: "r", jump: "DROP", position: 1 }, /Chain needs to be specified/],
    ["iptables.set_policy", { name: "p", chain: "INPUT" }, /Failed to set iptables default policy/],
    ["iptables.set_policy", { name: "p", policy: "DROP" }, /Failed to set iptables default policy/],
    ["lvm.lv_present", { name: "a", vgname: "v", extents: "9", thinvolume: true }, /cannot be specified as extents/],
    [
      "lvm.lv_present",
      { name: "a", vgname: "v", size: "1G", thinpool: true, thinvolume: true },
      /only one of thinvolume/,
    ],
    ["lvm.lv_present", { name: "-a", vgname: "v", size: "1G" }, /reads as an option/],
    ["lvm.vg_present", { name: "v" }, /Failed to create Volume Group v/],
    [
      "mount.mounted",
      { name: "/d", device: "/dev/a", fstype: "ext4", match_on: "nope" },
      /Unrecognized keys in match_on/,
    ],
    ["mysql_database.present", { name: "d", collate: "a b" }, /Expected a name of letters/],
    ["mysql_grants.present", { name: "g", grant: "a;b", database: "d.*", user: "u" }, /Invalid grant/],
    ["nftables.append", { name: "r", table: "filter", chain: "input" }, /Rule needs to be specified/],
    ["nftables.chain_present", { name: "c", table_type: "filter" }, /Table_type, hook, and priority required/],
    [
      "nftables.insert",
      { name: "r", table: "t", chain: "c", position: "x", jump: "drop" },
      /expected the handle of a rule/,
    ],
    ["nftables.set_policy", { name: "p", chain: "input", policy: "reject" }, /expected accept or drop/],
    ["pip.installed", { name: "a", index_url: "nope" }, /'nope' is not a valid URL/],
    ["pip.installed", { name: "a", requirements: "/r", exists_action: "x" }, /only supports the values s, i, w, and b/],
    ["pkgrepo.managed", { name: "r", baseurl: "http://a", mirrorlist: "http://b" }, /Only one of/, "RedHat"],
    ["pkgrepo.managed", { name: "r", baseurl: "nope" }, /is malformed/, "Suse"],
    ["salt.wait_for_event", { name: "t", id_list: "a" }, /id_list must be a list/],
    ["salt.wait_for_event", { name: "t", id_list: ["a"], timeout: "x" }, /timeout must be a number of seconds/],
    ["schedule.present", { name: "j", function: "test.ping", seconds: 1, cron: "* * * * *" }, /Unable to use/],
    ["schedule.present", { name: "j", function: "test.ping", when: "nope" }, /Schedule item nope/],
    ["selinux.module", { name: "m", install: true, module_state: "nope" }, /nope is not a valid state/],
    ["ssh_auth.present", { name: "AAAA", user: "root", source: "salt://nope" }, /Source file salt:\/\/nope is missing/],
    ["ssh_known_hosts.present", { name: "h", user: "root", port: 2222 }, /argument port can not be used/],
    ["user.present", { name: "u", uid: "abc" }, /The uid 'abc' is not valid/],
    ["user.present", { name: "u", home: "u" }, /The home 'u' is not an absolute path/],
    ["user.present", { name: "u", shell: "sh" }, /The shell 'sh' is not an absolute path/],
    ["x509.certificate_managed", { name: "/c.pem" }, /at least requires a signing private key/],
    ["x509.certificate_managed", { name: "/c.pem", ca_server: "ca" }, /signing_policy must be specified/],
    ["x509.certificate_managed", { name: "/c.pem", ...KEY, digest: "nope" }, /Invalid value 'nope' for digest/],
    ["x509.crl_managed", { name: "/l.pem", ...KEY, revoked: ["nope"] }, /Expected a map of a revoked certificate/],
    ["x509.csr_managed", { name: "/r.pem", private_key: "/k", encoding: "nope" }, /Invalid value 'nope' for encoding/],
    ["x509.private_key_managed", { name: "/k.pem", algo: "nope" }, /Invalid algorithm specified/],
    ["x509.private_key_managed", { name: "/k.pem", keysize: 7 }, /RSA key size must be/],
  ] as [string, Args, RegExp, Family?][]
) {
  test(`${name} ${JSON.stringify(args)}: a dry run refuses it as the run does`, async () => {
    const { dry, real } = await bothOf(name, args, family);
    assert.match(real[1], says);
    assert.deepEqual(dry, [false, real[1]]);
    assert.equal(real[0], false);
  });
}

for (
  const [name, args] of [
    ["cmd.run", { name: "true", cwd: "/nope" }],
    ["file.copy", { name: "/nope/x", source: "/full/x" }],
    ["file.directory", { name: "/nope/d" }],
    ["file.managed", { name: "/nope/x", contents: "a" }],
    ["file.managed", { name: "/n", contents: "a", user: "nobody-here" }],
    ["mount.mounted", { name: "/nope", device: "/dev/a", fstype: "ext4" }],
    ["nftables.append", { name: "r", table: "nope", chain: "input", jump: "drop" }],
  ] as [string, Args][]
) {
  test(`${name} ${JSON.stringify(args)}: an earlier state may bring it, a dry run is None`, async () => {
    const { dry, real } = await bothOf(name, args);
    assert.deepEqual([dry[0], real[0]], [null, false]);
  });
}

test("file.cached of a file of this host: a dry run is True, for the run changes nothing", async () => {
  const { dry, real } = await bothOf("file.cached", { name: "/full/x" });
  assert.deepEqual(dry, [true, real[1]]);
});

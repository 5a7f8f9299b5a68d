/** Alpine: apk and OpenRC, by programs that answer as these do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { states as pkg } from "../../src/plugins/states/pkg.ts";
import { states as service } from "../../src/plugins/states/service.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { type StateMinion, stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

/** What apk prints; the packages that are installed are lines of a file. */
const APK = `cd "$(dirname "$0")"; echo "apk $*" >> ../log
case "$*" in
  "info -v") cat ../installed ;;
  update) printf 'fetch https://dl/APKINDEX.tar.gz\\nv3.20.3-10-g1 [https://dl]\\nOK: 24165 distinct packages available\\n' ;;
  "upgrade -s") printf '(1/1) Upgrading busybox (1.36.1-r28 -> 1.36.1-r29)\\nOK: 8 MiB in 15 packages\\n' ;;
  "search nano") printf 'nano-syntax-8.0-r0\\nnano-8.0-r0\\n' ;;
  "add nano"|"add nano>=8") echo nano-8.0-r0 >> ../installed; printf '(1/1) Installing nano (8.0-r0)\\nOK: 9 MiB in 16 packages\\n' ;;
  "add nothing") echo 'ERROR: unable to select packages:' >&2; echo '  nothing (no such package):' >&2; exit 1 ;;
  "del nano") grep -v nano ../installed > ../left; mv ../left ../installed ;;
  "info -L nano") printf 'nano-8.0-r0 contains:\\nusr/bin/nano\\netc/nanorc\\n\\n' ;;
  "info -W /bin/ls") echo '/bin/ls symlink target is owned by busybox-binsh-1.36.1-r28' ;;
  "info -W"*) echo "ERROR: $3: Could not find owner package" ;;
esac`;

const RC_UPDATE = `cd "$(dirname "$0")"; echo "rc-update $*" >> ../log
case "$*" in
  "-v show") cat ../levels ;;
  "add crond") sed -i 's/crond |/crond | default/' ../levels ;;
  "delete crond") sed -i 's/crond | default/crond |/' ../levels ;;
esac`;

const RC_SERVICE = `cd "$(dirname "$0")"; echo "rc-service $*" >> ../log
case "$*" in
  *" status") grep -q "^$1$" ../running || { echo " * status: stopped"; exit 3; } ;;
  *" start") echo "$1" >> ../running ;;
  *" stop") grep -v "^$1$" ../running > ../left; mv ../left ../running ;;
esac; exit 0`;

async function onAlpine(use: (alpine: StateMinion & { log: () => string }) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const write = (name: string, text: string) => runtime.fs.write(`${directory}/${name}`, text);
    write("installed", "busybox-1.36.1-r28\npy3-six-1.16.0-r9\n");
    write(
      "levels",
      "               acpid |\n               crond |\n             hwclock | boot\n                sshd | default boot\n",
    );
    write("running", "sshd\n");
    const programs = withPrograms(`${directory}/bin`, { apk: APK, "rc-update": RC_UPDATE, "rc-service": RC_SERVICE });
    const alpine = await stateMinion(programs, { pkg, service }, {
      opts: { cachedir: `${directory}/minion` },
      grains: { os: "Alpine", os_family: "Alpine" },
    });
    // Programs of the host do not count: what decides is that OpenRC's are there.
    await use({ ...alpine, log: () => runtime.fs.readText(`${directory}/log`) });
  });
}

test("apk: packages are listed, installed, removed and looked for", async () => {
  await onAlpine(async ({ minion, state, log }) => {
    assert.deepEqual(await minion.value("pkg.list_pkgs"), { busybox: "1.36.1-r28", "py3-six": "1.16.0-r9" });
    assert.deepEqual(await minion.value("pkg.list_upgrades"), { busybox: "1.36.1-r29" });
    assert.deepEqual(await minion.value("pkg.latest_version", "busybox", "nano", kwargs({ refresh: false })), {
      busybox: "1.36.1-r29",
      nano: "8.0-r0",
    });
    const made = await state("pkg.installed", { name: "nano" });
    assert.deepEqual([made.result, made.changes], [true, { nano: { old: "", new: "8.0-r0" } }]);
    assert.equal(
      (await state("pkg.installed", { name: "nano" })).comment,
      "All specified packages are already installed",
    );
    const none = await state("pkg.installed", { name: "nothing" });
    assert.match(String(none.comment), /unable to select packages/);
    assert.deepEqual((await state("pkg.removed", { name: "nano" })).changes, { nano: { old: "8.0-r0", new: "" } });
    await minion.value("pkg.install", "nano", kwargs({ version: ">=8" }));
    assert.match(log(), /\napk add nano>=8\n/);
    const files = await minion.value("pkg.file_dict", "nano");
    assert.deepEqual(files, { errors: [], packages: { nano: ["usr/bin/nano", "etc/nanorc"] } });
    assert.deepEqual(await minion.value("pkg.owner", "/bin/ls", "/x"), {
      "/bin/ls": "busybox-binsh-1.36.1-r28",
      "/x": "Could not find owner package",
    });
  });
});

test("OpenRC: services are started, stopped, enabled and disabled", async () => {
  await onAlpine(async ({ minion, state, log }) => {
    assert.deepEqual(await minion.value("service.get_all"), ["acpid", "crond", "hwclock", "sshd"]);
    assert.deepEqual(await minion.value("service.get_enabled"), ["hwclock", "sshd"]);
    assert.deepEqual(await minion.value("service.get_disabled"), ["acpid", "crond"]);
    assert.deepEqual(await minion.value("service.get_running"), ["sshd"]);
    assert.deepEqual(await minion.value("service.status", "*d"), { acpid: false, crond: false, sshd: true });
    assert.equal(await minion.value("service.available", "none"), false);
    const act = ["start", "stop", "reload", "restart"];
    for (const verb of act) assert.equal(await minion.value(`service.${verb}`, "crond"), true, verb);
    for (const verb of act) assert.match(log(), new RegExp(`\nrc-service crond ${verb}\n`));
    assert.equal(await minion.value("service.enable", "crond"), true);
    assert.equal(await minion.value("service.enabled", "crond"), true);
    assert.equal(await minion.value("service.disable", "crond"), true);
    assert.equal(await minion.value("service.disabled", "crond"), true);
    const none = await state("service.dead", { name: "none" });
    assert.deepEqual([none.result, none.comment], [true, "The named service none is not available"]);
    assert.deepEqual((await state("service.running", { name: "acpid", enable: false })).changes, { acpid: true });
    assert.equal((await state("service.running", { name: "acpid" })).comment, "The service acpid is already running");
    assert.equal((await state("service.masked", { name: "acpid" })).result, false);
  });
});

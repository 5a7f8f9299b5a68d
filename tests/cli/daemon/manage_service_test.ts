/** The commands that start and stop daemons fit the host: systemd, OpenRC, a clone, a container, or none of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startCommand, stopCommand } from "../../../cli/daemon/manage_service.ts";
import { isSaltsOwn, saltsOwn } from "../../../cli/daemon/pid_file.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

/** A host that has these paths alone. */
const host = (...paths: string[]) =>
  ({ fs: { stat: (path: string) => paths.includes(path) ? { kind: "file" } : undefined } }) as unknown as Pick<
    Runtime,
    "fs"
  >;

const SYSTEMD = ["/run/systemd/system", "/lib/systemd/system/salt-master.service"];
const OPENRC = ["/sbin/openrc-run", "/etc/init.d/salt-master"];
const HERE = "file:///home/ann/brine/cli/daemon/manage_service.ts";
const CLONE = "/home/ann/brine/cli/run.sh";

test("a daemon is started by what manages it, else as this program was", () => {
  const rows: [string[], string, string][] = [
    [SYSTEMD, "/etc/salt", "systemctl start salt-master"],
    [SYSTEMD, "/etc/salt/", "systemctl start salt-master"],
    [["/run/systemd/system"], "/etc/salt", "salt-master -d"],
    [SYSTEMD, "/srv/etc", "salt-master -d -c /srv/etc"],
    [OPENRC, "/etc/salt", "rc-service salt-master start"],
    [[CLONE], "/etc/salt", "npm run master (in /home/ann/brine)"],
    [[CLONE, ...SYSTEMD], "/srv/etc", "npm run master -- -c /srv/etc (in /home/ann/brine)"],
    [["/.dockerenv"], "/etc/salt", "restart its container, or run: salt-master -d"],
    [[], "/etc/salt", "salt-master -d"],
  ];
  for (const [paths, configDir, expected] of rows) {
    assert.equal(startCommand(host(...paths), "salt-master", { configDir, here: HERE }), expected);
  }
  assert.equal(
    startCommand(host(), "salt-api", { configDir: "/etc/salt", here: "/$bunfs/root/brine.js" }),
    "salt-api -d",
  );
});

test("and stopped the same way", () => {
  assert.equal(stopCommand(host(...SYSTEMD), "salt-master", 7), "systemctl stop salt-master");
  assert.equal(stopCommand(host(...OPENRC), "salt-master", 7), "rc-service salt-master stop");
  assert.equal(stopCommand(host(), "salt-master", 7), "kill 7");
});

test("a daemon of real Salt's is Python that runs the program of that name", () => {
  const processes: Record<string, string> = {
    10: "/opt/saltstack/salt/bin/python3.10\0/usr/bin/salt-master\0-d\0",
    11: "/opt/saltstack/salt/bin/python3.10 /usr/bin/salt-master ReqServer MWorkerQueue",
    12: "node\0/opt/brine/cli/salt-master.ts\0",
    13: "/usr/local/bin/salt-master\0-d\0",
    14: "vi\0/usr/bin/salt-master\0",
    15: "python3\0/srv/notes-about-salt-master\0",
    16: "python3\0/usr/bin/salt-minion\0",
  };
  const runtime = {
    fs: {
      list: () => ["self", ...Object.keys(processes), "99"],
      readText(path: string) {
        const found = processes[path.split("/")[2]!];
        if (found === undefined) throw new Error("it has ended");
        return found;
      },
    },
  } as unknown as Pick<Runtime, "fs">;
  assert.deepEqual(saltsOwn(runtime, "salt-master"), [10, 11]);
  assert.deepEqual(saltsOwn(runtime, "salt-minion"), [16]);
  assert.equal(isSaltsOwn(runtime, 99, "salt-master"), false);
});

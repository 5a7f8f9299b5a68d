/** Network interfaces of Debian: the calls of `ip.cases.json`, against what real Salt returned and left; and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { kwargs } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";
import { vectors } from "../support/vectors.ts";

interface Case {
  id: string;
  files?: Record<string, string>;
  grains?: Record<string, unknown>;
  calls: [fun: string, args: unknown[], keyword: Record<string, unknown>][];
}

const DIRECTORIES = [
  "/etc/network/interfaces.d",
  "/etc/network/if-up.d",
  "/etc/network/if-down.d",
  "/etc/modprobe.d",
  "/etc/default",
  "/etc/ppp/peers",
];

async function host({ files = {}, grains = {} }: Pick<Case, "files" | "grains"> = {}) {
  const yes = { signature: "*args, **kwargs", doc: "", run: () => true };
  const made = await memoryHost({
    files,
    grains: { osfullname: "Debian", osrelease: "12", ...grains },
    modules: {
      pkg: { install: yes, version: yes },
      kmod: { load: yes },
      service: { available: yes, status: yes, stop: yes, start: yes, enable: yes, disable: yes },
      network: { mod_hostname: yes },
    },
  });
  for (const directory of DIRECTORIES) made.fs.mkdir(directory);
  return made;
}

const recorded = vectors("states/ip");
for (const [at, one] of (vectors("states/ip.cases") as Case[]).entries()) {
  test(`ip: ${one.id}`, async () => {
    const { minion, fs } = await host(one);
    const want = recorded[at];
    assert.equal(want.id, one.id);
    for (const [turn, [fun, args, keyword]] of one.calls.entries()) {
      const outcome = await minion.run(`ip.${fun}`, [...args, kwargs(keyword)]);
      const expected = want.returns[turn];
      if (expected?.raised === undefined) assert.deepEqual(outcome.return, expected, `${fun} ${args.join(" ")}`);
      else {
        assert.notEqual(outcome.success, true);
        if (expected.raised.startsWith("Invalid")) assert.ok(String(outcome.return).includes(expected.raised));
      }
    }
    for (const [path, text] of Object.entries(want.files)) assert.equal(fs.readText(path), text, path);
  });
}

const REFUSED: [fun: string, arg: unknown[], says: RegExp][] = [
  ["build_interface", ["../eth0", "eth", true], /"\.\.\/eth0" as an interface/],
  [
    "build_interface",
    ["eth0", "eth", true, kwargs({ proto: "static\n up rm -rf /" })],
    /proto to .* more than one line/,
  ],
  ["build_interface", ["eth0", "eth", true, kwargs({ hostname: "a\nauto x" })], /hostname to .* more than one line/],
  [
    "build_interface",
    ["eth0", "eth", true, kwargs({ filename: "../../passwd" })],
    /"\.\.\/\.\.\/passwd": expected the name/,
  ],
  ["build_interface", ["p0", "pppoe", true, kwargs({ provider: "../x", proto: "ppp" })], /"\.\.\/x" as a provider/],
  ["build_bond", ["a/b", kwargs({ mode: "1" })], /"a\/b" as an interface/],
  ["build_bond", ["b", kwargs({ mode: "1", primary: "x\ninstall y" })], /primary to .* more than one line/],
  ["build_routes", ["eth0; rm", kwargs({ routes: [] })], /"eth0; rm" as an interface/],
  ["build_routes", ["eth0", kwargs({ routes: [{ ipaddr: "$(reboot)" }] })], /"\$\(reboot\)" as ipaddr of a route/],
  ["build_routes", ["eth0", kwargs({ routes: [{ name: "a\nreboot" }] })], /"a\\nreboot" as name of a route/],
  ["build_network_settings", [kwargs({ enabled: true, hostname: "a\nb" })], /hostname to .* more than one line/],
  ["up", ["-a", "eth"], /"-a" as an interface/],
];

for (const [fun, arg, says] of REFUSED) {
  test(`ip.${fun} refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, fs, ran } = await host();
    const outcome = await minion.run(`ip.${fun}`, arg);
    assert.match(String(outcome.return), says);
    assert.deepEqual(ran, []);
    for (const directory of DIRECTORIES) assert.deepEqual(fs.list(directory), []);
  });
}

test("ip.build_network_settings: a domain goes into the resolver's file, a dry run writes nothing", async () => {
  const files = {
    "/etc/hostname": "web1\n",
    "/etc/resolv.conf": "search old.org\nnameserver 8.8.8.8\n",
    "/etc/default/networking": "CONFIGURE_INTERFACES=yes\n",
  };
  const { minion, fs } = await host({ files });
  const wanted = { enabled: true, hostname: "web2.example.com", search: "new.org other.org" };
  const shown = ["NETWORKING=yes\n", "HOSTNAME=web2\n", "DOMAIN=example.com\n", "SEARCH=['new.org', 'other.org']\n"];
  assert.deepEqual(await minion.value("ip.build_network_settings", kwargs({ ...wanted, test: true })), shown);
  assert.equal(fs.readText("/etc/resolv.conf"), files["/etc/resolv.conf"]);
  assert.deepEqual(await minion.value("ip.build_network_settings", kwargs(wanted)), shown);
  assert.equal(
    fs.readText("/etc/resolv.conf"),
    "domain example.com\nsearch new.org other.org\nnameserver 8.8.8.8\n",
  );
});

test("ip.up and ip.down run ifup and ifdown", async () => {
  const { minion, ran } = await host();
  await minion.value("ip.up", "eth0", "eth");
  await minion.value("ip.down", "bond0", "bond");
  assert.deepEqual(ran, ["ifup eth0", "ifdown bond0"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { tupleOf } from "../../src/language/python/values.ts";
import { SystemError } from "../../src/base/errors.ts";
import { grains } from "../../src/plugins/grains/core.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { testMinion } from "../support/context.ts";

/** A Linux host made of files: a link is written `-> target`. */
async function host(files: Record<string, string>, env: Record<string, string> = {}): Promise<Runtime> {
  const { runtime } = await testMinion();
  const missing = (path: string) => new SystemError("ENOENT", `no ${path}`);
  const names = (path: string) =>
    [
      ...new Set(
        Object.keys(files).filter((file) => file.startsWith(`${path}/`)).map((file) =>
          file.slice(path.length + 1).split("/")[0]!
        ),
      ),
    ].sort();
  return {
    ...runtime,
    fs: {
      ...runtime.fs,
      stat: (path: string) => {
        const kind = Object.hasOwn(files, path) ? "file" : names(path).length > 0 ? "directory" : undefined;
        return kind === undefined ? undefined : { kind, mode: path.includes("/bin/") ? 0o755 : 0o644 };
      },
      readText: (path: string) => {
        if (!Object.hasOwn(files, path)) throw missing(path);
        return files[path]!;
      },
      read: (path: string) => new TextEncoder().encode(files[path] ?? ""),
      list: names,
      readlink: (path: string) => files[`${path}/link`] ?? "",
      realpath: (path: string) => path,
    } as unknown as Runtime["fs"],
    host: {
      ...runtime.host,
      hostname: () => "web1",
      machine: () => "x86_64",
      kernelRelease: () => "6.1.0",
      kernelVersion: () => "#1",
      interfaces: () => ({
        eth0: [
          { family: "IPv4", address: "10.0.0.5", netmask: "", cidr: null, internal: false, mac: "02:00:00:00:00:01" },
          { family: "IPv6", address: "fe80::1", netmask: "", cidr: null, internal: false, mac: "02:00:00:00:00:01" },
        ],
        lo: [{
          family: "IPv4",
          address: "127.0.0.1",
          netmask: "",
          cidr: null,
          internal: true,
          mac: "00:00:00:00:00:00",
        }],
      }),
      canonicalName: () => Promise.resolve("web1.from.resolver"),
      user: () => ({ name: "root", uid: 0, gid: 0, home: "/root" }),
    },
    process: {
      ...runtime.process,
      env: (name: string) => env[name],
      spawn: () => Promise.reject(missing("program")),
    },
  };
}

async function factsOf(
  files: Record<string, string>,
  opts: Record<string, unknown> = {},
  env: Record<string, string> = {},
) {
  const { context } = await testMinion();
  return await grains({ runtime: await host(files, env), log: context.log, opts });
}

// os-release files as the distributions ship them, and the grains that Salt 3006 makes of them.
for (
  const { name, release, more = {}, want } of [
    {
      name: "Debian 12",
      release:
        'NAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n',
      want: {
        os: "Debian",
        os_family: "Debian",
        osfullname: "Debian GNU/Linux",
        osrelease: "12",
        osmajorrelease: 12,
        osrelease_info: tupleOf([12]),
        oscodename: "bookworm",
        osfinger: "Debian-12",
        osarch: "amd64",
      },
    },
    {
      name: "Ubuntu 22.04",
      release:
        'NAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.3 LTS (Jammy Jellyfish)"\nVERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\n',
      more: {
        "/etc/lsb-release":
          'DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=22.04\nDISTRIB_CODENAME=jammy\nDISTRIB_DESCRIPTION="Ubuntu 22.04.3 LTS"\n',
      },
      want: {
        os: "Ubuntu",
        os_family: "Debian",
        osfinger: "Ubuntu-22.04",
        osrelease_info: tupleOf([22, 4]),
        lsb_distrib_description: "Ubuntu 22.04.3 LTS",
      },
    },
    {
      name: "Rocky 9",
      release:
        'NAME="Rocky Linux"\nVERSION="9.3 (Blue Onyx)"\nID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.3"\n',
      want: {
        os: "Rocky",
        os_family: "RedHat",
        osfullname: "Rocky Linux",
        oscodename: "Blue Onyx",
        osfinger: "Rocky Linux-9",
        osarch: "x86_64",
      },
    },
    {
      name: "Red Hat 8",
      release:
        'NAME="Red Hat Enterprise Linux"\nVERSION="8.9 (Ootpa)"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="8.9"\n',
      want: { os: "RedHat", os_family: "RedHat", osmajorrelease: 8 },
    },
    {
      name: "Alpine",
      release: 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.19.1\n',
      want: { os: "Alpine", os_family: "Alpine", osrelease_info: tupleOf([3, 19, 1]) },
    },
    {
      name: "SLES 15",
      release: 'NAME="SLES"\nVERSION="15-SP5"\nVERSION_ID="15.5"\nID="sles"\nID_LIKE="suse"\n',
      want: { os: "SUSE", os_family: "Suse", osmajorrelease: 15 },
    },
    {
      name: "an unknown child of Debian",
      release: 'NAME="Foo Linux"\nID=foo\nID_LIKE="ubuntu debian"\nVERSION_ID=1\n',
      want: { os: "Foo", os_family: "Debian" },
    },
  ] as { name: string; release: string; more?: Record<string, string>; want: Record<string, unknown> }[]
) {
  test(`core grains: ${name}`, async () => {
    const facts = await factsOf({ "/etc/os-release": release, ...more });
    for (const [key, value] of Object.entries(want)) assert.deepEqual(facts[key], value, key);
  });
}

for (
  const { name, files, want } of [
    { name: "a plain machine", files: {}, want: { virtual: "physical" } },
    { name: "Docker", files: { "/.dockerenv": "" }, want: { virtual: "container", virtual_subtype: "Docker" } },
    { name: "Podman", files: { "/run/.containerenv": "" }, want: { virtual: "container", virtual_subtype: "Podman" } },
    {
      name: "LXC",
      files: { "/proc/1/environ": "A=1\0container=lxc\0" },
      want: { virtual: "container", virtual_subtype: "LXC" },
    },
    {
      name: "Kubernetes",
      files: { "/proc/1/cgroup": "1:name=systemd:/kubepods/pod1\n" },
      want: { virtual: "container", virtual_subtype: "kubernetes" },
    },
    { name: "KVM", files: { "/sys/class/dmi/id/sys_vendor": "QEMU\n" }, want: { virtual: "kvm" } },
    {
      name: "VMware",
      files: { "/sys/class/dmi/id/product_name": "VMware Virtual Platform\n" },
      want: { virtual: "VMware" },
    },
    {
      name: "VirtualBox",
      files: { "/sys/class/dmi/id/product_name": "VirtualBox\n" },
      want: { virtual: "VirtualBox" },
    },
    {
      name: "Hyper-V",
      files: {
        "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n",
        "/sys/class/dmi/id/product_name": "Virtual Machine\n",
      },
      want: { virtual: "VirtualPC" },
    },
    {
      name: "EC2",
      files: { "/sys/class/dmi/id/sys_vendor": "Amazon EC2\n" },
      want: { virtual: "Nitro", virtual_subtype: "Amazon EC2" },
    },
    {
      name: "a Xen guest",
      files: { "/proc/xen/capabilities": "" },
      want: { virtual: "xen", virtual_subtype: "Xen PV DomU" },
    },
    { name: "OpenVZ", files: { "/proc/self/status": "Name: x\nenvID:\t101\n" }, want: { virtual: "openvzve" } },
  ] as { name: string; files: Record<string, string>; want: Record<string, unknown> }[]
) {
  test(`core grains: virtual of ${name}`, async () => {
    const { virtual, virtual_subtype } = await factsOf(files);
    assert.deepEqual({ virtual, ...(virtual_subtype === undefined ? {} : { virtual_subtype }) }, want);
  });
}

test("core grains: addresses, interfaces and gateways", async () => {
  const facts = await factsOf({
    "/sys/class/net/lo/ifindex": "1",
    "/sys/class/net/lo/address": "00:00:00:00:00:00\n",
    "/sys/class/net/down0/ifindex": "2",
    "/sys/class/net/down0/address": "02:00:00:00:00:09\n",
    "/sys/class/net/eth0/ifindex": "3",
    "/sys/class/net/eth0/address": "02:00:00:00:00:01\n",
    "/proc/net/route": "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n" +
      "eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\neth0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\n",
    "/proc/net/ipv6_route": "00000000000000000000000000000000 00 00000000000000000000000000000000 00 " +
      "fe800000000000000000000000000001 00000400 00000001 00000000 00000003 eth0\n",
    "/etc/resolv.conf":
      "# ours\nnameserver 10.0.0.2\nnameserver fd00::2 # second\nsearch example.org example.com\noptions ndots:2\n",
  });
  assert.deepEqual(facts.hwaddr_interfaces, {
    lo: "00:00:00:00:00:00",
    down0: "02:00:00:00:00:09",
    eth0: "02:00:00:00:00:01",
  });
  assert.deepEqual(facts.ip4_interfaces, { lo: ["127.0.0.1"], down0: [], eth0: ["10.0.0.5"] });
  assert.deepEqual(facts.ip_interfaces, { lo: ["127.0.0.1"], down0: [], eth0: ["10.0.0.5", "fe80::1"] });
  assert.deepEqual([facts.ipv4, facts.ipv6], [["10.0.0.5", "127.0.0.1"], ["fe80::1"]]);
  assert.deepEqual([facts.ip_gw, facts.ip4_gw, facts.ip6_gw], [true, "10.0.0.1", "fe80::1"]);
  assert.deepEqual(facts.dns, {
    nameservers: ["10.0.0.2", "fd00::2"],
    ip4_nameservers: ["10.0.0.2"],
    ip6_nameservers: ["fd00::2"],
    sortlist: [],
    domain: "",
    search: ["example.org", "example.com"],
    options: ["ndots:2"],
  });
});

test("core grains: the full name is that of /etc/hosts, else the resolver's", async () => {
  const listed = await factsOf({ "/etc/hosts": "127.0.1.1 web1.example.org web1\n10.0.0.5 other.example.org\n" });
  assert.deepEqual([listed.fqdn, listed.host, listed.domain, listed.localhost], [
    "web1.example.org",
    "web1",
    "example.org",
    "web1",
  ]);
  assert.deepEqual([listed.fqdn_ip4, listed.fqdns], [["127.0.1.1"], ["other.example.org"]]);
  const asked = await factsOf({});
  assert.deepEqual([asked.fqdn, asked.host, asked.domain], ["web1.from.resolver", "web1", "from.resolver"]);
});

test("core grains: a resolver that does not answer is not waited for", async () => {
  const { context } = await testMinion();
  const base = await host({});
  const waits: number[] = [];
  const runtime: Runtime = {
    ...base,
    host: { ...base.host, canonicalName: () => new Promise(() => {}) },
    clock: { ...base.clock, sleep: (ms) => Promise.resolve(void waits.push(ms)) },
  };
  const facts = await grains({ runtime, log: context.log, opts: {} });
  assert.equal(facts.fqdn, "web1");
  assert.deepEqual(waits, [1000]);
});

test("core grains: hardware from files", async () => {
  const facts = await factsOf({
    "/proc/cpuinfo":
      "processor\t: 0\nmodel name\t: Fast CPU\nflags\t\t: fpu vme\n\nprocessor\t: 1\nmodel name\t: Fast CPU\n",
    "/proc/meminfo": "MemTotal:       2097152 kB\nSwapTotal:       1048577 kB\n",
    "/sys/class/dmi/id/product_name": "Server 9\n",
    "/sys/class/dmi/id/sys_vendor": "ACME\n",
    "/sys/class/dmi/id/product_uuid": "ABCD-1\n",
    "/sys/block/sda/link": "../devices/pci/sda",
    "/sys/block/sda/queue/rotational": "1\n",
    "/sys/block/nvme0n1/link": "../devices/pci/nvme",
    "/sys/block/nvme0n1/queue/rotational": "0\n",
    "/sys/block/loop0/link": "../devices/virtual/block/loop0",
    "/sys/block/loop0/queue/rotational": "1\n",
    "/sys/bus/pci/devices/0000:01/class": "0x030000\n",
    "/sys/bus/pci/devices/0000:01/vendor": "0x10de\n",
    "/sys/bus/pci/devices/0000:01/device": "0x1eb8\n",
    "/usr/share/misc/pci.ids": "# list\n10de  NVIDIA Corporation\n\t1eb8  TU104GL [Tesla T4]\n1234  Other\n",
    "/proc/mdstat": "Personalities : [raid1]\nmd0 : active raid1\nunused devices: <none>\n",
    "/proc/cmdline": 'root=UUID=1 quiet console="ttyS0" ro\n',
  });
  assert.deepEqual([facts.num_cpus, facts.cpu_model, facts.cpu_flags], [2, "Fast CPU", ["fpu", "vme"]]);
  assert.deepEqual([facts.mem_total, facts.swap_total], [2048, 1024]);
  assert.deepEqual([facts.productname, facts.manufacturer, facts.uuid], ["Server 9", "ACME", "abcd-1"]);
  assert.deepEqual([facts.disks, facts.ssds], [["sda"], ["nvme0n1"]]);
  assert.deepEqual([facts.num_gpus, facts.gpus], [1, [{ vendor: "nvidia", model: "TU104GL [Tesla T4]" }]]);
  assert.deepEqual(facts.mdadm, ["md0"]);
  assert.deepEqual(facts.kernelparams, [["root", null], ["quiet", null], ["console", "ttyS0"], ["ro", null]]);
});

for (
  const { name, files, want } of [
    { name: "systemd", files: { "/run/systemd/system": "" }, want: "systemd" },
    { name: "tini", files: { "/proc/1/cmdline": "/sbin/tini\0--\0app\0" }, want: "tini" },
    { name: "a program of its own", files: { "/proc/1/cmdline": "/app\0" }, want: "unknown" },
  ]
) {
  test(`core grains: init is ${want} under ${name}`, async () => {
    assert.equal((await factsOf(files as Record<string, string>)).init, want);
  });
}

test("core grains: the minion's id has the same number as in Salt", async () => {
  const facts = await factsOf({ "/etc/machine-id": "abc\n" }, { id: "local1", master: "salt" }, {
    LANG: "de_DE.UTF-8",
    PATH: "/bin:/usr/bin",
  });
  assert.deepEqual([facts.id, facts.server_id, facts.master, facts.machine_id], ["local1", 341539993, "salt", "abc"]);
  assert.deepEqual(facts.systempath, ["/bin", "/usr/bin"]);
  const { defaultlanguage, defaultencoding } = facts.locale_info as Record<string, unknown>;
  assert.deepEqual([defaultlanguage, defaultencoding], ["de_DE", "UTF-8"]);
});

test("core grains: an empty host has grains, too", async () => {
  const facts = await factsOf({});
  for (
    const name of [
      "os",
      "os_family",
      "kernel",
      "cpuarch",
      "host",
      "ipv4",
      "virtual",
      "init",
      "saltversion",
      "brineversion",
    ]
  ) {
    assert.notEqual(facts[name], undefined, name);
  }
});

test("core grains: this host has them", async () => {
  const { context } = await testMinion({ opts: { id: "alpha" } });
  const facts = await grains(context);
  assert.equal(facts.id, "alpha");
  assert.equal(typeof facts.kernelrelease, "string");
  assert.equal((facts.num_cpus as number) > 0 && (facts.mem_total as number) > 0, true);
  assert.equal((facts.ipv4 as string[]).includes("127.0.0.1"), true);
});

test("without a working directory all other grains are there", async () => {
  const { context } = await testMinion();
  const runtime = await host({ "/etc/os-release": "ID=debian\nVERSION_ID=12\n" });
  const cwd = () => {
    throw new SystemError("ENOENT", "The working directory has been removed");
  };
  const facts = await grains({
    runtime: { ...runtime, process: { ...runtime.process, cwd } },
    log: context.log,
    opts: {},
  });
  assert.deepEqual([facts.os_family, "cwd" in facts], ["Debian", false]);
});

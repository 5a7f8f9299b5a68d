import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobContext } from "../../src/model/loader/family.ts";
import { delRepo, getRepo, modRepo } from "../../src/plugins/modules/aptpkg/repositories.ts";
import { createLogger } from "../../src/base/log.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import { FakeClock } from "../support/fake_clock.ts";

const FILE = "/etc/apt/sources.list.d/x.list";
const REPO = "deb http://127.0.0.1:9/debian bookworm main contrib";

type Answers = Record<string, (args: unknown[], keyword: Record<string, unknown>) => unknown>;

/** A host with these lists. */
async function host(files: Record<string, string> = {}, grains: Record<string, unknown> = {}, answers: Answers = {}) {
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto: (await currentRuntime()).crypto });
  for (const path of ["/etc/apt/sources.list.d", "/cache"]) runtime.fs.mkdir(path, 0o755);
  if (Object.keys(files).some((path) => path.startsWith("/etc/apt/keyrings/"))) {
    runtime.fs.mkdir("/etc/apt/keyrings", 0o755);
  }
  for (const path of ["/usr", "/usr/bin"]) runtime.fs.mkdir(path, 0o755);
  for (const [path, text] of Object.entries(files)) {
    runtime.fs.write(path, text, { mode: path.startsWith("/usr/bin/") ? 0o755 : 0o644 });
  }
  const context = {
    runtime,
    opts: {},
    grains,
    // What cp.cache_file answers: the key that a repository names.
    call: (fun: string, [url, ...more]: unknown[], keyword: Record<string, unknown> = {}) =>
      Promise.resolve(answers[fun]?.([url, ...more], keyword) ?? (url === "salt://x.gpg" ? "/cache/x.gpg" : false)),
    log: createLogger(() => {}),
  } as unknown as JobContext;
  return {
    text: (path = FILE) => runtime.fs.stat(path) === undefined ? undefined : runtime.fs.readText(path),
    write: (path: string) => runtime.fs.write(path, "", { mode: 0o644 }),
    get: (repo: string) => getRepo(context, repo),
    mod: (repo: string, options: Record<string, unknown> = {}) =>
      modRepo(context, repo, { refresh: false, ...options }),
    del: (repo: string) => delRepo(context, repo, { refresh: false }),
  };
}

test("pkg.mod_repo: adds a repository, changes an existing one in place, and leaves all other lines unchanged", async () => {
  const one = await host({ [FILE]: "# mine\ndeb http://other/ sid main" });
  const entry = { architectures: [], disabled: false, file: FILE, type: "deb", uri: "http://127.0.0.1:9/debian" };
  assert.deepEqual(await one.mod(REPO, { file: FILE }), {
    [REPO]: { ...entry, comps: ["main", "contrib"], line: `${REPO}\n`, signedby: "" },
  });
  const others = "# mine\ndeb http://other/ sid main\n";
  assert.equal(one.text(), `${others}${REPO}\n`);
  await one.mod(REPO, { disabled: true });
  assert.equal(one.text(), `${others}# ${REPO}\n`);
  const changed = await one.mod(REPO, { comps: "main,non-free" });
  assert.equal((changed[REPO] as { disabled: boolean }).disabled, true);
  assert.equal(one.text(), `${others}# deb http://127.0.0.1:9/debian bookworm main non-free\n`);
  await one.mod("deb [arch=amd64 trusted=yes] http://127.0.0.1:9/b sid main", { signedby: "/k.gpg", file: FILE });
  assert.match(
    one.text()!,
    /\ndeb \[arch=amd64 signed-by=\/k\.gpg trusted=yes\] http:\/\/127\.0\.0\.1:9\/b sid main\n$/,
  );
});

test("pkg.mod_repo: without a file a new one goes into sources.list", async () => {
  const one = await host();
  await one.mod(REPO);
  assert.equal(one.text("/etc/apt/sources.list"), `${REPO}\n`);
});

test("pkg.get_repo: finds a repository by address, suite and components", async () => {
  const one = await host({ [FILE]: `${REPO}\n` });
  assert.deepEqual(await one.get("deb http://127.0.0.1:9/debian/ bookworm contrib"), {
    file: FILE,
    comps: ["main", "contrib"],
    disabled: false,
    dist: "bookworm",
    type: "deb",
    uri: "http://127.0.0.1:9/debian",
    line: REPO,
    architectures: [],
    signedby: "",
  });
  for (
    const repo of [
      "deb http://127.0.0.1:9/debian sid main",
      "deb http://127.0.0.1:9/debian bookworm non-free",
      "deb-src http://x/ sid",
      "garbage",
    ]
  ) {
    assert.deepEqual(await one.get(repo), {}, repo);
  }
});

test("pkg.del_repo: takes components, then the line, from every list", async () => {
  const one = await host({
    [FILE]: `${REPO} non-free\n`,
    "/etc/apt/sources.list": `${REPO}\ndeb http://other/ sid main\n`,
  });
  assert.equal(
    await one.del(REPO),
    `Repo '${REPO}' has been removed from /etc/apt/sources.list, ${FILE}.\n`,
  );
  assert.equal(one.text(), "deb http://127.0.0.1:9/debian bookworm non-free\n");
  assert.equal(one.text("/etc/apt/sources.list"), "deb http://other/ sid main\n");
  await one.del("deb http://127.0.0.1:9/debian bookworm");
  assert.equal(one.text(), "");
  await assert.rejects(one.del(REPO), /doesn't exist/);
});

test("pkg.mod_repo: refuses unsupported requests, and says what to do instead", async () => {
  const fields = "Types: deb\nURIs: http://127.0.0.1:9/debian\nSuites: bookworm\nComponents: main\n";
  const one = await host({ "/etc/apt/sources.list.d/y.sources": fields });
  await assert.rejects(one.mod("garbage"), /'garbage' is not a well formatted definition: expected "deb/);
  await assert.rejects(one.mod(REPO), /y\.sources", which has fields: change it with file\.replace/);
  await assert.rejects(one.mod("deb http://x/ sid main", { file: "/etc/passwd" }), /must end in "\.list"/);
  await assert.rejects(one.mod("deb http://x/ sid main", { ppa_auth: "x" }), /ppa_auth is not supported/);
  assert.equal(one.text("/etc/apt/sources.list.d/y.sources"), fields);
});

const armoured = (key: string) =>
  `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${btoa(key)}\n-----END PGP PUBLIC KEY BLOCK-----\n`;

test("pkg.mod_repo: puts the key of a repository into the file that its line names", async () => {
  const one = await host({ "/cache/x.gpg": armoured("the key") });
  const repo = "deb [signed-by=/etc/apt/keyrings/y.gpg] http://x/ sid main";
  await assert.rejects(one.mod(repo, { key_url: "salt://x.gpg", file: FILE }), /Could not add key: salt:\/\/x\.gpg/);
  assert.equal(one.text(), undefined);
  const ready = await host({ "/cache/x.gpg": armoured("the key"), "/etc/apt/keyrings/old.gpg": "" });
  await ready.mod(repo, { key_url: "salt://x.gpg", file: FILE });
  assert.equal(ready.text("/etc/apt/keyrings/y.gpg"), "the key");
  assert.equal(ready.text(), `${repo}\n`);
  await assert.rejects(ready.mod(repo, { key_url: "salt://none", file: FILE }), /Could not add key: salt:\/\/none/);
});

test("pkg.mod_repo: a key without signed-by is trusted for all repositories, under the name of the list", async () => {
  const one = await host({ "/cache/x.gpg": armoured("first key") });
  const trusted = "/etc/apt/trusted.gpg.d/x.gpg";
  await one.mod(REPO, { key_url: "salt://x.gpg", file: FILE });
  assert.equal(one.text(trusted), "first key");
  await one.mod("deb http://other/ sid main", { key_text: armoured("second key"), file: FILE });
  await one.mod("deb http://other/ sid main", { key_text: armoured("second key"), file: FILE });
  assert.equal(one.text(trusted), "first keysecond key");
  await one.mod("deb http://third/ sid main", { key_text: armoured("key") });
  assert.equal(one.text("/etc/apt/trusted.gpg.d/sources.gpg"), "key");
  await assert.rejects(one.mod(REPO, { key_url: "salt://none" }), /Could not add key: salt:\/\/none/);
});

test("pkg.mod_repo: consolidate gathers all lists in sources.list, and writes the repository where it is wanted", async () => {
  const one = await host({
    "/etc/apt/sources.list": "# mine\ndeb http://a/ sid main\n",
    "/etc/apt/sources.list.d/y.list": "deb http://a/ sid contrib\n# deb http://b/ sid main\n",
    [FILE]: `${REPO}\n`,
  });
  await one.mod(REPO, { consolidate: true, file: FILE });
  assert.equal(one.text("/etc/apt/sources.list"), "deb http://a/ sid main contrib\n# deb http://b/ sid main\n");
  assert.equal(one.text("/etc/apt/sources.list.d/y.list"), undefined);
  assert.equal(one.text(), `${REPO}\n`);
});

const NOBLE = { os: "Ubuntu", os_family: "Debian", oscodename: "noble" };
const PPA = "ppa:some/tools";
const PPA_LINE = "deb http://ppa.launchpad.net/some/tools/ubuntu noble main";
const PPA_FILE = "/etc/apt/sources.list.d/some-tools-noble.list";

test("pkg.get_repo: finds a repository of Launchpad by both names of its server, in both kinds of files", async () => {
  const line = "deb https://ppa.launchpadcontent.net/some/tools/ubuntu/ noble main";
  const fields =
    "Types: deb\nURIs: https://ppa.launchpadcontent.net/some/tools/ubuntu/\nSuites: noble\nComponents: main\n";
  for (
    const [file, text] of [[PPA_FILE, PPA_LINE], [PPA_FILE, line], [
      "/etc/apt/sources.list.d/x.sources",
      fields,
    ]] as const
  ) {
    const one = await host({ [file]: text }, NOBLE);
    assert.equal((one.get(PPA) as { file?: string }).file, file);
    assert.deepEqual(one.get("ppa:some/other"), {});
    // One that is there stays as it is.
    assert.deepEqual(Object.keys(await one.mod(PPA)), [PPA]);
    assert.equal(one.text(file), text);
  }
});

test("pkg.mod_repo: without apt-add-repository the key of a ppa is what Launchpad says", async () => {
  const asked: unknown[] = [];
  const one = await host({}, NOBLE, {
    "http.query": ([url]) => {
      asked.push(url);
      return new Map<string, unknown>([["dict", new Map([["signing_key_fingerprint", "0123ABCD"]])], ["status", 200]]);
    },
    "cmd.run_all": ([argv]) => {
      asked.push(argv);
      one.write("/etc/apt/trusted.gpg.d/some-tools-noble.gpg");
      return { retcode: 0, stdout: "", stderr: "" };
    },
  });
  const made = await one.mod(PPA) as Record<string, { file: string }>;
  assert.equal(made[PPA_LINE]!.file, PPA_FILE);
  assert.equal(one.text(PPA_FILE), `${PPA_LINE}\n`);
  assert.equal(asked[0], "https://launchpad.net/api/1.0/~some/+archive/tools");
  const argv = asked.at(-1) as string[];
  assert.deepEqual(argv.slice(-4), ["--keyserver", "keyserver.ubuntu.com", "--recv-keys", "0123ABCD"]);
  assert.equal(await one.del(PPA), `Repo '${PPA}' has been removed from ${PPA_FILE}.\n`);
});

test("pkg.mod_repo: apt-add-repository adds a ppa where it is there, and its error is named", async () => {
  const program = { "/usr/bin/apt-add-repository": "#!/bin/sh\n" };
  const asked: unknown[] = [];
  const answer = (retcode: number) => ({
    "cmd.run_all": ([argv]: unknown[]) => {
      asked.push(argv);
      return { retcode, stdout: "", stderr: "no such user" };
    },
  });
  const one = await host(program, NOBLE, answer(0));
  assert.deepEqual(await one.mod(PPA), { [PPA]: { retcode: 0, stdout: "", stderr: "no such user" } });
  assert.deepEqual(asked, [["apt-add-repository", "-y", PPA]]);
  const other = await host(program, NOBLE, answer(1));
  await assert.rejects(other.mod(PPA), /Unable to add PPA 'some\/tools'.*exited with status 1: 'no such user'/);
});

test("pkg.mod_repo: a ppa is refused on other systems, and by a wrong name; what Launchpad does not know is said", async () => {
  const debian = await host({}, { os: "Debian", os_family: "Debian" });
  await assert.rejects(debian.mod(PPA), /cannot parse "ppa:" style repo definitions: ppa:some\/tools/);
  assert.throws(() => debian.get(PPA), /cannot parse "ppa:"/);
  for (const repo of ["ppa:some", "ppa:some/tools/more", "ppa:some/../x", "ppa:/x"]) {
    await assert.rejects((await host({}, NOBLE)).mod(repo), /Expected "ppa:owner\/name"/, repo);
  }
  const unknown = await host({}, NOBLE, {
    "http.query": () => new Map<string, unknown>([["error", "HTTP 404: Not Found"], ["status", 404]]),
  });
  await assert.rejects(unknown.mod(PPA), /Launchpad does not know about some\/tools: HTTP 404: Not Found/);
  const keyless = await host({}, NOBLE, { "http.query": () => new Map([["dict", new Map()]]) });
  await assert.rejects(keyless.mod(PPA), /did not return a fingerprint\. Set keyid/);
});

/** `install.sh` in the shells that are here, from folders and servers with a program that does nothing. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeInstallable } from "../../scripts/packages/installable.ts";

const TIMEOUT = { timeout: 60_000 };
const repository = fileURLToPath(new URL("../..", import.meta.url));
const SHELLS = [["dash"], ["bash"], ["busybox", "sh"]].filter(([program]) =>
  spawnSync(program!, [...program === "busybox" ? ["true"] : ["-c", ":"]]).error === undefined
);
const skip = process.platform !== "linux" ? "install.sh is for Linux" : SHELLS.length === 0 && "no shell";
const FINGER = Array.from({ length: 32 }, (_, at) => at.toString(16).padStart(2, "0")).join(":");
const MINION = ["minion", "--master", "salt.example", "--id", "web1", "--fingerprint", FINGER];
const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** A folder to install from, a system to install into, and what lies around. */
class Bed {
  readonly top = mkdtempSync(path.join(tmpdir(), "brine-install-"));
  readonly folder = path.join(this.top, "folder");
  readonly root = path.join(this.top, "root");
  readonly shell: readonly string[];

  constructor(shell: readonly string[]) {
    this.shell = shell;
    for (const place of [this.folder, path.join(this.root, "usr/lib/systemd"), path.join(this.top, "tmp")]) {
      mkdirSync(place, { recursive: true });
    }
    writeFileSync(path.join(this.root, "usr/lib/systemd/systemd"), "");
    writeFileSync(path.join(this.folder, "brine-linux-x64"), "#!/bin/sh\necho one\n");
    makeInstallable(repository, this.folder);
  }

  in(file: string): string {
    return path.join(this.root, file);
  }

  run(...words: string[]) {
    return this.plain("--target", "linux-x64", "--root", this.root, ...words);
  }

  plain(...words: string[]) {
    const [program, ...before] = [...this.shell, path.join(this.folder, "install.sh"), ...words];
    const { stdout, stderr, status } = spawnSync(program!, before, {
      encoding: "utf8",
      env: { PATH: process.env.PATH, TMPDIR: path.join(this.top, "tmp") },
    });
    return { stdout, stderr, status };
  }

  /** The same without holding up servers of this process. */
  later(...words: string[]): Promise<{ stderr: string; status: number | null }> {
    const [program, ...before] = [
      ...this.shell,
      path.join(this.folder, "install.sh"),
      "--target=linux-x64",
      `--root=${this.root}`,
      ...words,
    ];
    const child = spawn(program!, before, { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (status) => resolve({ stderr, status }));
    });
  }

  installed(...words: string[]) {
    const ran = this.run(...words);
    assert.equal(ran.status, 0, ran.stderr);
    return ran;
  }

  /** Each file and link of the system, with its content or where it leads. */
  files(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
        .map((entry) => {
          const file = path.join(entry.parentPath, entry.name);
          const content = entry.isSymbolicLink() ? `-> ${readlinkSync(file)}` : readFileSync(file, "utf8");
          return [path.relative(this.root, file), content];
        }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true });
  }
}

describe("install.sh", { timeout: 300_000, skip }, () => {
  for (const shell of SHELLS) {
    describe(shell.join(" "), () => {
      test(
        "a minion in one line: program, links, unit and configuration; a second time, nothing changes",
        TIMEOUT,
        () => {
          using bed = new Bed(shell);
          bed.installed(...MINION);
          const files = bed.files();
          assert.equal(files["usr/local/bin/salt-minion"], "-> brine");
          assert.equal(files["usr/local/bin/salt-master"], undefined);
          assert.equal(statSync(bed.in("usr/local/bin/brine")).mode & 0o777, 0o755);
          assert.match(files["etc/systemd/system/salt-minion.service"]!, /^ExecStart=\/usr\/local\/bin\/salt-minion$/m);
          assert.equal(
            files["etc/systemd/system/multi-user.target.wants/salt-minion.service"],
            "-> ../salt-minion.service",
          );
          assert.equal(
            files["etc/salt/minion.d/install.conf"],
            `# Written by install.sh.\nmaster: "salt.example"\nid: "web1"\nmaster_finger: "${FINGER}"\n`,
          );
          assert.equal(statSync(bed.in("etc/salt/minion.d/install.conf")).mode & 0o777, 0o640);
          assert.match(files["usr/local/share/man/man1/salt-minion.1"]!, /^\.TH "SALT-MINION"/);
          assert.match(files["usr/local/share/bash-completion/completions/salt"]!, /brine complete bash/);
          assert.equal(files["usr/local/share/bash-completion/completions/salt-minion"], "-> salt");
          assert.match(files["usr/local/share/zsh/site-functions/_salt"]!, /^#compdef/);
          assert.equal(files["usr/local/share/fish/vendor_completions.d/salt-call.fish"], "-> salt.fish");
          bed.installed(...MINION);
          assert.deepEqual(bed.files(), files);
          assert.deepEqual(readdirSync(path.join(bed.top, "tmp")), []);
        },
      );

      test("all roles, and several masters; uninstalling leaves configuration alone", TIMEOUT, () => {
        using bed = new Bed(shell);
        const before = Object.keys(bed.files());
        bed.installed("all", "--master=a.example,b.example", "--prefix=/opt/brine");
        const files = bed.files();
        for (const daemon of ["master", "minion", "api"]) {
          assert.equal(files[`opt/brine/bin/salt-${daemon}`], "-> brine");
          assert.match(files[`etc/systemd/system/salt-${daemon}.service`]!, /=\/opt\/brine\/bin\//);
        }
        assert.match(files["etc/salt/minion.d/install.conf"]!, /^master: \["a\.example", "b\.example"\]$/m);
        bed.installed("--uninstall", "--prefix=/opt/brine");
        assert.deepEqual(Object.keys(bed.files()).sort(), ["etc/salt/minion.d/install.conf", ...before].sort());
      });

      test("a dry run says what it would do, and does nothing", TIMEOUT, () => {
        using bed = new Bed(shell);
        const before = bed.files();
        assert.match(bed.installed(...MINION, "--dry-run").stdout, /would write .*install\.conf:\n[^]*id: "web1"/);
        assert.deepEqual(bed.files(), before);
      });

      test("configuration that is there stays, unless --force, which keeps a copy", TIMEOUT, () => {
        using bed = new Bed(shell);
        const file = bed.in("etc/salt/minion.d/install.conf");
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, "master: other\n");
        const before = bed.files();
        const { status, stderr } = bed.run(...MINION);
        assert.equal(status, 1);
        assert.match(stderr, /install\.conf exists with other values: .*--force/);
        assert.deepEqual(bed.files(), before);
        bed.installed(...MINION, "--force");
        assert.match(readFileSync(file, "utf8"), /salt\.example/);
        const copies = Object.entries(bed.files()).filter(([name]) => name.includes("install.conf.before-"));
        assert.deepEqual(copies.map(([, text]) => text), ["master: other\n"]);
      });

      test("a program of somebody else stays, unless --force", TIMEOUT, () => {
        using bed = new Bed(shell);
        mkdirSync(bed.in("usr/local/bin"), { recursive: true });
        writeFileSync(bed.in("usr/local/bin/salt-minion"), "theirs");
        assert.match(bed.run(...MINION).stderr, /salt-minion is another program/);
        assert.ok(!existsSync(bed.in("usr/local/bin/brine")));
        assert.equal(readFileSync(bed.in("usr/local/bin/salt-minion"), "utf8"), "theirs");
        bed.installed(...MINION, "--force");
      });

      test("program and sums that were planted together do not have the sum of the line", TIMEOUT, () => {
        using bed = new Bed(shell);
        const sum = sha256(path.join(bed.folder, "SHA256SUMS"));
        bed.installed(...MINION, "--sums", sum);
        writeFileSync(path.join(bed.folder, "brine-linux-x64"), "#!/bin/sh\necho evil\n");
        makeInstallable(repository, bed.folder);
        assert.match(bed.run(...MINION, "--sums", sum).stderr, /SHA256SUMS is not the file of --sums/);
        assert.match(readFileSync(bed.in("usr/local/bin/brine"), "utf8"), /echo one/);
      });

      for (const link of ["etc", "usr/local", "etc/salt/minion.d", "etc/systemd"]) {
        test(`a link ${link} in another system does not lead out of it`, TIMEOUT, () => {
          using bed = new Bed(shell);
          const outside = path.join(bed.top, "outside");
          mkdirSync(outside);
          mkdirSync(path.dirname(bed.in(link)), { recursive: true });
          symlinkSync(outside, bed.in(link));
          const { status, stderr } = bed.run(...MINION);
          assert.equal(status, 1);
          assert.match(stderr, /leads out of/);
          assert.equal(bed.run("--uninstall").status, link.endsWith("minion.d") ? 0 : 1);
          assert.deepEqual(readdirSync(outside), []);
        });
      }

      test("a link in the place of the configuration is not followed", TIMEOUT, () => {
        using bed = new Bed(shell);
        const victim = path.join(bed.top, "victim");
        writeFileSync(victim, "theirs");
        mkdirSync(bed.in("etc/salt/minion.d"), { recursive: true });
        symlinkSync(victim, bed.in("etc/salt/minion.d/install.conf"));
        assert.equal(bed.run(...MINION, "--force").status, 1);
        assert.equal(readFileSync(victim, "utf8"), "theirs");
      });

      test("what a run that was killed has left does not stand in the way", TIMEOUT, () => {
        using bed = new Bed(shell);
        mkdirSync(bed.in("usr/local/bin/.brine-install.abc"), { recursive: true });
        writeFileSync(bed.in("usr/local/bin/.brine-install.abc/brine-linux-x64"), "half");
        symlinkSync("brine", bed.in("usr/local/bin/salt-minion"));
        bed.installed(...MINION);
        assert.match(readFileSync(bed.in("usr/local/bin/brine"), "utf8"), /echo one/);
        bed.installed("--uninstall");
        assert.deepEqual(readdirSync(bed.in("usr/local/bin")), []);
      });

      test("a script that came in part does nothing", TIMEOUT, () => {
        using bed = new Bed(shell);
        const before = bed.files();
        const script = path.join(bed.folder, "install.sh");
        const text = readFileSync(script, "utf8");
        for (const share of [0.3, 0.6, 0.9, 0.999]) {
          writeFileSync(script, text.slice(0, Math.floor(text.length * share)));
          bed.run(...MINION);
          assert.deepEqual(bed.files(), before);
        }
      });

      // The same for all of them, and many.
      if (shell !== SHELLS[0]) return;
      for (
        const { name, words } of [
          { name: "an id with a command", words: ["minion", "--id", "$(touch pwned)"] },
          { name: "an id with a quote", words: ["minion", "--id", 'a"; b'] },
          { name: "an id of two lines", words: ["minion", "--id", "web1\nmaster: evil"] },
          { name: "an id like an option", words: ["minion", "--id", "-rf"] },
          { name: "an id with a path", words: ["minion", "--id", "../x"] },
          { name: "a master with a quote", words: ["minion", "--master", 'a"\nid: b'] },
          { name: "a port that is none", words: ["minion", "--master-port", "4506; x"] },
          { name: "a port beyond the last", words: ["minion", "--master-port", "65536"] },
          { name: "a short fingerprint", words: ["minion", "--fingerprint", FINGER.slice(3)] },
          { name: "a fingerprint of two lines", words: ["minion", "--fingerprint", `${FINGER}\n${FINGER}`] },
          { name: "a prefix for sed", words: ["minion", "--prefix", "/usr|e touch pwned|"] },
          { name: "a prefix that is relative", words: ["minion", "--prefix", "usr"] },
          { name: "http without a sum", words: ["minion", "--from", "http://127.0.0.1:1/"] },
          { name: "another scheme", words: ["minion", "--from", "file:///tmp"] },
          { name: "a URL like options", words: ["minion", "--from", "https://x/ -o /etc/passwd"] },
          { name: "no role", words: [] },
          { name: "another role", words: ["agent"] },
          { name: "an option without its word", words: ["minion", "--id"] },
          { name: "an id without a minion", words: ["master", "--id", "web1"] },
        ]
      ) {
        test(`${name} is refused, and nothing is written`, TIMEOUT, () => {
          using bed = new Bed(shell);
          const before = bed.files();
          const { status, stderr } = bed.run(...words);
          assert.equal(status, 64, stderr);
          assert.match(stderr, /^install\.sh: [^]*--help\n$/);
          assert.deepEqual(bed.files(), before);
          assert.ok(!existsSync("pwned"));
        });
      }

      for (
        const { name, spoil, says } of [
          {
            name: "a program that was planted",
            spoil: (folder: string) => writeFileSync(path.join(folder, "brine-linux-x64"), "#!/bin/sh\ntouch /pwned\n"),
            says: /brine-linux-x64 is not the file in SHA256SUMS/,
          },
          {
            name: "a unit that was planted",
            spoil: (folder: string) =>
              writeFileSync(path.join(folder, "salt-minion.service"), "[Service]\nExecStart=/usr/bin/evil\n"),
            says: /salt-minion\.service is not the file in SHA256SUMS/,
          },
          {
            name: "a program without a sum",
            spoil: (folder: string) => writeFileSync(path.join(folder, "SHA256SUMS"), ""),
            says: /SHA256SUMS does not have brine-linux-x64/,
          },
          {
            name: "a folder without sums",
            spoil: (folder: string) => rmSync(path.join(folder, "SHA256SUMS")),
            says: /SHA256SUMS is missing/,
          },
        ]
      ) {
        test(`${name} is refused, and nothing is installed`, TIMEOUT, () => {
          using bed = new Bed(shell);
          const before = bed.files();
          spoil(bed.folder);
          const { status, stderr } = bed.run(...MINION);
          assert.match(stderr, says);
          assert.equal(status, 1);
          assert.deepEqual(bed.files(), before);
        });
      }
    });
  }

  describe("from a server", { skip: spawnSync("curl", ["--version"]).error !== undefined && "no curl" }, () => {
    let bed: Bed;
    let url: string;
    let asked: string[];
    const server = createServer((request, response) => {
      asked.push(request.url!);
      const file = path.join(bed.folder, path.basename(request.url!));
      response.writeHead(existsSync(file) ? 200 : 404);
      response.end(existsSync(file) ? readFileSync(file) : "");
    });
    before(async () => {
      bed = new Bed(SHELLS[0]!);
      asked = [];
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/brine/`;
    });
    after(async () => {
      await new Promise((closed) => server.close(closed));
      bed[Symbol.dispose]();
    });

    test("what it sends is installed if it has the sum of the line", TIMEOUT, async () => {
      const sum = sha256(path.join(bed.folder, "SHA256SUMS"));
      const { status, stderr } = await bed.later(...MINION, "--from", url, "--sums", sum);
      assert.equal(status, 0, stderr);
      assert.equal(readFileSync(bed.in("usr/local/bin/brine"), "utf8"), "#!/bin/sh\necho one\n");
      assert.equal(asked[0], "/brine/SHA256SUMS");
    });

    test("what it does not have ends with its address", TIMEOUT, async () => {
      const sum = sha256(path.join(bed.folder, "SHA256SUMS"));
      chmodSync(path.join(bed.folder, "after_job.sh"), 0o644);
      rmSync(path.join(bed.folder, "after_job.sh"));
      const { status, stderr } = await bed.later(...MINION, "--from", url, "--sums", sum);
      assert.equal(status, 1);
      assert.match(stderr, /cannot get http:\/\/127\.0\.0\.1:\d+\/brine\/after_job\.sh/);
    });
  });

  const lacksCheck = spawnSync("shellcheck", ["--version"]).error !== undefined && "no shellcheck";
  test("shellcheck finds nothing", { ...TIMEOUT, skip: lacksCheck }, () => {
    for (const file of ["scripts/install.sh", "scripts/packages/after_job.sh"]) {
      const { stdout, status } = spawnSync("shellcheck", ["-s", "sh", path.join(repository, file)], {
        encoding: "utf8",
      });
      assert.equal(status, 0, stdout);
    }
  });
});

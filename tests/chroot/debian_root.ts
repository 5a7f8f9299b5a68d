/**
 * A Debian of its own, as debootstrap makes it (`minbase`), with the packages that are asked for. What has been made once is kept in
 * `~/.cache/brine/debootstrap`, and unpacked for each test.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const RELEASE = process.env.BRINE_DEBIAN ?? "bookworm";
const MIRROR = process.env.BRINE_DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
const CACHE = path.join(homedir(), ".cache/brine/debootstrap");

/** What `npm run compile` makes for this machine. */
export const ONE_FILE: string = fileURLToPath(
  new URL(`../../dist/compile/brine-linux-${process.arch}`, import.meta.url),
);

/** Why there can be none here; false if there can. */
export function whyNoDebian(...programs: readonly string[]): string | false {
  if (process.env.BRINE_CHROOT === undefined) return "npm run test:chroot makes the file and runs this";
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a root of its own needs root on Linux";
  const missing = ["debootstrap", "unshare", "tar", ...programs].find((name) =>
    spawnSync(name, ["--version"]).error !== undefined
  );
  return missing === undefined ? false : `${missing} is missing: apt-get install debootstrap util-linux zstd`;
}

/** The archive of such a system; made with the first call. */
function archiveOf(packages: readonly string[]): string {
  const name = [RELEASE, ...packages].join("-");
  const file = path.join(CACHE, `${name}.tar.gz`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true });
  const place = mkdtempSync(path.join(tmpdir(), "brine-debootstrap-"));
  try {
    if (packages.length === 0) {
      execFileSync("debootstrap", ["--variant=minbase", RELEASE, place, MIRROR], { stdio: "ignore" });
    } else {
      execFileSync("tar", ["-C", place, "-xzf", archiveOf([])]);
      const install = `apt-get update -q && apt-get install -qy --no-install-recommends ${packages.join(" ")}`;
      execFileSync("chroot", [place, "sh", "-c", install], {
        stdio: "ignore",
        env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive" },
      });
    }
    execFileSync("tar", ["-C", place, "-czf", `${file}.part`, "--exclude=./var/cache/apt/archives/*.deb", "."]);
    renameSync(`${file}.part`, file);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return file;
}

/** What a command printed, and its exit code. */
export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

/** Mounts what a system needs of its kernel, makes the directory the root, and becomes its first process. */
const ENTER = `
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o nosuid,nodev,noexec,ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
  mknod -m 666 "dev/\${node%% *}" c \${node#* }
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
hostname debian
if [ "$1" = systemd ]; then
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  if [ -d /sys/fs/cgroup/systemd ]; then
    mkdir sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  else
    umount sys/fs/cgroup
    mount -t cgroup2 cgroup2 sys/fs/cgroup
  fi
fi
ip link set lo up
mkdir -p mnt/host
pivot_root . mnt/host
cd /
if [ "$1" = systemd ]; then
  last="/lib/systemd/systemd --log-target=journal systemd.unit=multi-user.target"
else
  last="sleep 2147483647"
fi
exec chroot . /bin/sh -c "umount -l /mnt/host; exec env -i container=brine PATH=/usr/sbin:/usr/bin:/sbin:/bin $last" </dev/null
`;

/** A Debian that runs: processes, mounts, host name and network of its own. */
export class DebianRoot {
  readonly path: string = mkdtempSync(path.join(tmpdir(), "brine-debian-"));
  readonly #first: ChildProcess;
  /** The number of its first process here. */
  #pid = 0;
  #complaint = "";
  readonly #group: string | undefined;

  /** @param boot whether systemd is its first process; it has to be among the packages */
  constructor(packages: readonly string[], boot = false) {
    execFileSync("tar", ["-C", this.path, "-xzf", archiveOf(packages)]);
    // Other users are to find their way, too.
    chmodSync(this.path, 0o755);
    // Empty, not absent: systemd then makes one, and does not take it for the first start of a new machine.
    writeFileSync(path.join(this.path, "etc/machine-id"), "");
    writeFileSync(path.join(this.path, "etc/hostname"), "debian\n");
    // A control group of its own, below which systemd makes those of its services.
    this.#group = boot ? ownGroup(path.basename(this.path)) : undefined;
    const join = this.#group === undefined ? "" : `echo $$ > ${this.#group}/cgroup.procs\n`;
    const words = [
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "--uts",
      "--ipc",
      "--net",
      ...boot ? ["--cgroup"] : [],
    ];
    const enter = `set -e\n${join}exec unshare ${words.join(" ")} sh -ec "$ENTER" sh "$0" ${
      boot ? "systemd" : "sleep"
    }`;
    this.#first = spawn("sh", ["-c", enter, this.path], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env.PATH, ENTER },
    });
    this.#first.stderr!.on("data", (chunk) => this.#complaint += chunk);
  }

  /** Once its first process is there, and has become what it is to be. */
  async ready(): Promise<void> {
    const children = `/proc/${this.#first.pid}/task/${this.#first.pid}/children`;
    for (let turn = 0; turn < 3000 && this.#first.exitCode === null; turn++) {
      const [pid] = readFileSync(children, "utf8").split(" ");
      if (pid !== undefined && pid !== "") {
        this.#pid = Number(pid);
        const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
        if (name === "systemd" || name === "sleep") return;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The Debian does not start: ${this.#complaint}`);
  }

  run(...words: string[]): Ran {
    const spaces = ["-m", "-p", "-u", "-i", "-n", "-r", "-w", ...this.#group === undefined ? [] : ["-C"]];
    const env = ["env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"];
    const { stdout, stderr, status } = spawnSync("nsenter", ["-t", String(this.#pid), ...spaces, ...env, ...words], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, DEBIAN_FRONTEND: "noninteractive" },
    });
    return { stdout, stderr, status };
  }

  /** Every program and library that could run scripts. */
  runtimes(): string[] {
    return ["usr/bin", "usr/sbin", "usr/local/bin", "usr/lib", "usr/local/lib", "opt"].flatMap((folder) => {
      const place = path.join(this.path, folder);
      return existsSync(place) ? readdirSync(place).map((name) => `${folder}/${name}`) : [];
    }).filter((name) => /\/(?:node|nodejs|npm|bun|bunx|deno|python|pypy|libpython)[\d.]*(?:$|\.so)/.test(name));
  }

  /** Its first process is killed, and with it all others; nothing is left. */
  async remove(): Promise<void> {
    if (this.#first.exitCode === null) {
      const ended = new Promise((resolve) => this.#first.once("exit", resolve));
      if (this.#pid > 0) process.kill(this.#pid, "SIGKILL");
      else this.#first.kill("SIGKILL");
      await ended;
    }
    rmSync(this.path, { recursive: true, force: true });
    if (this.#group !== undefined) removeGroup(this.#group);
  }
}

/** The directory of a new control group, of systemd's hierarchy where there are several. */
function ownGroup(name: string): string {
  const top = existsSync("/sys/fs/cgroup/systemd") ? "/sys/fs/cgroup/systemd" : "/sys/fs/cgroup";
  mkdirSync(path.join(top, name));
  return path.join(top, name);
}

function removeGroup(group: string): void {
  const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of below) removeGroup(path.join(group, name));
  // A directory of a control group holds files that cannot be removed: only itself is.
  execFileSync("rmdir", [group]);
}

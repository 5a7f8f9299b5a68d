/** A directory in which the commands of a document are pasted into a shell, with a fleet of its own. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { ROOT } from "./blocks.ts";

const PROGRAMS = [
  "brine",
  "salt-doctor",
  "salt",
  "salt-key",
  "salt-run",
  "salt-call",
  "salt-cp",
  "salt-master",
  "salt-minion",
  "salt-api",
  "salt-syndic",
];
const TREE = [
  "package.json",
  "deno.json",
  "deno.lock",
  "tsconfig.json",
  "mod.ts",
  "README.md",
  "src",
  "cli",
  "docs",
  "node_modules",
  "dist",
  "scripts",
  "examples",
];
/** Directories of a host that documents name. Here each is below the place. */
const OF_HOST = /(?<![\w.$}/])\/(?=(?:etc\/salt|srv|var\/(?:cache|log|run)|root|backup)\b)/g;
/** How this machine reaches the registries of packages, and what it has of them. */
const REGISTRIES: Record<string, string> = {
  DENO_DIR: path.join(homedir(), ".cache/deno"),
  ...Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] =>
      /^(?:DENO_|NPM_CONFIG_|NODE_EXTRA_CA_CERTS$|SSL_CERT_|https?_proxy$|no_proxy$)/i.test(entry[0])
    ),
  ),
};
export const PATIENCE_MS = 120_000;

export interface Setting {
  /** The minions that there are, beside a master; none: the document starts its own. */
  minions?: readonly string[];
  /** More options of the master, as YAML. */
  master?: string;
  /** Commands before those of the document. */
  before?: string;
  /** A directory of configuration that the document makes, from where commands are run: it gets free ports. */
  config?: string;
  /** Whether a salt-api runs; `8000` in a command then is its port. */
  api?: boolean;
}

export interface Printed {
  code: number;
  text: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const ROLES: Record<string, string> = { web: "web", db: "db" };

export class Place implements AsyncDisposable {
  readonly path: string = mkdtempSync(path.join(tmpdir(), "brine-docs-"));
  /** Where commands are run: the repository as it is, without the directories that they make. */
  readonly #work = path.join(this.path, "work");
  #ports: [publish: number, request: number, http: number] = [0, 0, 0];
  /** Gives free ports to the configuration that a document makes, as soon as it is there. */
  #portsOfConfig = "";

  static async open(setting: Setting): Promise<Place> {
    const place = new Place();
    try {
      place.#ports = [await freePort(), await freePort(), await freePort()];
      place.#lay(setting);
      if (setting.config !== undefined) {
        const config = path.join(place.#work, setting.config);
        place.#portsOfConfig = `[ ! -d ${config} ] || cp -r ${place.#work}/conf/. ${config}/\n`;
      }
      await place.#start(setting);
      if (setting.before !== undefined) place.#must(setting.before);
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
    return place;
  }

  /** Text with this place instead of a host's directories and ports. */
  #here(text: string): string {
    return text.replace(OF_HOST, `${this.path}/`)
      .replace(/(?<=(?:localhost|127\.0\.0\.1):|port: )8000\b/g, String(this.#ports[2]));
  }

  /** Files and pillar of below the place, as options. */
  get #roots(): string {
    return `file_roots: {base: [${this.path}/srv/salt]}\npillar_roots: {base: [${this.path}/srv/pillar]}\n`;
  }

  #write(name: string, text: string): void {
    const file = path.join(this.path, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  #lay({ minions = [], master = "" }: Setting): void {
    mkdirSync(this.#work, { recursive: true });
    for (const name of TREE) {
      if (existsSync(path.join(ROOT, name))) symlinkSync(path.join(ROOT, name), path.join(this.#work, name));
    }
    for (const name of PROGRAMS) {
      this.#write(`bin/${name}`, `#!/bin/sh\nexec node ${ROOT}/cli/${name}.ts "$@"\n`);
      chmodSync(path.join(this.path, "bin", name), 0o755);
    }
    // The machine's own cron is neither needed nor changed. The last argument is a file, unless it is -l.
    const table = `${this.path}/crontab`;
    this.#write(
      "bin/crontab",
      `#!/bin/sh\nfor last do :; done\n[ "$last" = -l ] && exec cat ${table}\ncat -- "$last" > ${table}\n`,
    );
    chmodSync(path.join(this.path, "bin", "crontab"), 0o755);
    this.#write("crontab", "");
    const [publish, request, http] = this.#ports;
    const ports = `publish_port: ${publish}\nret_port: ${request}\n`;
    const quick = `master_port: ${request}\nacceptance_wait_time: 1\n`;
    // For documents that make configuration of their own.
    this.#write("work/conf/master.d/ports.conf", ports);
    this.#write("work/conf/minion.d/ports.conf", quick);
    for (const name of ["root", "var/log", "srv/salt"]) mkdirSync(path.join(this.path, name), { recursive: true });
    if (minions.length === 0) return;
    const api = `rest_cherrypy: {host: 127.0.0.1, port: ${http}, disable_ssl: True}\n`;
    this.#write(
      "etc/salt/master",
      `root_dir: ${this.path}\ninterface: 127.0.0.1\nid: here\nauto_accept: True\n${ports}${api}${this.#roots}${
        this.#here(master)
      }\n`,
    );
    for (const [at, id] of minions.entries()) {
      // The first is the minion of this host, which salt-call speaks for.
      const home = at === 0 ? "" : `hosts/${id}/`;
      const role = ROLES[id.replace(/\d+$/, "")] ?? "none";
      this.#write(
        `${home}etc/salt/minion`,
        `root_dir: ${
          path.join(this.path, home)
        }\nmaster: 127.0.0.1\nid: ${id}\ngrains: {roles: [${role}]}\n${quick}${this.#roots}`,
      );
    }
  }

  async #start({ minions = [], api = false }: Setting): Promise<void> {
    if (minions.length === 0) return;
    this.#must("salt-master -d");
    for (const [at, id] of minions.entries()) {
      this.#must(at === 0 ? "salt-minion -d" : `salt-minion -d -c ${this.path}/hosts/${id}/etc/salt`);
    }
    if (api) this.#must("salt-api -d");
    await this.until(
      () => this.run("salt '*' test.ping --out=txt"),
      ({ text }) => minions.every((id) => text.includes(`${id}: True`)),
    );
  }

  #must(text: string): void {
    const { code, text: printed } = this.run(text);
    if (code !== 0) throw new Error(`${text}\nended with ${code} and printed ${printed}`);
  }

  /** Does something again until it is as wanted, as an operator does. */
  async until(act: () => Printed, wanted: (printed: Printed) => boolean): Promise<Printed> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const printed = act();
      if (wanted(printed)) return printed;
      if (performance.now() > end) throw new Error(`in vain; the last time it printed ${printed.text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Writes a file that a document shows. */
  save(name: string, text: string): void {
    const file = this.#here(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, this.#here(text), { mode: 0o755 });
  }

  /** Pastes lines into a shell, which goes on where the one before stopped: directory and variables (`set -a` exports them all). */
  run(lines: string): Printed {
    const text = this.#here(lines);
    const kept = path.join(this.path, "shell");
    const script =
      `[ ! -e ${kept} ] || . ${kept}\nset -ea\n${text}\n${this.#portsOfConfig}{ export -p; echo "cd '$PWD'"; } > ${kept}\n`;
    const { stdout, stderr, status, error } = spawnSync("/bin/sh", ["-c", script], {
      cwd: this.#work,
      encoding: "utf8",
      timeout: PATIENCE_MS,
      env: {
        PATH: [path.join(this.path, "bin"), path.join(ROOT, "node_modules/.bin"), process.env.PATH].join(
          path.delimiter,
        ),
        HOME: path.join(this.path, "root"),
        SALT_CONFIG_DIR: path.join(this.path, "etc/salt"),
        LANG: "C.UTF-8",
        ...REGISTRIES,
      },
    });
    if (error !== undefined) return { code: -1, text: `${stdout}${stderr}${error.message}` };
    const plain = `${stdout}${stderr}`.replaceAll(this.#work, "…").replaceAll(this.path, "");
    return { code: status ?? -1, text: plain };
  }

  /** Ends what was started here, by the pid files that daemons wrote. */
  async [Symbol.asyncDispose](): Promise<void> {
    const files = readdirSync(this.path, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".pid") && !name.startsWith("work/node_modules")
    );
    const pids = files.map((name) => Number(readFileSync(path.join(this.path, name), "utf8")));
    for (const pid of pids) signal(pid, "SIGTERM");
    const end = performance.now() + PATIENCE_MS;
    while (pids.some((pid) => signal(pid, 0)) && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Whether a process was there for it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

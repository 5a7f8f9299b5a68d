/** The package as npm has it, and projects of its users: directories with nothing of ours but that. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { ROOT, tool } from "./snippets.ts";

const run = promisify(execFile);

/** Builds the package beside the checkout, whose own `dist/` others may be reading; returns the tarball. */
async function pack(place: string): Promise<string> {
  const copy = path.join(place, "package");
  const { files } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { files: string[] };
  for (const name of ["package.json", ...files.filter((name) => !/^!?dist\b/.test(name))]) {
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  }
  await tool("tsc", ["-p", "tsconfig.build.json", "--outDir", path.join(copy, "dist")], ROOT);
  await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", place], { cwd: copy });
  return path.join(place, readdirSync(place).find((name) => name.endsWith(".tgz"))!);
}

function packOnce(): () => Promise<string> {
  let made: Promise<string> | undefined;
  return () => {
    if (made !== undefined) return made;
    const place = mkdtempSync(path.join(tmpdir(), "brine-tarball-"));
    process.on("exit", () => rmSync(place, { recursive: true, force: true }));
    return made = pack(place);
  };
}

/** The tarball of `npm pack`, made once for all tests of this process. */
export const tarball: () => Promise<string> = packOnce();

/** Unpacks the tarball where a project has its packages. No other package is installed: `mod.ts` needs none. */
export async function install(project: string): Promise<string> {
  const place = path.join(project, "node_modules/brine");
  mkdirSync(place, { recursive: true });
  await run("tar", ["-xzf", await tarball(), "-C", place, "--strip-components=1"]);
  return place;
}

/**
 * Installs the tarball as `npm install` does, with its dependencies and without a registry: these are in npm's cache since the
 * checkout was installed. Where they are not, the tarball alone is unpacked.
 *
 * @returns where it is, and whether npm has installed it
 */
export async function installByNpm(project: string): Promise<{ place: string; byNpm: boolean }> {
  const words = [
    "install",
    "--offline",
    "--loglevel=error",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--omit=peer",
  ];
  words.push(await tarball());
  try {
    await run("npm", words, { cwd: project });
    return { place: path.join(project, "node_modules/brine"), byNpm: true };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const said = `${stderr}${stdout}`;
    // What npm says of a package that its cache lacks, or knows in another version.
    if (!/ENOTCACHED|ETARGET|ENOVERSIONS/.test(said)) throw new Error(`npm ${words.join(" ")}: ${error}\n${said}`);
    return { place: await install(project), byNpm: false };
  }
}

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".ts": "application/typescript",
};

/** Serves the files of a directory on the loopback, as any web server does. */
export async function serveFiles(directory: string): Promise<{ url: string; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server: Server = createServer(({ url = "/" }, response) => {
    const name = path.normalize(new URL(url, "http://x").pathname);
    asked.push(name);
    try {
      const body = readFileSync(path.join(directory, name));
      response.writeHead(200, { "Content-Type": TYPES[path.extname(name)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Git repositories over https, http and ssh, served by real git and sshd on loopback ports. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import type { Certificate } from "../../support/certificates.ts";

export interface HttpGit extends AsyncDisposable {
  port: number;
  /** `Authorization` of each request that came with one. */
  readonly authorizations: string[];
}

export interface HttpGitOptions {
  /** Serves https. @default http */
  certificate?: Certificate;
  /** `user:password`, without which nobody is served. @default anybody is */
  account?: string;
  /** Where all requests are sent on to. @default they are answered */
  redirect?: string;
}

/** Serves the repositories of a directory as a web server does, with `git http-backend`. */
export async function serveHttp(root: string, options: HttpGitOptions = {}): Promise<HttpGit> {
  const { certificate, account, redirect } = options;
  const authorizations: string[] = [];
  const answer = (request: http.IncomingMessage, response: http.ServerResponse): unknown => {
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.push(authorization);
    if (redirect !== undefined) return response.writeHead(302, { Location: redirect + request.url! }).end();
    const wanted = account === undefined ? undefined : `Basic ${btoa(account)}`;
    if (wanted !== undefined && authorization !== wanted) {
      return response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
    }
    return backend(root, request, response);
  };
  const server = certificate === undefined
    ? http.createServer(answer)
    : https.createServer({ cert: certificate.certificate, key: certificate.key }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One request by CGI. */
function backend(root: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const [file, query = ""] = request.url!.split("?");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: file,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  const chunks: Uint8Array[] = [];
  child.stdout.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  child.on("close", () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf("\r\n\r\n");
    const head = whole.subarray(0, end).toString().split("\r\n").map((line) => line.split(": ") as [string, string]);
    const { Status: status = "200", ...headers } = Object.fromEntries(head);
    response.writeHead(Number.parseInt(status, 10), headers).end(whole.subarray(end + 4));
  });
}

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((file) => existsSync(file));

/** Why there are no tests over ssh. */
export const noSshd = SSHD !== undefined && existsSync("/usr/bin/ssh")
  ? false
  : "the programs sshd and ssh are not there";

export interface SshGit extends AsyncDisposable {
  port: number;
  /** The line of `known_hosts`. */
  hostKey: string;
}

/** Makes a key of ssh, and gives its public part. */
export function makeKey(file: string, passphrase = ""): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", file]);
  return readFileSync(`${file}.pub`, "utf8").trim();
}

/** Starts a server of ssh with a configuration of its own, which lets in who has one of the keys. */
export async function serveSsh(directory: string, keys: readonly string[]): Promise<SshGit> {
  mkdirSync(directory, { recursive: true });
  const hostKey = makeKey(path.join(directory, "host"));
  writeFileSync(path.join(directory, "authorized"), `${keys.join("\n")}\n`, { mode: 0o600 });
  const port = await freePort();
  const config = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${path.join(directory, "host")}`,
    `AuthorizedKeysFile ${path.join(directory, "authorized")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "PermitRootLogin yes",
  ];
  writeFileSync(path.join(directory, "config"), `${config.join("\n")}\n`);
  // Where sshd of root keeps its unprivileged half.
  if (process.getuid!() === 0) mkdirSync("/run/sshd", { recursive: true });
  const child: ChildProcess = spawn(SSHD!, ["-D", "-e", "-f", path.join(directory, "config")], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (!await listens(port)) if (child.exitCode !== null) throw new Error(`sshd ended: ${child.exitCode}`);
  return {
    port,
    hostKey: `[127.0.0.1]:${port} ${hostKey}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** A master with one minion, `web1`, on the loopback, and a salt-api before it that ann may use. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import {
  createGateway,
  currentRuntime,
  gatewaySettings,
  masterBackend,
  masterOptions,
} from "../../src/host/gateway/mod.ts";

export const LOGIN = { username: "ann", password: "secret", eauth: "file" };

const portOf = (endpoint: string) => Number(endpoint.split(":").at(-1));

/** A master with one minion below a directory. */
export async function startFleet(root: string, opts: Record<string, unknown> = {}) {
  const master = await startMaster({
    rootDir: root,
    opts: { interface: "127.0.0.1", publish_port: 0, ret_port: 0, auto_accept: true, ...opts },
  });
  const requestPort = portOf(master.requestEndpoint);
  const minion = await startMinion({
    rootDir: path.join(root, "web1"),
    opts: { id: "web1", master: "127.0.0.1", master_port: requestPort, acceptance_wait_time: 1 },
  });
  return {
    master,
    minion,
    requestPort,
    words: [root, String(requestPort)],
    async [Symbol.asyncDispose]() {
      await minion.close();
      await master.close();
    },
  };
}

/** The same with a salt-api, with TLS where its section has `ssl_crt` and `ssl_key`; its minion is connected. */
export async function startApi(root: string, section: Record<string, unknown> = {}) {
  writeFileSync(path.join(root, "users"), `${LOGIN.username}:${LOGIN.password}\n`, { mode: 0o600 });
  const opts = {
    external_auth: { file: { "^filename": path.join(root, "users"), ann: [".*", "@runner", "@wheel", "@jobs"] } },
    netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
    rest_cherrypy: { port: 0, disable_ssl: section.ssl_crt === undefined, ...section },
  };
  const fleet = await startFleet(root, opts);
  await fleet.minion.ready;
  const runtime = await currentRuntime();
  const all = masterOptions({ ...opts, root_dir: root, interface: "127.0.0.1", ret_port: fleet.requestPort });
  const backend = masterBackend({ runtime, opts: all });
  const settings = gatewaySettings(all, "rest_cherrypy");
  const gateway = createGateway({ runtime, backend, settings });
  const pem = (file: string) => readFileSync(file, "utf8");
  const tls = settings.tls && { cert: pem(settings.tls.cert), key: pem(settings.tls.key) };
  const serve = (port: number) =>
    runtime.http.serve(gateway.fetch, { host: "127.0.0.1", port, ...(tls === undefined ? {} : { tls }) });
  // For clients of the tests themselves, which trust no certificate of theirs.
  const plain = await runtime.http.serve(gateway.fetch, { host: "127.0.0.1", port: 0 });
  let server = await serve(0);
  const { port } = server;
  return {
    ...fleet,
    gateway,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    plainUrl: `http://127.0.0.1:${plain.port}`,
    /** Cuts all connections of the salt-api; it can be reached again once that resolves. */
    async cut() {
      await server[Symbol.asyncDispose]();
      server = await serve(port);
    },
    async [Symbol.asyncDispose]() {
      gateway.drain();
      await plain[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
}

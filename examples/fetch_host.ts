/**
 * The HTTP API for a host that only calls a function for each request (Deno Deploy, `bun run`, `deno serve`, workers): in front of a
 * salt-api beside its master, from Brine or Salt. To run it here:
 *
 *     SALT_API=https://salt.example.com:8000 deno serve -A examples/fetch_host.ts
 *
 * The master checks logins and permissions and runs the jobs; this program forwards requests, and keeps its own sessions.
 */
import { createGateway, currentRuntime, gatewaySettings, remoteBackend } from "../src/host/gateway/mod.ts"; // or "brine/gateway"

const runtime = await currentRuntime();
const clients = ["local", "local_async", "local_batch", "runner", "runner_async", "wheel"];
const settings = gatewaySettings(
  { rest_cherrypy: { port: 8000, disable_ssl: true }, netapi_enable_clients: clients, external_auth: {} },
  "rest_cherrypy",
);
const backend = remoteBackend({
  url: runtime.process.env("SALT_API") ?? "http://127.0.0.1:8000",
  clock: runtime.clock,
});
const gateway = createGateway({ runtime, settings, backend });

export default { fetch: (request: Request): Promise<Response> => gateway.fetch(request) };

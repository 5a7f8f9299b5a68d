/** The contract of {@link Salt}, kept on the master's host and over HTTP. */
import { after, before } from "node:test";
import { HttpClient } from "../../src/client/http/http_client.ts";
import type { KeyState } from "../host/gateway/golden_bed.ts";
import { createGateway, type Gateway, gatewaySettings } from "../../src/host/gateway/mod.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { saltContract, type SaltUnderTest } from "../contract/salt_contract.ts";
import { type Site, startSite } from "../host/gateway/site.ts";
import { EXTERNAL_AUTH } from "../host/gateway/users.ts";

const TIMEOUT = { timeout: 60_000 };
const ALICE = { eauth: "file", username: "alice", password: "wonder" };
const RITA = { eauth: "file", username: "rita", password: "rrr" };

/** A function that works until it is ended. */
const GATE: ExecutionModule = {
  functions: {
    wait: {
      signature: "",
      doc: "",
      run: ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true })
        ),
    },
  },
};

let site: Site;
let gateway: Gateway;
before(async () => {
  site = await startSite({ modules: { gate: () => Promise.resolve({ module: GATE }) } });
  const settings = gatewaySettings({
    rest_cherrypy: { port: 8000, disable_ssl: true },
    netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
    external_auth: EXTERNAL_AUTH,
    timeout: 5,
    gather_job_timeout: 5,
  }, "rest_cherrypy");
  gateway = createGateway({ runtime: site.cluster.runtime, settings, backend: site.backend });
}, TIMEOUT);
after(async () => {
  gateway.drain();
  await site[Symbol.asyncDispose]();
}, TIMEOUT);

const setKey = (id: string, state: KeyState) => site.master.setKey(id, state);
const controls = (): Pick<SaltUnderTest, "fire" | "addKey" | "addGhost" | "removeKey"> => ({
  fire: (tag, data) => site.backend.fire(tag, data),
  addKey: (id) => setKey(id, "pre"),
  addGhost: (id) => setKey(id, "accepted"),
  removeKey: (id) => setKey(id, "absent"),
});

saltContract("local", async () => {
  const salt = await site.cluster.client();
  return { ...controls(), salt, limited: undefined, close: () => salt.close() };
});

saltContract("HTTP", async () => {
  const options = { fetch: gateway.fetch, clock: site.cluster.runtime.clock };
  const salt = await HttpClient.open("https://salt.example/", { ...options, login: ALICE });
  const limited = await HttpClient.open("https://salt.example/", { ...options, login: RITA });
  return {
    ...controls(),
    salt,
    limited,
    close: async () => {
      await salt.close();
      await limited.close();
    },
  };
});

/** The contract of a backend, kept by each way to a master and by the fake of other tests. */
import { after, before } from "node:test";
import { FailedAttempts } from "../../../../src/host/gateway/auth/failed_attempts.ts";
import { guardedBackend } from "../../../../src/host/gateway/backend/guarded_backend.ts";
import {
  type Backend,
  createGateway,
  gatewaySettings,
  masterBackend,
  remoteBackend,
} from "../../../../src/host/gateway/mod.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { backendContract } from "../../../contract/backend_contract.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { FakeBackend, PASSWORD } from "../fake_backend.ts";
import { type Site, startSite } from "../site.ts";
import { EXTERNAL_AUTH } from "../users.ts";

const TIMEOUT = { timeout: 60_000 };
const CLIENTS = ["local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "wheel"];
const ALICE = { eauth: "file", username: "alice", password: "wonder" };

let site: Site;
before(async () => void (site = await startSite({ minions: ["web1", "db1"] })), TIMEOUT);
after(() => site[Symbol.asyncDispose](), TIMEOUT);

const openMaster = () => masterBackend({ runtime: site.cluster.runtime, opts: site.cluster.masterOpts });

/** Of a host where no master runs. */
async function openAbsent(): Promise<Backend> {
  const { crypto } = await currentRuntime();
  return masterBackend({
    runtime: memoryRuntime({ clock: site.cluster.clock, crypto }),
    opts: site.cluster.masterOpts,
  });
}

const closeAll = async (...backends: Backend[]) => {
  for (const backend of backends) await backend[Symbol.asyncDispose]();
};

backendContract("master", async () => {
  const [backend, absent] = [openMaster(), await openAbsent()];
  return { backend, absent, credentials: ALICE, close: () => closeAll(backend, absent) };
});

backendContract("guarded", async () => {
  const { crypto } = await currentRuntime();
  const [backend, absent] = [openMaster(), await openAbsent()];
  const guard = (guarded: Backend) =>
    guardedBackend({
      backend: guarded,
      settings: { apiAcl: undefined },
      attempts: new FailedAttempts(site.cluster.clock, crypto, 1000),
      address: "10.0.0.7",
      proven: new Set(),
    });
  return { backend: guard(backend), absent: guard(absent), credentials: ALICE, close: () => closeAll(backend, absent) };
});

backendContract("remote", async () => {
  const { runtime } = site.cluster;
  const settings = gatewaySettings({
    rest_cherrypy: { port: 8000, disable_ssl: true, login_attempts: 0 },
    netapi_enable_clients: CLIENTS,
    external_auth: EXTERNAL_AUTH,
    timeout: 5,
    gather_job_timeout: 5,
  }, "rest_cherrypy");
  const inner = createGateway({ runtime, settings, backend: site.backend });
  const common = { url: "http://inner.example/", clock: runtime.clock, random: () => 0.5 };
  const backend = remoteBackend({ ...common, listener: ALICE, fetch: (request) => inner.fetch(request) });
  const absent = remoteBackend({ ...common, fetch: () => Promise.reject(new TypeError("connection refused")) });
  return {
    backend,
    absent,
    credentials: ALICE,
    async close() {
      await closeAll(backend, absent);
      inner.drain();
    },
  };
});

backendContract("fake", () => {
  const clock = new FakeClock();
  const [backend, absent] = [new FakeBackend(clock), new FakeBackend(clock)];
  absent.up = false;
  const credentials = { eauth: "pam", username: "somebody", password: PASSWORD };
  return Promise.resolve({ backend, absent, credentials, close: () => closeAll(backend, absent) });
});

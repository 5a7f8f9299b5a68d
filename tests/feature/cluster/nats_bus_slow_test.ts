import { systemClock } from "../../../src/base/async/clock.ts";
import { openNatsWire } from "../../../src/plugins/cluster/nats_wire.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type BusBed, busContract } from "../../contract/bus_contract.ts";
import { captureLog } from "../../support/capture_log.ts";
import { noNats, startNats } from "../../support/servers.ts";

const runtime = { ...await currentRuntime(), clock: systemClock };

busContract("NATS", async () => {
  const server = await startNats();
  const { connect, headers } = await import("@nats-io/transport-node");
  const { jetstreamManager } = await import("@nats-io/jetstream");
  const servers = [`nats://127.0.0.1:${server.port}`];
  const stranger = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  const heard: Uint8Array[] = [];
  stranger.subscribe("brine.test.all.*", { callback: (_error, { data }) => void heard.push(data) });
  await stranger.flush();
  const stored = async (stream: string) => {
    const { streams } = await jetstreamManager(stranger);
    const { state } = await streams.info(`brine_test_${stream}`);
    const found = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await streams.getMessage(`brine_test_${stream}`, { seq });
      if (message !== null) found.push(message);
    }
    return found;
  };
  let count = 0;
  const bed: BusBed = {
    runtime,
    wire: () =>
      openNatsWire({ servers, cluster: "test", clock: runtime.clock, log: captureLog().log, random: `w${count++}` }),
    overheard: async () => {
      await stranger.flush();
      return heard;
    },
    inject: async (bytes) => {
      stranger.publish("brine.test.all.stranger", bytes);
      await stranger.flush();
    },
    injectRecord: async (stream, bytes, id) => {
      const named = headers();
      if (id !== undefined) named.set("Nats-Msg-Id", id);
      await stranger.request(`brine.test.stream.${stream}`, bytes, { timeout: 5000, headers: named });
    },
    records: async (stream) => (await stored(stream)).map(({ data }) => data),
    ids: async (stream) => (await stored(stream)).map(({ header }) => header.get("Nats-Msg-Id")),
    down: () => server.stop(),
    up: () => server.start(),
    async [Symbol.asyncDispose]() {
      await stranger.close();
      await server[Symbol.asyncDispose]();
    },
  };
  return bed;
}, noNats());

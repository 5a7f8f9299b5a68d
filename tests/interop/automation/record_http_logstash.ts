/** Records what the engine `http_logstash` of a real master posts: `node tests/interop/automation/record_http_logstash.ts`. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { Bed } from "../../../bench/bed/bed.ts";
import { realSalt } from "../../../bench/bed/sides.ts";
import { pause, until } from "../../../bench/bed/until.ts";
import { sendToBus } from "../../../src/model/event/bus_client.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";

const CONFIGURATIONS: Record<string, Record<string, unknown>> = {
  none: {},
  both: { tags: ["my/*", "salt/job/*/new"], funs: ["test.ping"] },
  "tags as text": { tags: "my/a" },
  "empty lists": { tags: [], funs: [] },
  "funs as text": { funs: "test.ping" },
  "one tag": { tags: ["my/?"] },
};
const EVENTS: [string, Record<string, unknown>][] = [
  ["my/a", { n: 1, t: "ü", l: [1, { b: null }], f: 1.5 }],
  ["my/b", { n: 2, fun: "test.ping" }],
  ["my/c", { n: 3, fun: "test.arg" }],
  ["my/deep/d", { n: 4 }],
  ["your/e", { n: 5 }],
  ["salt/job/1/new", { n: 6, fun: "test.ping" }],
  ["my/f", { n: 7, fun: "test" }],
  ["my/g", { n: 8, fun: "" }],
];

const posted: Record<string, unknown[]> = Object.fromEntries(Object.keys(CONFIGURATIONS).map((name) => [name, []]));
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => body += chunk);
  request.on("end", () => {
    const { _stamp, ...data } = JSON.parse(body);
    if (data.n !== undefined) {
      const { method, headers } = request;
      posted[decodeURIComponent(request.url!.slice(1))]!.push({ method, type: headers["content-type"], data });
    }
    response.end("{}");
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
{
  await using bed = new Bed();
  await bed.startMaster(realSalt("3006")!, {
    id: "here_master",
    engines: Object.entries(CONFIGURATIONS).map(([name, more]) => ({
      [name.replaceAll(" ", "_")]: {
        engine_module: "http_logstash",
        url: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
        ...more,
      },
    })),
  });
  const { net, clock } = await currentRuntime();
  const bus = await sendToBus(net, { kind: "unix", path: bed.path("master", "run", "master_event_pull.ipc") });
  const send = ([tag, data]: [string, Record<string, unknown>]) => bus.send(packEvent(tag, data, { now: clock.now() }));
  await until("all engines listen", async () => {
    send(["my/a", { n: 0 }]);
    await pause(500);
    return Object.entries(posted).every(([name, all]) => all.length > 0 || name === "funs as text") &&
      posted["funs as text"]!.length > 0;
  });
  await pause(3000);
  for (const all of Object.values(posted)) all.length = 0;
  EVENTS.forEach(send);
  await pause(5000);
  await bus.close();
}
server.close();
const file = new URL("../../vectors/http_logstash.json", import.meta.url);
writeFileSync(
  file,
  `${JSON.stringify({ generated_with: "3006", configurations: CONFIGURATIONS, events: EVENTS, posted }, null, 1)}\n`,
);
process.exit(0);

/** The worker of docs/sdk-scripts.md, with `brine/http` as the package has it, where there is nothing but the standards of the web. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApi } from "./fleet.ts";
import { BIN, emptyDirectory, ROOT } from "./snippets.ts";
import { install } from "./tarball.ts";

const SLOW = { timeout: 240_000 };
const HOST = fileURLToPath(new URL("./edge_host.js", import.meta.url));
/** The host of the worker is Node, whose `node:vm` loads modules, whatever runs this test. */
const NODE = path.join(BIN, "node");

describe("brine/http in an edge worker", SLOW, () => {
  const root = emptyDirectory();
  const project = emptyDirectory();
  let api: Awaited<ReturnType<typeof startApi>>;
  let place: string;
  before(async () => {
    api = await startApi(root.path);
    place = await install(project.path);
  }, SLOW);
  after(async () => {
    await api?.[Symbol.asyncDispose]();
    root[Symbol.dispose]();
    project[Symbol.dispose]();
  }, SLOW);

  async function answerOf(worker: string): Promise<string> {
    const file = path.join(project.path, "worker.js");
    writeFileSync(file, worker);
    const words = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", HOST, place, file, api.url];
    return (await promisify(execFile)(NODE, words, { timeout: 60_000 })).stdout;
  }

  test("the worker of docs/sdk-scripts.md connects and runs a job", SLOW, async () => {
    const document = readFileSync(path.join(ROOT, "docs/sdk-scripts.md"), "utf8");
    const [, worker] = /^```js\n(\/\/ worker\.js\n[\s\S]*?)^```$/m.exec(document)!;
    assert.equal(await answerOf(worker!), '200 {"web1":true}\n');
  });

  test("outcomes come one by one, events are heard, an abort ends them, errors have codes", SLOW, async () => {
    const worker = `import { connect } from "brine/http";
const login = { username: "ann", password: "secret", eauth: "file" };
export default {
  async fetch(_request, { SALT_API }) {
    const told = [];
    const salt = await connect(SALT_API, { login });
    const feed = salt.events({ tag: "from/*" });
    await feed.ready();
    for await (const outcome of salt.run({ tgt: ["web1", "nobody"], fun: "test.echo", arg: ["x"] })) {
      told.push(outcome.id + " " + outcome.kind);
    }
    await salt.runner({ fun: "event.send", kwarg: { tag: "from/worker", data: { n: 1 } } });
    told.push((await feed.next()).value.data.n);
    const stop = new AbortController();
    const waits = feed.next();
    const run = salt.runner({ fun: "test.sleep", arg: [60] }, { signal: stop.signal });
    stop.abort(new Error("enough"));
    told.push(await run.catch((error) => error.message));
    await feed.return();
    told.push((await waits).done);
    told.push(await salt.jobs.one("20200101000000000000").catch((error) => error.code));
    await salt.close();
    told.push(await salt.keys.list().catch((error) => error.code));
    return Response.json(told);
  },
};
`;
    const wanted = ["web1 returned", "nobody missing", 1, "enough", true, "UNKNOWN_JOB", "CLOSED"];
    assert.equal(await answerOf(worker), `200 ${JSON.stringify(wanted)}\n`);
  });
});

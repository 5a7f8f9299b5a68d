/** nginx by texts of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs } from "../support/context.ts";
import { stateMinion, withPrograms } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";
import { withServer } from "./salt_calls/scenario.ts";

const runtime = await currentRuntime();

const BUILD =
  "nginx version: nginx/1.22.1\nbuilt with OpenSSL 3.0\nconfigure arguments: --with-cc-opt='-g -O2' --prefix=/x";
const SCRIPT = (directory: string) =>
  `case "$*" in
  -v) echo "nginx version: nginx/1.22.1" >&2;;
  -V) cat ${directory}/build >&2;;
  -t) cat ${directory}/test >&2; grep -q ok ${directory}/test;;
  "-s quit") echo "nginx: [error] no pid" >&2; exit 1;;
esac`;

test("nginx: version, build, configuration, signals", async () => {
  await inTemporary(runtime, async (directory) => {
    const { minion } = await stateMinion(withPrograms(`${directory}/bin`, { nginx: SCRIPT(directory) }), {});
    const file = (name: string, text: string) => runtime.fs.write(`${directory}/${name}`, text);
    file("build", BUILD);
    assert.equal(await minion.value("nginx.version"), "1.22.1");
    assert.deepEqual(await minion.value("nginx.build_info"), {
      info: ["nginx version: nginx/1.22.1", "built with OpenSSL 3.0"],
      "build arguments": ["--with-cc-opt='-g -O2'", "--prefix=/x"],
    });
    file("test", "syntax is ok");
    assert.deepEqual(await minion.value("nginx.configtest"), {
      comment: "Syntax OK",
      stdout: "syntax is ok",
      result: true,
    });
    file("test", "emerg");
    assert.deepEqual(await minion.value("nginx.configtest"), {
      comment: "Syntax Error",
      stderr: "emerg",
      result: false,
    });
    assert.equal(
      await minion.value("nginx.signal", "reload"),
      `Command: "${directory}/bin/nginx -s reload" completed successfully!`,
    );
    assert.equal(await minion.value("nginx.signal", "quit"), "nginx: [error] no pid");
    assert.equal(await minion.value("nginx.signal", "-c/x"), null);
    await withServer(async ({ open, closed }) => {
      assert.equal(await minion.value("nginx.status", `${open}/text`), null);
      await assert.rejects(minion.value("nginx.status", closed), /Cannot read http/);
    });
    const fetched = {
      body: "Active connections: 2 \nserver accepts handled requests\n 3 4 5 \nReading: 0 Writing: 1 Waiting: 6 \n",
    };
    const other = await stateMinion(withPrograms(`${directory}/bin`, { nginx: "" }), {}, {
      modules: {
        http: () =>
          Promise.resolve({ module: { functions: { query: { signature: "url", doc: "", run: () => fetched } } } }),
      },
    });
    assert.deepEqual(await other.minion.value("nginx.status", kwargs({ url: "http://x/" })), {
      "active connections": 2,
      accepted: 3,
      handled: 4,
      requests: 5,
      reading: 0,
      writing: 1,
      waiting: 6,
    });
  });
});

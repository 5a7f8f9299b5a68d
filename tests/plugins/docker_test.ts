/** The execution module docker against a daemon that answers as Docker 20.10 does. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { placeOf } from "../../src/plugins/docker/client.ts";
import { newContainer } from "../../src/plugins/docker/create_options.ts";
import { byteCount, isAddress, portBindings, portsOf } from "../../src/plugins/docker/option_values.ts";
import { registryOf } from "../../src/plugins/docker/registry.ts";
import { firstFile, tarOf } from "../../src/plugins/docker/tar.ts";
import { splitTag } from "../../src/plugins/modules/docker/images.ts";
import { humanSize } from "../../src/plugins/modules/docker/objects.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, type TestMinion } from "../support/context.ts";
import { type FakeAnswer, type FakeDocker, fakeDocker, framed } from "../support/fake_docker.ts";
import { stateMinion } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();

const CONTAINER = {
  Id: "a".repeat(64),
  Name: "/web1",
  State: { Running: true, Paused: false, Pid: 42, Status: "running" },
  Config: { Hostname: "h", Image: "bb:1", Env: ["B=2", "A=1"], Tty: false, StopTimeout: 3 },
  HostConfig: { AutoRemove: false, Links: ["/db:/web1/db"], Memory: 0 },
  NetworkSettings: { Ports: { "80/tcp": [{ HostIp: "", HostPort: "8080" }], "53/udp": null }, Networks: {} },
};

const STOPPED = { ...CONTAINER, State: { ...CONTAINER.State, Running: false, Status: "exited", ExitCode: 3 } };

interface Bed {
  docker: FakeDocker;
  minion: TestMinion;
  directory: string;
}

/** A minion beside a daemon. @param table `GET /path`, without its query → the answers, the last one again and again */
async function withDocker(table: Record<string, FakeAnswer[]>, use: (bed: Bed) => Promise<void>): Promise<void> {
  await inTemporary(runtime, async (directory) => {
    const docker = await fakeDocker(directory, (method, path) => {
      const list = table[`${method} ${path.split("?")[0]}`];
      return list !== undefined && list.length > 1 ? list.shift() : list?.[0];
    });
    try {
      const { minion } = await stateMinion({ DOCKER_HOST: docker.url, HOME: directory }, {}, { master: null });
      await use({ docker, minion, directory });
    } finally {
      await docker.close();
    }
  });
}

const at = (...values: unknown[]): FakeAnswer[] => values.map((json) => ({ json }));

describe("docker", () => {
  for (const how of ["length", "chunked", "close"] as const) {
    test(`an answer is read as it comes: ${how}`, async () => {
      await withDocker({ "GET /info": [{ json: { Name: "höst", ID: "x".repeat(50) }, how }] }, async ({ minion }) => {
        assert.deepEqual(await minion.value("docker.info"), { Name: "höst", ID: "x".repeat(50) });
      });
    });
  }

  test("containers: listed, looked at, started and stopped", async () => {
    const list = [
      { Id: "1", Names: ["/web1"], Status: "Up 2 hours", Created: 0, Image: "bb:1" },
      { Id: "2", Names: ["/old"], Status: "Exited (0)", Created: 0, Image: "bb:1" },
    ];
    const name = "/containers/web1";
    const states = [...Array.from({ length: 5 }, () => CONTAINER), STOPPED];
    await withDocker({
      "GET /containers/json": at(list),
      [`GET ${name}/json`]: at(...states),
      [`POST ${name}/stop`]: [{ status: 204 }],
      [`GET ${name}/changes`]: at([{ Path: "/x", Kind: 1 }, { Path: "/y", Kind: 2 }]),
      [`GET ${name}/top`]: at({ Titles: ["PID", "CMD"], Processes: [["1", "sleep"]] }),
    }, async ({ minion, docker }) => {
      assert.deepEqual(Object.keys(await minion.value("docker.ps") as object), ["1"]);
      assert.deepEqual(await minion.value("docker.list_containers", kwargs({ all: true })), ["old", "web1"]);
      assert.deepEqual(await minion.value("docker.port", "web1", 80), { "80/tcp": [{ HostIp: "", HostPort: "8080" }] });
      assert.equal(await minion.value("docker.state", "web1"), "running");
      assert.deepEqual(await minion.value("docker.stop", "web1"), {
        result: true,
        state: { old: "running", new: "stopped" },
      });
      assert.ok(docker.requests.some(([method, path]) => method === "POST" && path === `${name}/stop?t=3`));
      assert.deepEqual(await minion.value("docker.diff", "web1"), { Added: ["/x"], Deleted: ["/y"] });
      assert.deepEqual(await minion.value("docker.top", "web1"), [{ PID: "1", CMD: "sleep" }]);
      await assert.rejects(minion.value("docker.inspect_container", "none"), /Error 404: No such thing/);
      assert.equal(await minion.value("docker.exists", "none"), false);
      await assert.rejects(minion.value("docker.port", "web1", "80/x"), /Invalid private_port '80\/x'/);
    });
  });

  test("names lead nowhere else in the API", async () => {
    await withDocker({}, async ({ minion, docker }) => {
      for (const [fun, name] of [["inspect_container", "../info"], ["inspect_volume", "a/../../x?y#z"]]) {
        await assert.rejects(minion.value(`docker.${fun}`, name), /Error 404/);
      }
      await assert.rejects(minion.value("docker.inspect_image", "a/../../info"), /is not a name in Docker/);
      await assert.rejects(minion.value("docker.remove_network", ".."), /is not a name in Docker/);
      await assert.rejects(
        minion.value("docker.create_network", "n", kwargs({ subnet: "10.0.0.1/24" })),
        /is not a valid subnet/,
      );
      await assert.rejects(minion.value("docker.create_network", "n", kwargs({ drivr: "x" })), /has no option 'drivr'/);
      assert.deepEqual(docker.requests.map(([, path]) => path), [
        "/containers/..%2Finfo/json",
        "/volumes/a%2F..%2F..%2Fx%3Fy%23z",
      ]);
    });
  });

  test("programs run word by word; what they print is told apart", async () => {
    await withDocker({
      "GET /containers/web1/json": at(CONTAINER),
      "POST /containers/web1/exec": at({ Id: "e1" }),
      "POST /exec/e1/start": [{ bytes: framed([1, "out\n"], [2, "err\n"], [1, "more\n"]), how: "close" }],
      "GET /exec/e1/json": at({ ExitCode: 3, Pid: 7 }),
    }, async ({ minion, docker }) => {
      const command = "sh -c 'echo $A; exit 3' | x";
      assert.deepEqual(await minion.value("docker.run_all", "web1", command), {
        pid: 7,
        retcode: 3,
        stdout: "out\nmore",
        stderr: "err",
      });
      const [, , body] = docker.requests.find(([, path]) => path === "/containers/web1/exec")!;
      assert.deepEqual((body as { Cmd: string[] }).Cmd, ["sh", "-c", "echo $A; exit 3", "|", "x"]);
      assert.equal(await minion.value("docker.run", "web1", "x"), "out\nerr\nmore");
      assert.equal(await minion.value("docker.retcode", "web1", "x"), 3);
      await assert.rejects(minion.value("docker.run", "web1", "x", kwargs({ stdin: "y" })), /stdin is not supported/);
      await assert.rejects(minion.value("docker.call", "web1", "test.ping"), /by a Python in the container/);
    });
  });

  test("a program that cannot be started is told of as an error", async () => {
    const said = 'OCI runtime exec failed: exec failed: exec: "x": executable file not found in $PATH: unknown';
    await withDocker({
      "GET /containers/web1/json": at(CONTAINER),
      "POST /containers/web1/exec": at({ Id: "e1" }),
      "POST /exec/e1/start": [{ bytes: framed([1, `${said}\r\n`]), how: "close" }],
      "GET /exec/e1/json": at({ ExitCode: 126, Pid: 0 }),
    }, async ({ minion }) => {
      const want = { pid: 0, retcode: 127, stdout: "", stderr: said };
      assert.deepEqual(await minion.value("docker.run_all", "web1", "x"), want);
    });
  });

  test("docker.create and run_container: the body, the logs, and a name that is taken", async () => {
    await withDocker({
      "GET /images/bb:1/json": at({ Id: "i" }),
      "GET /images/bb%3A1/json": at({ Id: "i" }),
      "POST /containers/create": at({ Id: "c1", Warnings: [] }),
      "GET /containers/c1/json": at(STOPPED, STOPPED, CONTAINER, STOPPED),
      "POST /containers/c1/start": [{ status: 204 }],
      "GET /containers/c1/logs": [{ bytes: framed([1, "hello\n"]), how: "chunked" }],
      "POST /containers/c1/wait": at({ StatusCode: 3 }),
      "GET /containers/taken/json": at(CONTAINER),
    }, async ({ minion, docker }) => {
      const options = { name: "r1", cmd: "echo 'a b'", env: { A: 1 }, publish: "8080:80", binds: "/tmp:/mnt:ro" };
      const { Time_Elapsed: time, ...ran } = await minion.value(
        "docker.run_container",
        "bb:1",
        kwargs(options),
      ) as Record<
        string,
        unknown
      >;
      assert.equal(typeof time, "number");
      assert.deepEqual(ran, { Id: "c1", Warnings: [], Name: "r1", Logs: "hello\n", ExitCode: 3 });
      const [, path, body] = docker.requests.find(([, one]) => one.startsWith("/containers/create"))!;
      assert.equal(path, "/containers/create?name=r1");
      const { HostConfig: host, ...config } = body as Record<string, Record<string, unknown>>;
      assert.deepEqual([config.Cmd, config.Env, config.ExposedPorts, config.Volumes], [
        ["echo", "a b"],
        ["A=1"],
        { "80/tcp": {} },
        { "/mnt": {} },
      ]);
      assert.deepEqual(host, {
        NetworkMode: "default",
        PortBindings: { "80/tcp": [{ HostIp: "", HostPort: "8080" }] },
        Binds: ["/tmp:/mnt:ro"],
      });
      await assert.rejects(
        minion.value("docker.run_container", "bb:1", kwargs({ name: "taken" })),
        /Container 'taken' exists and is running\. Run with replace=True and force=True/,
      );
      await assert.rejects(
        minion.value("docker.create", "bb:1", kwargs({ dns: "x", cpu_shares: "y" })),
        /Failed to translate input/,
      );
    });
  });

  test("images: pulled, named, written and read", async () => {
    const events = [
      '{"status":"Pull complete","id":"l1"}',
      '{"status":"Already exists","id":"l2"}',
      '{"status":"Status: Done"}',
    ];
    await withDocker({
      "GET /images/json": at([{ Id: "sha256:1", RepoTags: ["a:1"], Created: 0, Size: 2048, ParentId: "" }]),
      "POST /images/create": [
        { bytes: new TextEncoder().encode(`${events.join("\r\n")}\r\n`), how: "chunked" },
        { json: { errorDetail: { message: "no such image" } } },
        { json: { status: "sha256:abc" } },
      ],
      "GET /images/a%3A1/json": at({ Id: "sha256:1", RepoTags: ["a:1"], Size: 2048 }),
      "GET /images/a%3A1/get": [{ bytes: Uint8Array.from([1, 2, 3]), how: "chunked" }],
      "DELETE /images/sha256%3A1": [{ status: 409, json: { message: "in use" } }],
      "GET /containers/json": at([]),
    }, async ({ minion, docker, directory }) => {
      const pulled = await minion.value("docker.pull", "host:5000/a:1") as Record<string, unknown>;
      assert.deepEqual([pulled.Layers, pulled.Status, pulled.retcode], [
        { Pulled: ["l1"], Already_Pulled: ["l2"] },
        "Done",
        0,
      ]);
      assert.ok(docker.requests.some(([, path]) => path === "/images/create?fromImage=host%3A5000%2Fa&tag=1"));
      const failed = await minion.value("docker.pull", "b") as Record<string, unknown>;
      assert.deepEqual([failed.Errors, failed.retcode], [["no such image"], 1]);
      runtime.fs.write(`${directory}/in.tar`, Uint8Array.from([0, 255, 1]));
      const made = await minion.value("docker.import", `${directory}/in.tar`, "c", "2") as Record<string, unknown>;
      assert.deepEqual([made.Image, made.Id], ["c:2", "sha256:abc"]);
      assert.equal(docker.requests.at(-1)![2], "\x00\xff\x01");
      const saved = await minion.value("docker.save", "a:1", `${directory}/out.tar`) as Record<string, unknown>;
      assert.deepEqual([saved.Size, runtime.fs.read(`${directory}/out.tar`).join()], [3, "1,2,3"]);
      await assert.rejects(minion.value("docker.save", "a:1", `${directory}/out.tar`), /already exists/);
      const left = await minion.value("docker.rmi", "a:1") as Record<string, unknown>;
      assert.deepEqual([left.Errors, left.retcode], [["in use"], 1]);
      assert.deepEqual(await minion.value("docker.resolve_tag", "a:1", kwargs({ all: true })), ["a:1"]);
      assert.equal(await minion.value("docker.resolve_image_id", "none"), false);
    });
  });

  test("what is no answer of HTTP, and nobody there", async () => {
    await inTemporary(runtime, async (directory) => {
      const { minion } = await stateMinion({ DOCKER_HOST: `unix://${directory}/none` }, {}, { master: null });
      await assert.rejects(minion.value("docker.info"), /Unable to reach Docker at localhost/);
      for (
        const answer of [
          "SSH-2.0\r\n\r\n",
          "HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\n{",
          "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ]
      ) {
        const listener = await runtime.net.listen({ kind: "unix", path: `${directory}/d` }, (connection) => {
          connection.start({
            onData: () => {
              connection.write(new TextEncoder().encode(answer));
              connection.end();
            },
            onClose: () => {},
          });
        });
        const other = await stateMinion({ DOCKER_HOST: `unix://${directory}/d` }, {}, { master: null });
        await assert.rejects(other.minion.value("docker.info"));
        await listener.close();
      }
    });
  });
});

test("addresses of a daemon", () => {
  assert.deepEqual(placeOf("unix:///x/y").address, { kind: "unix", path: "/x/y" });
  assert.deepEqual(placeOf("tcp://[::1]:5").address, { kind: "tcp", host: "::1", port: 5 });
  assert.deepEqual(placeOf("https://h/"), { address: { kind: "tcp", host: "h", port: 2376 }, tls: true, host: "h" });
  for (const wrong of ["", "ftp://x", "tcp://", "h:1"]) assert.throws(() => placeOf(wrong), /Cannot use/, wrong);
});

test("options of containers as people write them", () => {
  assert.deepEqual(portBindings("80, 127.0.0.1:8000-8001:90-91/udp, 127.0.0.1::70", true), {
    "80/tcp": [{ HostIp: "", HostPort: "" }],
    "90/udp": [{ HostIp: "127.0.0.1", HostPort: "8000" }],
    "91/udp": [{ HostIp: "127.0.0.1", HostPort: "8001" }],
    "70/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }],
  });
  for (const wrong of ["", ":80", "80:", "1:2:3:4", "x", "9-8", "1-2:5"]) {
    assert.throws(() => portBindings([wrong], true), /port/, wrong);
  }
  assert.deepEqual(portsOf([80, "53/udp", "1-2"]), ["80/tcp", "53/udp", "1/tcp", "2/tcp"]);
  assert.deepEqual([byteCount(5), byteCount("1k"), byteCount("512m"), byteCount("1.5GB")], [
    5,
    1024,
    512 << 20,
    1.5 * 2 ** 30,
  ]);
  assert.deepEqual(["1.2.3.4", "256.1.1.1", "1.2.3", "::1", "x"].map(isAddress), [true, false, false, true, false]);
  assert.deepEqual(newContainer("i", { odd: 1, label: ["a=b", "c"] }).unknown, ["odd"]);
  assert.throws(() => newContainer("i", { env: "A=1", environment: "B=2" }), /same option/);
  assert.deepEqual(["a", "a/b", "h:5/a", "localhost/a", "h.x/a"].map(registryOf).map((one) => one.slice(0, 8)), [
    "https://",
    "https://",
    "h:5",
    "localhos",
    "h.x",
  ]);
  assert.deepEqual(splitTag("h:5/a"), { repository: "h:5/a", tag: undefined });
  assert.deepEqual([0, 1024, 1536 * 1024].map(humanSize), ["0 bytes", "1.0 KiB", "1.5 MiB"]);
});

test("an archive of one file, in pieces of any size", async () => {
  const content = Uint8Array.from({ length: 1300 }, (_, index) => index % 251);
  const whole = [...tarOf("x", content.length, [content])].flatMap((piece) => [...piece]);
  for (const size of [1, 7, 512, 513, 5000]) {
    const pieces = async function* () {
      for (let from = 0; from < whole.length; from += size) yield Uint8Array.from(whole.slice(from, from + size));
      await Promise.resolve();
    };
    const read: number[] = [];
    for await (const piece of firstFile(pieces())) read.push(...piece);
    assert.deepEqual(read, [...content], `${size}`);
  }
});

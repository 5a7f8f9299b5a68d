/** Permissions: what real Salt decides over the recorded cases, and logins across a fleet of both. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Daemon } from "./daemon.ts";
import { Fleet, idOf } from "./fleet.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt, type Kind, type Release, RELEASES } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return undefined;
}

const releases: readonly Release[] = mode === "full" ? RELEASES : ["3006"];

function recorded(release: Release): void {
  test(`the recorded permissions are those of Salt ${release}`, () => {
    const missing = installSalt(release);
    assert.equal(missing, undefined);
    const input = readFileSync(fileURLToPath(new URL("../vectors/acl.json", import.meta.url)), "utf8");
    const program = fileURLToPath(new URL("./acl_reference.py", import.meta.url));
    const { status, stdout, stderr } = spawnSync(saltProgram(release, "python"), ["-W", "ignore", program], {
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).cases, JSON.parse(input).cases);
  });
}

const USERS = "alice:wonder\nrita:rrr\nnadia:nnn\n";

function logins(master: Kind, cli: Kind): void {
  const name = (kind: Kind) => kind === "brine" ? "brine" : `Salt ${kind}`;
  const missing = [master, cli].filter((kind): kind is Release => kind !== "brine")
    .map((release) => installSalt(release)).find((why) => why !== undefined);
  const title = `logins of ${name(cli)}'s programs at a ${name(master)} master`;
  if (missing !== undefined) {
    test(title, { skip: `NOT TESTED: ${missing}` }, () => {});
    return;
  }
  describe(title, { concurrency: 1 }, () => {
    const minion: Kind = "brine";
    const fleet = new Fleet({
      master,
      minions: [minion],
      masterOptions: (directory) => ({
        token_file: path.join(directory, "token"),
        netapi_enable_clients: ["local", "runner", "wheel"],
        external_auth: {
          file: {
            "^filename": path.join(directory, "users"),
            alice: [".*", "@runner", "@wheel"],
            rita: ["test.ping", { "@runner": ["test.arg"] }],
          },
        },
      }),
    });
    writeFileSync(fleet.path("users"), USERS);
    before(() => fleet.start());
    after(() => fleet.stop());
    const as = (user: string, password: string) => ["-a", "file", "--username", user, "--password", password];
    const salt = (...words: string[]) => fleet.salt(cli, [...words, "--out", "json"]);

    test("who may, may", async () => {
      const answer = await salt(...as("rita", "rrr"), "*", "test.ping");
      assert.equal(answer.code, 0, fleet.report(answer.stdout + answer.stderr));
      assert.deepEqual(JSON.parse(answer.stdout), { [idOf(minion)]: true });
    });

    test("who may not, and who is nobody, is told so", async () => {
      const denied = await salt(...as("rita", "rrr"), "*", "cmd.run", "id");
      assert.match(denied.stdout + denied.stderr, /Authorization error occurred/, fleet.report(denied.stdout));
      assert.doesNotMatch(denied.stdout, /uid=/);
      for (const [user, password] of [["rita", "wrong"], ["nobody", "rrr"]] as const) {
        const refused = await salt(...as(user, password), "*", "test.ping");
        assert.match(refused.stdout + refused.stderr, /Authentication error occurred/, fleet.report(refused.stdout));
        assert.doesNotMatch(refused.stdout, /true/);
      }
      const nothing = await salt(...as("nadia", "nnn"), "*", "test.ping");
      assert.match(nothing.stdout + nothing.stderr, /Authorization error occurred/);
    });

    test("a runner of the master's", async () => {
      const run = (...words: string[]) => fleet.program(cli, "salt-run", ["--out", "json", ...words]);
      const answer = await run(...as("rita", "rrr"), "test.arg", "one", "two=2");
      const { args, kwargs } = JSON.parse(answer.stdout) as { args: unknown[]; kwargs: Record<string, unknown> };
      assert.deepEqual([args, kwargs.two], [["one"], 2], fleet.report(answer.stdout + answer.stderr));
      const denied = await run(...as("rita", "rrr"), "manage.up");
      assert.match(denied.stdout + denied.stderr, /Authentication failure of type .+ for user rita/);
    });
  });
}

/** Real Salt's HTTP API as a client of our master. */
function api(release: Release): void {
  const title = `salt-api of Salt ${release} at a brine master`;
  const missing = installSalt(release);
  const { status } = missing === undefined
    ? spawnSync(saltProgram(release, "python"), ["-c", "import cherrypy"])
    : { status: 1 };
  if (status !== 0) {
    test(title, { skip: `NOT TESTED: ${missing ?? "its environment has no CherryPy"}` }, () => {});
    return;
  }
  describe(title, { concurrency: 1 }, () => {
    const port = 18_000 + Math.floor(Math.random() * 1000);
    const fleet = new Fleet({
      master: "brine",
      minions: ["brine"],
      masterOptions: (directory) => ({
        rest_cherrypy: { port, host: "127.0.0.1", disable_ssl: true },
        netapi_enable_clients: ["local", "local_async", "local_batch", "runner", "wheel"],
        external_auth: {
          file: { "^filename": path.join(directory, "users"), alice: [".*", "@runner", "@wheel"], rita: ["test.ping"] },
        },
      }),
    });
    writeFileSync(fleet.path("users"), USERS);
    let server: Daemon;
    const url = `http://127.0.0.1:${port}`;
    before(async () => {
      await fleet.start();
      const argv = [saltProgram(release, "salt-api"), "-c", fleet.path("master", "etc")];
      server = new Daemon(`${release} salt-api`, argv, [fleet.path("api-out")]);
      await fleet.until("salt-api listens", () => fetch(url).then(() => true, () => false));
    });
    after(async () => {
      await server?.stop();
      await fleet.stop();
    });
    const post = async (place: string, body: unknown, token = "") => {
      const response = await fetch(url + place, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...token && { "x-auth-token": token },
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      // deno-lint-ignore no-explicit-any
      return { status: response.status, text, json: (): any => JSON.parse(text) };
    };
    const login = async (username: string, password: string) =>
      (await post("/login", { username, password, eauth: "file" })).json().return[0].token as string;

    test("jobs, runners and wheel functions", async () => {
      const token = await login("alice", "wonder");
      const call = async (low: Record<string, unknown>) => (await post("/", [low], token)).json().return[0];
      assert.deepEqual(await call({ client: "local", tgt: "*", fun: "test.ping" }), { brine: true });
      assert.deepEqual(await call({ client: "local_batch", tgt: "*", fun: "test.ping" }), { brine: true });
      const { jid, minions } = await call({ client: "local_async", tgt: "*", fun: "test.ping" });
      assert.match(jid, /^\d{20}$/);
      assert.deepEqual(minions, ["brine"]);
      assert.deepEqual((await call({ client: "runner", fun: "test.arg", arg: ["a"], kwarg: { b: [1] } })).args, ["a"]);
      assert.match(
        await call({ client: "runner", fun: "error.error", name: "Exception", message: "boom" }),
        /Exception: boom/,
      );
      const { data } = await call({ client: "wheel", fun: "key.list_all" });
      assert.deepEqual([data.success, data.user, data.return.minions], [true, "alice", ["brine"]]);
      assert.deepEqual((await call({ client: "wheel", fun: "minions.connected" })).data.return, ["brine"]);
    });

    test("nothing for who may not", async () => {
      const token = await login("rita", "rrr");
      for (
        const low of [
          { client: "local", tgt: "*", fun: "cmd.run", arg: ["id"] },
          { client: "runner", fun: "manage.up" },
          { client: "wheel", fun: "key.list_all" },
        ]
      ) assert.equal((await post("/", [low], token)).status, 401, JSON.stringify(low));
      assert.equal((await post("/login", { username: "rita", password: "x", eauth: "file" })).status, 401);
    });
  });
}

const skip = whyNot();
if (skip !== undefined) test("permissions against real Salt", { skip }, () => {});
else {
  for (const release of releases) {
    recorded(release);
    logins("brine", release);
    logins(release, "brine");
    api(release);
  }
}

/** Files between every mix of master and minion in which ours meets real Salt's: `cp`, `cmd.script`, `salt-cp`, `salt-call`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { type CommandResult, runCommand } from "../../bench/bed/run_command.ts";
import { commandOf, RUNTIME } from "./daemon.ts";
import { Fleet, idOf } from "./fleet.ts";
import { MATRICES, type Mix } from "./mixes.ts";
import { installSalt, type Kind, type Release } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";

function whyNot(): string | undefined {
  if (mode === "") return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  if (process.platform === "win32") return "NOT TESTED AGAINST REAL SALT: its masters do not run on Windows";
  return undefined;
}

const nameOf = (kind: Kind) => kind === "brine" ? "our" : kind;

/** Three pieces and a part of one: more than one reply, and bytes that are no text. */
const LARGE = randomBytes(3 * 1024 * 1024 + 12_345);
const FILES: Record<string, string | Uint8Array> = {
  "hello.txt": "hello\nzoë\n",
  "large.bin": LARGE,
  "empty.txt": "",
  "sub/deep/inner.txt": "inner\n",
  "sub/web.sls": "x: y\n",
  "script.sh": '#!/bin/sh\necho "script $1"\n',
};

function fileSuite(mix: Mix): void {
  const title = `${nameOf(mix.master)} master with ${mix.minions.map(nameOf).join(", ")} minions`;
  const reasons = [...new Set([mix.master, ...mix.minions, ...mix.clis])]
    .filter((kind): kind is Release => kind !== "brine")
    .map((release) => installSalt(release)).filter((reason) => reason !== undefined);
  if (reasons.length > 0) return void test(title, { skip: `NOT TESTED: ${reasons.join("; ")}` }, () => {});

  describe(title, { concurrency: 1 }, () => {
    const fleet = new Fleet({
      ...mix,
      masterOptions: (directory) => ({
        file_roots: { base: [`${directory}/srv`] },
        file_recv: true,
        file_recv_max_size: 10,
      }),
    });
    const [cli] = mix.clis;
    before(async () => {
      for (const [path, content] of Object.entries(FILES)) {
        const full = fleet.path("srv", path);
        mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
        writeFileSync(full, content);
      }
      mkdirSync(fleet.path("srv", "sub", "none"));
      await fleet.start();
    });
    after(() => fleet.stop());

    const explained = (answer: CommandResult, check: () => void) => {
      try {
        check();
      } catch (error) {
        const { command, code, stdout, stderr } = answer;
        const run = `$ ${command}\nexit ${code}\n${stdout.slice(0, 2000)}${stderr.slice(0, 2000)}`;
        throw new Error(fleet.report(`${(error as Error).message.slice(0, 2000)}\n${run}`), { cause: error });
      }
    };
    /** Runs a function on one minion: its return. */
    const call = async (id: string, words: string[], want: unknown): Promise<void> => {
      const answer = await fleet.salt(cli!, [id, ...words, "--out=json", "--static"]);
      explained(answer, () => assert.deepEqual(JSON.parse(answer.stdout), { [id]: want }));
    };

    for (const kind of mix.minions) {
      const id = idOf(kind);
      const name = `${nameOf(kind)} minion`;
      const to = (path: string) => fleet.path(id, path);

      test(`${name}: cp.get_file, plain and compressed, of files of every size`, async () => {
        for (const [path, content] of Object.entries(FILES)) {
          for (const more of [[], ["gzip=5"]]) {
            const target = to(`got/${path}`);
            rmSync(target, { force: true });
            await call(id, ["cp.get_file", `salt://${path}`, target, "makedirs=True", ...more], target);
            assert.ok(readFileSync(target).equals(Buffer.from(content as string)), `${path} ${more}`);
          }
        }
        await call(id, ["cp.get_file", "salt://nope", to("nope")], "");
        assert.ok(!existsSync(to("nope")));
      });

      test(`${name}: lists, hashes, cache`, async () => {
        await call(id, ["cp.list_master"], Object.keys(FILES).sort());
        await call(id, ["cp.list_master_dirs"], ["sub", "sub/deep", "sub/none"]);
        await call(id, ["cp.list_states"], ["sub.web"]);
        await call(id, ["cp.envs"], ["base"]);
        await call(id, ["cp.get_file_str", "salt://hello.txt"], FILES["hello.txt"]);
        await call(id, ["cp.is_cached", "salt://sub/web.sls"], "");
        const cached = to("cache/files/base/sub/web.sls");
        await call(id, ["cp.cache_file", "salt://sub/web.sls"], cached);
        await call(id, ["cp.is_cached", "salt://sub/web.sls"], cached);
        assert.equal(readFileSync(cached, "utf8"), FILES["sub/web.sls"]);
        await call(id, ["cp.stat_file", "salt://hello.txt"], "0644");
        await call(id, ["cp.get_dir", "salt://sub", to("dir")], [
          to("dir/sub/deep/inner.txt"),
          to("dir/sub/none"),
          to("dir/sub/web.sls"),
        ]);
        assert.ok(statSync(to("dir/sub/none")).isDirectory());
      });

      test(`${name}: cmd.script of the master`, async () => {
        const answer = await fleet.salt(cli!, [id, "cmd.script", "salt://script.sh", "here", "--out=json", "--static"]);
        explained(answer, () => {
          const { retcode, stdout } = JSON.parse(answer.stdout)[id];
          assert.deepEqual({ retcode, stdout }, { retcode: 0, stdout: "script here" });
        });
      });

      test(`${name}: cp.push`, async () => {
        writeFileSync(to("pushed.bin"), LARGE);
        await call(id, ["cp.push", to("pushed.bin"), "upload_path=/up/pushed.bin"], true);
        assert.ok(readFileSync(fleet.path("master", "cache", "minions", id, "files/up/pushed.bin")).equals(LARGE));
      });

      test(`${name}'s salt-call: cp with its master`, async () => {
        const target = to("called.bin");
        const words = ["-c", to("etc"), "cp.get_file", "salt://large.bin", target, "--out=json"];
        const answer = await runCommand([...commandOf(kind, "salt-call"), ...words]);
        explained(answer, () => {
          assert.deepEqual(JSON.parse(answer.stdout), { local: target });
          assert.ok(readFileSync(target).equals(LARGE));
        });
      });

      test(`${name}'s salt-call --local: cp from file_roots`, async () => {
        const words = ["-c", to("etc"), "--local", "--file-root", fleet.path("srv"), "cp.get_file_str"];
        const answer = await runCommand([...commandOf(kind, "salt-call"), ...words, "salt://hello.txt", "--out=json"]);
        explained(answer, () => assert.deepEqual(JSON.parse(answer.stdout), { local: FILES["hello.txt"] }));
      });
    }

    for (const kind of mix.clis) {
      test(`${nameOf(kind)} salt-cp, whole and in chunks`, async () => {
        const place = fleet.path(`copied-${kind}`);
        mkdirSync(place);
        const run = async (words: string[], want: Record<string, boolean>) => {
          const answer = await fleet.program(kind, "salt-cp", ["--out=json", ...words]);
          explained(answer, () => {
            assert.equal(answer.code, 0);
            assert.deepEqual(JSON.parse(answer.stdout), Object.fromEntries(fleet.ids.map((id) => [id, want])));
          });
        };
        await run(["*", fleet.path("srv/hello.txt"), `${place}/h`], { [`${place}/h`]: true });
        assert.equal(readFileSync(`${place}/h`, "utf8"), FILES["hello.txt"]);
        writeFileSync(fleet.path("some.bin"), LARGE.subarray(0, 250_000));
        await run(["-C", "*", fleet.path("some.bin"), `${place}/b`], { [`${place}/b`]: true });
        if (mix.minions.length === 1) assert.ok(readFileSync(`${place}/b`).equals(LARGE.subarray(0, 250_000)));
        await run(["-C", "*", fleet.path("srv/sub"), place], {
          [`${place}/sub/deep/inner.txt`]: true,
          [`${place}/sub/none`]: true,
          [`${place}/sub/web.sls`]: true,
        });
        assert.equal(readFileSync(`${place}/sub/deep/inner.txt`, "utf8"), "inner\n");
      });
    }
  });
}

const reason = whyNot();
if (reason !== undefined) test("interop of files", { skip: reason }, () => {});
else {
  const matrix = MATRICES[mode];
  if (matrix === undefined) {
    throw new RangeError(`Unknown BRINE_INTEROP "${mode}": expected one of ${Object.keys(MATRICES).join(", ")}`);
  }
  describe(`interop of files, ${mode}, ours on ${RUNTIME}`, { concurrency: 2 }, () => {
    for (const mix of matrix()) fileSuite(mix);
  });
}

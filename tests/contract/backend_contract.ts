/** What every {@link Backend} promises the gateway, however it reaches the master; fakes included. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { type Backend, MasterDownError, RefusedError } from "../../src/host/gateway/mod.ts";
import type { GuardedBackend, OpenBackend } from "../../src/host/gateway/backend/guarded_backend.ts";
import type { TokenRecord } from "../../src/client/mod.ts";
import type { BusEvent } from "../../src/model/event/bus.ts";

const TIMEOUT = { timeout: 60_000 };

export interface BackendUnderTest {
  /** Before a master whose minions are `web1` and `db1`, and where the user may do everything. */
  backend: GuardedBackend & Partial<OpenBackend>;
  /** The same before no master. */
  absent: GuardedBackend;
  credentials: { eauth: string; username: string; password: string };
  /** Disposes both. */
  close(): Promise<void>;
}

/** The part of a backend that can be disposed; undefined for a guarded one, which its gateway does not own. */
const disposable = (backend: unknown) =>
  Symbol.asyncDispose in (backend as object) ? backend as Pick<Backend, typeof Symbol.asyncDispose> : undefined;

export function backendContract(name: string, open: () => Promise<BackendUnderTest>): void {
  describe(`${name} Backend`, TIMEOUT, () => {
    let made: BackendUnderTest;
    let record: TokenRecord;
    before(async () => {
      made = await open();
      await until(() => made.backend.up);
      record = (await made.backend.login(made.credentials))!;
    }, TIMEOUT);
    after(() => made.close(), TIMEOUT);

    const options = { timeoutMs: 5000, gatherMs: 5000 };
    const valid = () => ({ token: record.token });
    const ping = (tgt: string, credentials: Record<string, unknown> = valid()) => ({
      tgt,
      fun: "test.ping",
      credentials,
    });
    const isRefusal = (error: unknown) => error instanceof RefusedError && error.kind === "authentication";

    test("login() creates a token that token() accepts, with its user and expiry", TIMEOUT, async () => {
      assert.match(record.token, /^[\x21-\x7e]+$/);
      assert.equal(record.name, made.credentials.username);
      assert.equal(record.eauth, made.credentials.eauth);
      assert.ok(record.expire > record.start, `${record.start} to ${record.expire}`);
      const known = await made.backend.token(record.token);
      assert.deepEqual([known?.token, known?.name, known?.expire], [record.token, record.name, record.expire]);
    });

    test("login() returns undefined for a wrong password, and token() for an unknown token", TIMEOUT, async () => {
      const { backend, credentials } = made;
      assert.equal(await backend.login({ ...credentials, password: "wrong" }), undefined);
      assert.equal(await backend.token("f".repeat(40)), undefined);
    });

    test("revoke() ends a token, and does not reject for an unknown one", TIMEOUT, async () => {
      const { backend, credentials } = made;
      if (backend.revoke === undefined) return;
      const { token } = (await backend.login(credentials))!;
      await backend.revoke(token);
      assert.equal(await backend.token(token), undefined);
      await backend.revoke(token);
      await backend.revoke("f".repeat(40));
    });

    test("publish() returns the jid and the minions, or undefined if none matches", TIMEOUT, async () => {
      const published = await made.backend.publish(ping("web1"));
      assert.match(published!.jid, /^\d{20}$/);
      assert.deepEqual(published!.minions, ["web1"]);
      assert.equal(await made.backend.publish(ping("nobody*")), undefined);
    });

    test("preview() returns the minions of a job, or undefined where the master has no previews", TIMEOUT, async () => {
      const found = await made.backend.preview(ping("web1"));
      if (made.backend.isBrine) assert.deepEqual(found?.minions, ["web1"]);
      else assert.equal(found, undefined);
    });

    test("run() yields an outcome for each minion, then returns what was published", TIMEOUT, async () => {
      const outcomes = made.backend.run(ping("web1"), options);
      const { value: outcome } = await outcomes.next();
      assert.ok(outcome !== undefined && "kind" in outcome && outcome.kind === "returned");
      assert.deepEqual([outcome.id, outcome.return], ["web1", true]);
      const end = await outcomes.next();
      assert.equal(end.done, true);
      const published = end.value as { jid: string; minions: string[] };
      assert.match(published.jid, /^\d{20}$/);
      assert.deepEqual([published.jid, published.minions], [outcome.jid, ["web1"]]);
    });

    test("run() returns undefined without an outcome if no minion matches", TIMEOUT, async () => {
      assert.deepEqual(await made.backend.run(ping("nobody*"), options).next(), { done: true, value: undefined });
    });

    test("run() can be left at its first outcome", TIMEOUT, async () => {
      for await (const { id } of made.backend.run(ping("web1"), options)) {
        assert.equal(id, "web1");
        break;
      }
    });

    test("batch() yields the outcome of each minion", TIMEOUT, async () => {
      const ended: string[] = [];
      for await (const event of made.backend.batch(ping("web1"), { ...options, size: "1" })) {
        if (event.kind === "ended") ended.push(event.outcome.id);
      }
      assert.deepEqual(ended, ["web1"]);
    });

    test("subset() returns at most so many minions that have the function", TIMEOUT, async () => {
      assert.deepEqual(await made.backend.subset(ping("web1"), 3, options), ["web1"]);
      assert.deepEqual(await made.backend.subset(ping("web1"), 0, options), []);
    });

    test("startRunner() returns tag and jid; runner() the event with the return", TIMEOUT, async () => {
      const request = { fun: "test.arg", arg: ["a"], kwarg: {}, credentials: valid() };
      const { tag, jid } = await made.backend.startRunner(request);
      assert.match(jid, /^\d{20}$/);
      assert.equal(tag, `salt/run/${jid}`);
      const { data } = await made.backend.runner(request, { timeoutMs: 30_000 });
      assert.equal(data.success, true);
      assert.deepEqual((data.return as { args: unknown }).args, ["a"]);
    });

    test("wheel() returns tag and data of a function that has ended", TIMEOUT, async () => {
      const kwarg = { match: "web1" };
      const { tag, data } = await made.backend.wheel({ fun: "key.finger", kwarg, credentials: valid() });
      assert.match(tag, /^salt\/wheel\/\d{20}$/);
      assert.deepEqual([data.success, tag.endsWith(String(data.jid))], [true, true]);
    });

    test("an unknown token is refused everywhere", TIMEOUT, async () => {
      const { backend } = made;
      const credentials = { token: "f".repeat(40) };
      const request = { fun: "test.arg", arg: [], kwarg: {}, credentials };
      await assert.rejects(backend.publish(ping("web1", credentials)), isRefusal);
      await assert.rejects(backend.run(ping("web1", credentials), options).next(), isRefusal);
      await assert.rejects(backend.batch(ping("web1", credentials), { ...options, size: "1" }).next(), isRefusal);
      await assert.rejects(backend.runner(request, { timeoutMs: 5000 }), RefusedError);
      await assert.rejects(backend.startRunner(request), RefusedError);
      await assert.rejects(backend.wheel({ fun: "key.finger", kwarg: {}, credentials }), RefusedError);
    });

    test("fire() reaches listeners, and not those that have left", TIMEOUT, async () => {
      const { backend } = made;
      if (backend.onEvent === undefined || backend.fire === undefined) return;
      const heard: string[] = [];
      const gone: string[] = [];
      const stop = backend.onEvent(({ tag }: BusEvent) => void heard.push(tag));
      backend.onEvent(({ tag }: BusEvent) => void gone.push(tag))();
      // A stream of a salt-api may take a moment to start: events fired before that are not received.
      await until(async () => {
        await backend.fire!("salt/netapi/hook/contract", { post: { a: 1 } });
        return heard.includes("salt/netapi/hook/contract");
      });
      stop();
      assert.deepEqual(gone, []);
    });

    test("without a master every request rejects with MasterDownError at once", TIMEOUT, async () => {
      const { absent, credentials } = made;
      const request = { fun: "test.arg", arg: [], kwarg: {}, credentials };
      await assert.rejects(absent.login(credentials), MasterDownError);
      await assert.rejects(absent.token("f".repeat(40)), MasterDownError);
      await assert.rejects(absent.publish(ping("*", credentials)), MasterDownError);
      await assert.rejects(absent.run(ping("*", credentials), options).next(), MasterDownError);
      await assert.rejects(absent.batch(ping("*", credentials), { ...options, size: "1" }).next(), MasterDownError);
      await assert.rejects(absent.subset(ping("*", credentials), 1, options), MasterDownError);
      await assert.rejects(absent.runner(request, { timeoutMs: 5000 }), MasterDownError);
      await assert.rejects(absent.startRunner(request), MasterDownError);
      await assert.rejects(absent.wheel({ fun: "key.finger", kwarg: {}, credentials }), MasterDownError);
      assert.equal(absent.up, false);
    });

    test("disposing twice is harmless, and ends listeners", TIMEOUT, async () => {
      const other = await open();
      await until(() => other.backend.up);
      const ends = disposable(other.backend);
      let heard = 0;
      other.backend.onEvent?.(() => void heard++);
      await ends?.[Symbol.asyncDispose]();
      await ends?.[Symbol.asyncDispose]();
      heard = 0;
      await other.close();
      assert.equal(heard, 0);
    });
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import { Api, type ApiError } from "../../../../src/console/api.ts";
import { KeysStore } from "../../../../src/console/ui/store/keys_store.ts";
import type { UserSession } from "../../../../src/console/ui/store/user_session.ts";

type Low = Record<string, unknown> & { fun: string };

/** A store beside a master with keys that wait, and maybe functions that the account may not call. */
function bed({ forbidden = [], perms = ["@wheel"] }: { forbidden?: string[]; perms?: unknown[] } = {}) {
  const keys: Record<string, Record<string, string>> = {
    minions_pre: { web1: "aa:01", "*": "aa:02", "a,b": "aa:03" },
    minions_denied: { web1: "ee:01" },
  };
  const asked: Low[] = [];
  const api = new Api("", (_url, init) => {
    const low = JSON.parse(String(init.body)) as Low;
    asked.push(low);
    const body = forbidden.includes(low.fun)
      ? { return: "Authorization error occurred." }
      : { return: [{ data: { return: low.fun === "key.finger" ? keys : {}, success: true } }] };
    return Promise.resolve(
      new Response(JSON.stringify(body), { status: forbidden.includes(low.fun) ? 401 : 200 }),
    );
  });
  const session = { current: signal({ user: "ada", eauth: "file", expire: 0, perms }) } as unknown as UserSession;
  const store = new KeysStore(api, session);
  const changes = () => asked.filter(({ fun }) => fun !== "key.finger").map(({ client: _client, ...low }) => low);
  return { store, keys, asked, changes };
}

for (const id of ["web1", "*", "a,b"]) {
  test(`accepting the key of ${id} accepts that key alone`, async () => {
    const { store, changes } = bed();
    await store.wantPending([id]);
    await store.change("accept", "minions_pre", [id]);
    assert.deepEqual(changes(), [
      { fun: "key.accept_dict", match: { minions_pre: [id] }, include_rejected: false, include_denied: false },
    ]);
  });
}

for (
  const { action, state, want } of [
    { action: "accept", state: "minions_denied", want: { include_rejected: false, include_denied: true } },
    { action: "accept", state: "minions_rejected", want: { include_rejected: true, include_denied: false } },
    { action: "reject", state: "minions_pre", want: { include_accepted: false, include_denied: false } },
    { action: "reject", state: "minions", want: { include_accepted: true, include_denied: false } },
    { action: "delete", state: "minions", want: {} },
  ] as const
) {
  test(`${action} of a key under ${state} names that state`, async () => {
    const { store, changes } = bed();
    await store.change(action, state, ["web1"]);
    assert.deepEqual(changes(), [{ fun: `key.${action}_dict`, match: { [state]: ["web1"] }, ...want }]);
  });
}

test("a key that was replaced since its fingerprint was read is not accepted, and the new fingerprint is shown", async () => {
  const { store, keys, changes } = bed();
  await store.wantPending(["web1"]);
  keys.minions_pre!.web1 = "bb:01";
  await assert.rejects(store.change("accept", "minions_pre", ["web1"]), (error: ApiError) => {
    assert.equal(error.message, "The key of web1 has changed since the page showed it");
    return error.kind === "refused";
  });
  assert.deepEqual(changes(), []);
  assert.equal(store.fingerprints.value.minions_pre?.web1, "bb:01");
});

test("an account that may name keys only does so, but never beside a denied key or with a glob", async () => {
  const forbidden = ["key.accept_dict"];
  const plain = bed({ forbidden });
  await plain.store.change("accept", "minions_pre", ["web1", "web2"]);
  assert.deepEqual(plain.changes().at(-1), {
    fun: "key.accept",
    match: "web1,web2",
    include_rejected: false,
    include_denied: false,
  });
  for (
    const { state, id } of [{ state: "minions_denied", id: "web1" }, { state: "minions_pre", id: "web*" }] as const
  ) {
    const { store, changes } = bed({ forbidden });
    await assert.rejects(store.change("accept", state, [id]), /permission denied/);
    assert.deepEqual(changes().map(({ fun }) => fun), ["key.accept_dict"]);
  }
});

test("what the session permits is offered", () => {
  const may = (perms: unknown[]) => {
    const { store } = bed({ perms });
    return (["accept", "reject", "delete"] as const).filter((action) => store.may(action));
  };
  assert.deepEqual(may([{ "@wheel": ["key.accept", "key.list_all"] }]), ["accept"]);
  assert.deepEqual(may(["@runner"]), []);
  assert.deepEqual(may([]), ["accept", "reject", "delete"]);
});

test("fingerprints that may not be read are an error, not a notice", async () => {
  const { store } = bed({ forbidden: ["key.finger"] });
  await store.wantPending(["web1"]);
  assert.match(String(store.error.value), /key.finger: permission denied/);
  await store.loadFingerprints();
  assert.match(String(store.error.value), /key.finger: permission denied/);
});

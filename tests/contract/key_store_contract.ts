import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { KeyStatus, KeyStore } from "../../src/protocol/channel/key_store.ts";
import { vectors } from "../support/vectors.ts";

const { minion_public_key: PEM, other_public_key: OTHER } = vectors("auth_cases");
const STATES: KeyStatus[] = ["accepted", "pre", "rejected", "denied"];

/** The promises of {@link KeyStore}. */
export function keyStoreContract(name: string, make: () => KeyStore): void {
  describe(`${name} KeyStore`, () => {
    test("a key is stored as written, in its state and in no other", () => {
      for (const state of STATES) {
        const keys = make();
        assert.equal(keys.read(state, "web1"), undefined);
        keys.write(state, "web1", PEM);
        for (const other of STATES) {
          assert.equal(keys.has(other, "web1"), other === state);
          assert.equal(keys.read(other, "web1"), other === state ? PEM : undefined);
        }
        keys.write(state, "web1", OTHER);
        assert.equal(keys.read(state, "web1"), OTHER);
        keys.remove(state, "web1");
        keys.remove(state, "web1");
        assert.equal(keys.has(state, "web1"), false);
      }
    });

    test("accepted() returns the same object while the key is the same", () => {
      const keys = make();
      assert.equal(keys.accepted("web1"), undefined);
      keys.write("accepted", "web1", PEM);
      const first = keys.accepted("web1")!;
      assert.equal(first.pem, PEM);
      assert.equal(first.id, "web1");
      assert.equal(keys.accepted("web1"), first);
    });

    test("accepted() notices at once that a key was replaced or deleted", () => {
      const keys = make();
      keys.write("accepted", "web1", PEM);
      const first = keys.accepted("web1")!;
      first.provenToken = Uint8Array.of(1);
      keys.write("accepted", "web1", OTHER);
      const second = keys.accepted("web1")!;
      assert.equal(second.pem, OTHER);
      assert.equal(second.provenToken, undefined);
      assert.notEqual(second.key!.size, first.key!.size);
      keys.remove("accepted", "web1");
      assert.equal(keys.accepted("web1"), undefined);
      keys.write("accepted", "web1", PEM);
      assert.equal(keys.accepted("web1")!.provenToken, undefined);
    });

    test("a stored file that is not a key has no key", () => {
      const keys = make();
      keys.write("accepted", "web1", "no key");
      assert.equal(keys.accepted("web1")!.key, undefined);
    });

    test("ids of any script and with odd characters are kept apart", () => {
      const keys = make();
      const ids = ["Web1", "web1", "wëb", "は".repeat(85), "a b", "*", ".dot", "__proto__", "a\nb", "minions"];
      for (const id of ids) keys.write("pre", id, `key of ${id}`);
      for (const id of ids) assert.equal(keys.read("pre", id), `key of ${id}`);
    });

    test("an invalid id is refused by every method, with nothing written", () => {
      const keys = make();
      for (const id of ["", ".", "..", "../minions/x", "a/b", "a\\b", "a\0b", "/etc/passwd", "x".repeat(256)]) {
        assert.throws(() => keys.accepted(id), RangeError);
        assert.throws(() => keys.write("pre", id, PEM), RangeError);
        assert.throws(() => keys.read("pre", id), RangeError);
        assert.throws(() => keys.remove("pre", id), RangeError);
        assert.throws(() => keys.has("pre", id), RangeError);
        assert.throws(() => keys.obstructed("pre", id), RangeError);
      }
    });
  });
}

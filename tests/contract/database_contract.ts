import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SystemError } from "../../src/base/errors.ts";
import type { Databases } from "../../src/runtime/database.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";

/** What a Databases cannot do: the sentence that the test report shows. */
export interface DatabaseGaps {
  sql?: string;
}

/** The promises of {@link Databases}. */
export function databaseContract(
  name: string,
  make: () => { databases: Databases; fs: FileSystem; directory: string },
  gaps: DatabaseGaps = {},
): void {
  describe(`${name} Databases`, () => {
    const open = () => {
      const { databases, directory } = make();
      const database = databases.open(`${directory}/a.sqlite`);
      database.exec("CREATE TABLE t (k TEXT PRIMARY KEY, v)");
      return database;
    };

    test("values are read as they were written", { skip: gaps.sql }, () => {
      const database = open();
      const insert = database.prepare("INSERT INTO t VALUES (?, ?)");
      for (const value of [null, 1, 1.5, "zoë", "", Uint8Array.of(0, 255)]) {
        assert.deepEqual(insert.run("k", value), { changes: 1 });
        const got = database.prepare("SELECT v FROM t").get()!.v;
        assert.deepEqual(got instanceof Uint8Array ? Uint8Array.from(got) : got, value);
        assert.equal(database.prepare("DELETE FROM t").run().changes, 1);
      }
      database.close();
    });

    test("table() has columns of any names, integers apart from floats, and a bound", { skip: gaps.sql }, () => {
      const database = open();
      const select = database.prepare("SELECT 1 AS x, 2.0 AS x, ? AS '1' UNION ALL SELECT 3, 4.5, 5");
      assert.deepEqual(select.table(["a"], 2), { columns: ["x", "x", "1"], rows: [[1n, 2, "a"], [3n, 4.5, 5n]] });
      assert.throws(() => select.table(["a"], 1), RangeError);
      assert.deepEqual(database.prepare("DELETE FROM t").table([], 1), { columns: [], rows: [] });
      database.close();
    });

    test("get() is undefined, all() and iterate() are empty when nothing is found", { skip: gaps.sql }, () => {
      const database = open();
      const select = database.prepare("SELECT * FROM t WHERE k = ?");
      assert.equal(select.get("none"), undefined);
      assert.deepEqual(select.all("none"), []);
      assert.deepEqual([...select.iterate("none")], []);
      database.close();
    });

    test("iterate() returns rows in order and can be left early", { skip: gaps.sql }, () => {
      const database = open();
      for (const k of ["a", "b", "c"]) database.prepare("INSERT INTO t VALUES (?, 1)").run(k);
      const select = database.prepare("SELECT k FROM t ORDER BY k");
      assert.deepEqual([...select.iterate()].map((row) => row.k), ["a", "b", "c"]);
      for (const row of select.iterate()) {
        assert.equal(row.k, "a");
        break;
      }
      assert.equal(select.all().length, 3);
      database.close();
    });

    test("a transaction is rolled back as a whole", { skip: gaps.sql }, () => {
      const database = open();
      database.exec("BEGIN");
      database.prepare("INSERT INTO t VALUES ('a', 1)").run();
      database.exec("ROLLBACK");
      assert.deepEqual(database.prepare("SELECT * FROM t").all(), []);
      database.close();
    });

    test("written data is there after close(), which may be called twice", { skip: gaps.sql }, () => {
      const { databases, directory } = make();
      const first = databases.open(`${directory}/a.sqlite`);
      first.exec("CREATE TABLE t (v); INSERT INTO t VALUES (7)");
      first.close();
      first.close();
      const second = databases.open(`${directory}/a.sqlite`);
      assert.equal(second.prepare("SELECT v FROM t").get()!.v, 7);
      second.close();
    });

    test("open() of a file that is not a database, or cannot be opened, names the file", () => {
      const { databases, fs, directory } = make();
      fs.write(`${directory}/text`, "this is not a database, however long one looks at it".repeat(100));
      for (const path of [`${directory}/text`, `${directory}/none/a.sqlite`]) {
        assert.throws(() => databases.open(path), (error) => {
          assert.ok(error instanceof SystemError);
          assert.ok(error.message.includes(path));
          return true;
        });
      }
    });
  });
}

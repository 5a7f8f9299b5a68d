/** Places that take nothing more while a switch is down. */
import { SystemError } from "../../src/base/errors.ts";
import type { Databases } from "../../src/runtime/database.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";

export class Breaker {
  #down = false;

  readonly fail = (): void => void (this.#down = true);
  readonly mend = (): void => void (this.#down = false);

  check(): void {
    if (this.#down) throw new SystemError("ENOSPC", "no space left on the device: database or disk is full");
  }

  /** A file system to which nothing can be written while the switch is down. */
  files(fs: FileSystem): FileSystem {
    const guarded = <Args extends unknown[], T>(call: (...args: Args) => T) => (...args: Args): T => {
      this.check();
      return call(...args);
    };
    const { write, append, writeAt, mkdir, symlink, link } = fs;
    return {
      ...fs,
      write: guarded(write),
      append: guarded(append),
      writeAt: guarded(writeAt),
      mkdir: guarded(mkdir),
      symlink: guarded(symlink),
      link: guarded(link),
    };
  }

  /** Databases whose transactions cannot be closed while the switch is down. */
  commits(databases: Databases): Databases {
    return {
      open: (path, options) => {
        const database = databases.open(path, options);
        return {
          exec: (sql) => database.exec(sql),
          close: () => database.close(),
          prepare: (sql) => {
            const statement = database.prepare(sql);
            if (sql !== "COMMIT") return statement;
            return {
              get: (...values) => statement.get(...values),
              all: (...values) => statement.all(...values),
              iterate: (...values) => statement.iterate(...values),
              table: (values, most) => statement.table(values, most),
              run: (...values) => {
                this.check();
                return statement.run(...values);
              },
            };
          },
        };
      },
    };
  }
}

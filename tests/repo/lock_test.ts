/** `npm ci` refuses a lock that leaves out a dependency, even one for another system, which `npm install` leaves out in silence. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Locked {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

test("package-lock.json has every package that one of its packages depends on, those for other systems included", () => {
  const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };

  /** Whether a package finds a dependency in its own `node_modules` or in one above it. */
  function isLocked(from: string, name: string): boolean {
    for (let place = from; place !== ""; place = place.slice(0, Math.max(0, place.lastIndexOf("node_modules/") - 1))) {
      if (Object.hasOwn(packages, `${place}/node_modules/${name}`)) return true;
    }
    return Object.hasOwn(packages, `node_modules/${name}`);
  }

  const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(from, name))
      .map((name) => `${name} of ${from}`)
  );
  assert.deepEqual(missing, []);
});

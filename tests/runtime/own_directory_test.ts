import assert from "node:assert/strict";
import { test } from "node:test";
import { strangerIn } from "../../src/runtime/own_directory.ts";

const USER = 1000;
const SALT = 110;

const TREE: Record<string, { uid?: number; mode?: number; target?: string }> = {
  "/tmp": { mode: 0o1777 },
  "/tmp/ours": { mode: 0o700 },
  "/tmp/theirs": { uid: USER },
  "/tmp/theirs/below": {},
  "/tmp/link": { uid: USER, target: "/root/cache" },
  "/open": { mode: 0o777 },
  "/open/ours": { mode: 0o700 },
  "/root": { mode: 0o700 },
  "/root/cache": { mode: 0o700 },
  "/root/group": { mode: 0o775 },
  "/root/tolink": { target: "/tmp/link" },
  "/root/back": { target: "../tmp/ours" },
  "/root/loop": { target: "loop" },
  "/srv": {},
  "/srv/salt": { uid: SALT },
  "/srv/salt/extmods": { uid: SALT },
  "/srv/salt/open": { mode: 0o777 },
  "/home": {},
  "/home/u": { uid: USER, mode: 0o750 },
  "/home/u/.cache": { uid: USER, mode: 0o700 },
};

const look = (path: string) => {
  const found = TREE[path];
  return found && { uid: 0, mode: 0o755, ...found };
};

for (
  const { path, strict, given, uid = 0 } of [
    { path: "/root/cache", strict: undefined, given: undefined },
    { path: "/tmp/ours", strict: undefined, given: undefined },
    { path: "/root/back", strict: undefined, given: undefined },
    { path: "/tmp/theirs", strict: /"\/tmp\/theirs" belongs to user 1000/, given: /belongs to user 1000/ },
    { path: "/tmp/theirs/below", strict: /"\/tmp\/theirs" belongs/, given: /"\/tmp\/theirs" belongs/ },
    { path: "/tmp/link", strict: /"\/tmp\/link" belongs/, given: /"\/tmp\/link" belongs/ },
    { path: "/root/tolink", strict: /"\/tmp\/link" belongs/, given: /"\/tmp\/link" belongs/ },
    { path: "/tmp", strict: /other users may write to "\/tmp"/, given: /other users may write/ },
    {
      path: "/tmp/none",
      strict: /the directory "\/tmp\/none" does not exist/,
      given: /the directory .* does not exist/,
    },
    { path: "/open/ours", strict: /other users may write to "\/open"/, given: /other users may write to "\/open"/ },
    { path: "/root/group", strict: /other users may write to "\/root\/group"/, given: undefined },
    { path: "/root/loop", strict: /form a loop/, given: /form a loop/ },
    { path: "/srv/salt/extmods", strict: /"\/srv\/salt" belongs to user 110/, given: undefined },
    { path: "/srv/salt/open", strict: /belongs to user 110/, given: /other users may write/ },
    { path: "/home/u/.cache", strict: /"\/home\/u" belongs to user 1000/, given: undefined },
    { path: "/home/u/.cache", strict: undefined, given: undefined, uid: USER },
  ]
) {
  test(`code from ${path} for user ${uid}: strictly ${strict ?? "yes"}, otherwise ${given ?? "yes"}`, () => {
    for (const [asked, want] of [[true, strict], [false, given]] as const) {
      const found = strangerIn(look, path, uid, asked);
      if (want === undefined) assert.equal(found, undefined);
      else assert.match(String(found), want);
    }
  });
}

import type { CallScenario } from "./scenario.ts";

/** Mercurial. */
export const HG: CallScenario[] = [
  {
    name: "hg: its words",
    standIns: {
      hg: {
        "id -i --debug -r tip": "0123456789abcdef0123456789abcdef01234567",
        "id -i --debug -r none": { err: "abort: unknown revision 'none'", code: 255 },
        "archive*": "",
        "pull": "pulling from default\nno changes found",
        "pull*bad": { err: "abort: repository bad not found", code: 255 },
        "update none*": { err: "abort: unknown revision 'none'", code: 255 },
        "update*": "1 files updated, 0 files merged, 0 files removed, 0 files unresolved",
        "clone bad*": { err: "abort: repository bad not found", code: 255 },
        "clone*": "cloned",
        "status*": "M a\nA b\nR c\nC d\n! e\n? f f\nI g\n? h",
      },
    },
    files: { "r/": "" },
    calls: [
      ["hg.revision", "{D}/r"],
      ["hg.revision", "{D}/r", "none"],
      ["hg.archive", "{D}/r", "{D}/x.tgz", "fmt=tgz"],
      ["hg.archive", "{D}/r", "output={D}/x", "rev=1.0"],
      ["hg.pull", "{D}/r"],
      ["hg.pull", "{D}/r", "opts=-u -f", "identity=/root/key", "repository=https://example.com/r"],
      ["hg.pull", "{D}/r", "repository=bad"],
      ["hg.update", "{D}/r", "tip"],
      ["hg.update", "{D}/r", "tip", "force=True"],
      ["hg.update", "{D}/r", "none"],
      ["hg.clone", "{D}/new", "https://example.com/r"],
      ["hg.clone", "{D}/new", "https://example.com/r", "opts=-r 1.0", "identity=/root/key"],
      ["hg.clone", "{D}/new", "bad"],
      ["hg.status", "{D}/r"],
      ["hg.status", "[{D}/r]", "opts=-A"],
    ],
  },
];

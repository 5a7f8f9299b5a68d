import type { CallScenario } from "./scenario.ts";

const FILE = `# mail of this host
postmaster: root

root:  admin@example.com   # the one on duty
team: a@example.com, b@example.com
pipe: "|/bin/cat"
root: second@example.com
`;

/** Aliases of mail addresses. */
export const ALIASES: CallScenario[] = [
  {
    name: "aliases: read",
    files: { aliases: FILE },
    calls: [
      ["aliases.list_aliases"],
      ["aliases.get_target", "root"],
      ["aliases.get_target", "none"],
      ["aliases.has_target", "postmaster", "root"],
      ["aliases.has_target", "postmaster", "other"],
      ["aliases.has_target", "none", "other"],
      ["aliases.has_target", "team", "['a@example.com', 'b@example.com']"],
      ["aliases.has_target", "team", "''"],
    ],
  },
  {
    name: "aliases: set and removed",
    standIns: { newaliases: {} },
    files: { aliases: FILE },
    calls: [
      ["aliases.set_target", "postmaster", "root"],
      ["aliases.set_target", "root", "other@example.com"],
      ["aliases.set_target", "new", "['x@example.com', 'y@example.com']"],
      ["aliases.set_target", "''", "x"],
      ["aliases.set_target", "x", "''"],
      ["aliases.rm_alias", "pipe"],
      ["aliases.rm_alias", "none"],
      ["aliases.list_aliases"],
    ],
  },
  {
    name: "aliases: no file yet",
    standIns: { newaliases: {} },
    calls: [
      ["aliases.list_aliases"],
      ["aliases.rm_alias", "none"],
      ["aliases.set_target", "root", "admin@example.com"],
      ["aliases.get_target", "root"],
    ],
  },
];

import { SALT_MINION_DEFAULTS } from "../../../src/config/salt_defaults.ts";
import type { CallScenario } from "./scenario.ts";

export const CONFIG: CallScenario[] = [
  {
    name: "config: every default that nothing acts on",
    // Those two are set for the recording itself.
    calls: Object.keys(SALT_MINION_DEFAULTS).filter((name) => name !== "features" && name !== "local").map((
      name,
    ) => ["config.get", name]),
  },
  {
    name: "config: defaults by other ways",
    calls: [
      ["config.get", "gitfs_root", "default=none"],
      ["config.get", "thorium_roots:base"],
      ["config.option", "log_fmt_console"],
      ["config.option", "git_pillar_*", "wildcard=True"],
      ["config.option", "transport", "omit_opts=True"],
      ["config.get", "nosuch_option", "default=x"],
      ["config.get", "nosuch_option"],
    ],
  },
];

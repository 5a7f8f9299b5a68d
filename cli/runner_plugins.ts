import type { RunnerPlugins } from "../src/host/runner/runner_plugins.ts";
import { openRunnerPillar } from "./pillar.ts";
import { RUNNER_MODULES } from "./runner_modules.ts";

export const RUNNER_PLUGINS: RunnerPlugins = { ...RUNNER_MODULES, openPillar: openRunnerPillar };

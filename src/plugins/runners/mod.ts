import type { RunnerModule } from "../../model/loader/family.ts";
import { documented } from "../documented.ts";

type Runners = Record<string, () => Promise<{ runner: RunnerModule }>>;

const FILES: Runners = {
  audit: () => import("./audit.ts"),
  auth: () => import("./auth.ts"),
  cache: () => import("./cache.ts"),
  config: () => import("./config.ts"),
  doc: () => import("./doc.ts"),
  engines: () => import("./engines.ts"),
  error: () => import("./error.ts"),
  event: () => import("./event.ts"),
  fileserver: () => import("./fileserver.ts"),
  git_pillar: () => import("./git_pillar.ts"),
  http: () => import("./http.ts"),
  jobs: () => import("./jobs.ts"),
  manage: () => import("./manage.ts"),
  match: () => import("./match.ts"),
  network: () => import("./network.ts"),
  mine: () => import("./mine.ts"),
  pillar: () => import("./pillar.ts"),
  reactor: () => import("./reactor.ts"),
  salt: () => import("./salt.ts"),
  saltutil: () => import("./saltutil.ts"),
  sdb: () => import("./sdb.ts"),
  state: () => import("./state.ts"),
  survey: () => import("./survey.ts"),
  test: () => import("./test.ts"),
  vault: () => import("./vault.ts"),
};

/** The runners: name → how to load it. */
export const RUNNERS: Runners = Object.fromEntries(
  Object.entries(FILES).map(([name, load]) => [name, async () => {
    const { runner } = await load();
    return { runner: { ...runner, functions: documented(name, runner.functions) } };
  }]),
);

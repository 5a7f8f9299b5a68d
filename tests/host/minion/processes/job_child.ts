/** The program of a job's process, for tests: with modules that misbehave. */
import "../../../../cli/compile_cache.ts";
import { jobMain } from "../../../../cli/programs/job.ts";
import { TEST_MODULES } from "./job_modules.ts";

await jobMain({ modules: TEST_MODULES, preload: ["cmd", "bad"] });

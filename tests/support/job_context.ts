import type { JobContext } from "../../src/model/loader/family.ts";
import { type TestMinion, testMinion, type TestMinionOptions } from "./context.ts";

/** A minion for tests, and what a job of it sees. */
export async function testJob(options: TestMinionOptions): Promise<{ minion: TestMinion; context: JobContext }> {
  let context: JobContext | undefined;
  const minion = await testMinion({
    ...options,
    modules: {
      ...options.modules,
      capture: () =>
        Promise.resolve({
          module: {
            functions: {
              context: { signature: "", doc: "Notes its context.", run: (own) => void (context = own) },
            },
          },
        }),
    },
  });
  await minion.value("capture.context");
  return { minion, context: context! };
}

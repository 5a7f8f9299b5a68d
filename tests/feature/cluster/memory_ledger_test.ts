/** The storage of a cluster in memory keeps the promises of `LedgerStorage`, by which tests and simulation use it. */
import { MemoryLedger } from "../../../src/plugins/ledger_storages/memory.ts";
import { jobCacheContract } from "../../contract/job_cache_contract.ts";
import { ledgerStorageContract } from "../../contract/ledger_storage_contract.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Longer than any clock of a test goes. */
const FOR_EVER = 1e9;

ledgerStorageContract("memory", () => {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  return { open: () => Promise.resolve(shared.open()), pass: (seconds) => clock.advance(seconds * 1000) };
});

jobCacheContract("memory LedgerStorage's", async (clock) => {
  const storage = new MemoryLedger(clock).open();
  storage.own(await storage.leases.hold("master/a", "a", FOR_EVER));
  return storage.jobs;
}, "memory does not fail");

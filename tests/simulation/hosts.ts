/** Hosts of a simulated world: their disks, clocks and processes, with power that can be cut. */
import { SystemError } from "../../src/base/errors.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { type MemoryFileSystem, memoryFileSystem, memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import type { Crypto } from "../../src/runtime/crypto.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Network } from "./network.ts";
import type { Life, World } from "./world.ts";

/** How a disk behaves. */
export interface DiskHealth {
  /** Milliseconds that a sync takes, at most. */
  syncMs: number;
  /** It takes no more data. */
  full: boolean;
  /** A sync fails. 0 to 1. */
  syncFails: number;
}

export const HEALTHY: DiskHealth = { syncMs: 3, full: false, syncFails: 0 };

const ADDRESSES = /^\d+\.\d+\.\d+\.\d+$/;

/** One machine. Its disk outlives its processes; what was not synced to it does not outlive its power. */
export class Host {
  /** Its address in the network. */
  readonly address: string;
  disk: DiskHealth = HEALTHY;
  /** Milliseconds by which its clock is ahead. */
  clockShiftMs = 0;
  fs: MemoryFileSystem;
  readonly #world: World;
  readonly #network: Network;
  readonly #crypto: Crypto;

  constructor(address: string, world: World, network: Network, crypto: Crypto) {
    this.address = address;
    this.#world = world;
    this.#network = network;
    this.#crypto = crypto;
    this.fs = memoryFileSystem({ clock: { now: () => world.now + this.clockShiftMs } });
  }

  /** A new process, and the runtime that it sees. */
  process(): { life: Life; runtime: Runtime } {
    const life: Life = { host: this.address, alive: true };
    const world = this.#world;
    const clock = world.clock(life, () => this.clockShiftMs);
    const runtime = memoryRuntime({
      clock,
      crypto: this.#crypto,
      hostname: this.address,
      net: this.#network.of(life),
      random: world.random,
      later: (call) => world.later(life, call),
    });
    const host = {
      ...runtime.host,
      addresses: (name: string, family: 4 | 6) =>
        Promise.resolve(family === 6 ? [] : ADDRESSES.test(name) ? [name] : ["127.0.0.1"]),
    };
    return { life, runtime: { ...runtime, host, fs: this.#filesOf(life) } };
  }

  /** `kill -9`: the disk has all that was written. */
  kill(life: Life): void {
    life.alive = false;
    this.#network.killed(life);
  }

  /** The power is cut: of what was not synced, chance decides. */
  cutPower(lives: readonly Life[]): void {
    for (const life of lives) {
      life.alive = false;
      this.#network.darkened(life);
    }
    this.fs = this.fs.powerCut(this.#world.random);
  }

  /** The power is back. */
  light(): void {
    this.#network.lightened(this.address);
  }

  #filesOf(life: Life): FileSystem {
    const { fs } = this;
    const world = this.#world;
    const fit = (path: string) => {
      if (this.disk.full) throw new SystemError("ENOSPC", `Cannot write "${path}": ENOSPC`, { path });
    };
    return {
      ...fs,
      write(path, data, options) {
        fit(path);
        fs.write(path, data, options);
      },
      writeAt(path, offset, data, options) {
        fit(path);
        fs.writeAt(path, offset, data, options);
      },
      append: (path, data, mode) => {
        // What still fits is written.
        if (this.disk.full) fs.append(path, bytesOf(data).slice(0, world.below(data.length)), mode);
        fit(path);
        fs.append(path, data, mode);
      },
      sync: async (path) => {
        await new Promise<void>((resolve) => void world.after(world.random() * this.disk.syncMs, life, resolve));
        if (world.chance(this.disk.syncFails)) {
          throw new SystemError("EIO", `Cannot sync "${path}": EIO`, { path });
        }
        await fs.sync(path);
      },
    };
  }
}

const bytesOf = (data: Uint8Array | string) => typeof data === "string" ? new TextEncoder().encode(data) : data;

import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { SocketAddress } from "../../runtime/net.ts";
import { KeptPart } from "./kept_part.ts";
import type { Part, PartStatus } from "./restarts.ts";
import { PartDoor } from "./part_door.ts";
import type { PartOptions, ProcessOwner } from "./supervised_process.ts";
import { WorkerPool, type WorkerPoolOptions } from "./worker_pool.ts";

interface SupervisorOptions {
  runtime: Runtime;
  log: Logger;
  socket: SocketAddress;
}

/** The parts of a master that run as processes: starts them, restarts them, reports them, and stops them in order. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #door: PartDoor;
  readonly #parts: Part[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#door = new PartDoor(options);
  }

  /** Adds a part that starts its processes itself. The part is reported and stopped like the others. */
  add<P extends Part>(part: P): P {
    if (this.#parts.some(({ name }) => name === part.name)) {
      throw new RangeError(`Cannot add the part "${part.name}": a part of that name exists`);
    }
    this.#parts.push(part);
    return part;
  }

  /** Starts one process, and keeps it running. */
  keep(options: PartOptions): KeptPart {
    return this.add(this.kept(options));
  }

  /** As {@link Supervisor.keep}, for a process that belongs to another part: it is not added. */
  kept(options: PartOptions): KeptPart {
    return new KeptPart(this.processes, options);
  }

  /** Adds a pool of processes, which are started when requests come. */
  workers(options: WorkerPoolOptions): WorkerPool {
    return this.add(new WorkerPool(this.processes, options));
  }

  /** The owner for the processes of a part that starts them itself. */
  get processes(): ProcessOwner {
    const { runtime, log } = this.#options;
    return { runtime, log: log.child("supervise"), partLog: log, door: this.#door };
  }

  /** The parts in the order in which they were added. */
  status(): PartStatus[] {
    return this.#parts.map((part) => part.status());
  }

  /** Applies a new configuration: parts that can replace their processes do so. */
  renew(): void {
    for (const part of this.#parts) part.renew?.();
  }

  /** Stops the parts one after the other, the last added one first. A second call does nothing. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    for (const part of this.#parts.toReversed()) {
      try {
        await part.close();
      } catch (error) {
        this.#options.log.error("process not stopped cleanly", { part: part.name, error: messageOf(error) });
      }
    }
    await this.#door.close();
  }
}

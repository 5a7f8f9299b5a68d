/** `docker_container.running`: a container made anew beside the one that is there tells what differs. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { end, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { newContainer } from "../../docker/create_options.ts";
import { commandError } from "../outcome.ts";
import { needImage, networksOf } from "./prepare.ts";

type Values = Record<string, unknown>;
type Differences = Record<string, Record<string, { old: unknown; new: unknown }>>;

const textOf = (comments: readonly string[]): string => comments.join(". ") + (comments.length > 1 ? "." : "");

class Running {
  readonly #context: StateContext;
  readonly #args: Args;
  readonly #name: string;
  readonly #comments: string[] = [];
  readonly ret: StateReturn;
  #networks: Record<string, Values> = {};
  #options: Values = {};
  #signal = false;
  #image: unknown;
  /** The image of the container that is there; null for none. */
  #current: unknown = null;
  #before: unknown = null;
  #fresh: Values = {};
  /** The new container is to be removed again. */
  #spare = false;

  constructor(context: StateContext, args: Args) {
    this.#context = context;
    this.#args = args;
    this.#name = str(args.name);
    this.ret = outcome(args.name, true, "");
  }

  get #test(): boolean {
    return this.#context.test;
  }

  get #exists(): boolean {
    return this.#current !== null;
  }

  #call(fun: string, positional: unknown[], keyword: Values = {}): Promise<unknown> {
    return this.#context.call(`docker.${fun}`, positional, keyword);
  }

  #end(result: boolean | null, comment?: string): never {
    if (comment !== undefined) this.#comments.push(comment);
    end(result, textOf(this.#comments), this.ret);
  }

  /** Runs a step; its failure ends the state. */
  async #step<T>(run: () => Promise<T>, words = ""): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      this.#end(false, `${words}${error.message}`);
    }
  }

  async run(): Promise<StateReturn> {
    await this.#do();
    return { ...this.ret, comment: textOf(this.#comments) };
  }

  async #do(): Promise<void> {
    await this.#prepare();
    const replace = truthy(this.#args.force) || !this.#exists || this.#current !== this.#image;
    if (replace && this.#test) {
      this.#checkOptions();
      this.#foresee();
    }
    await this.#make();
    this.#spare = !replace;
    try {
      const changes = await this.#connect();
      if (!replace) await this.#compare();
      await this.#settleNetworks(changes);
    } finally {
      if (this.#spare) await this.#call("rm", [this.#fresh.Name]);
    }
    if (replace) {
      if (!this.#exists) this.#comments.push(`Created container '${this.#name}'`);
      else await this.#replace();
      this.#changed("container_id", { added: this.#fresh.Id });
    }
    await this.#start();
  }

  #changed(key: string, values: Values): void {
    this.ret.changes[key] = { ...this.ret.changes[key] as Values, ...values };
  }

  async #prepare(): Promise<void> {
    const { image, networks, client_timeout: timeout, kwargs } = this.#args;
    if (image === null) this.#end(false, "The 'image' argument is required");
    const given = Object.entries(kwargs as Values).filter(([name]) => !name.startsWith("__"));
    const { send_signal: signal = false, ...options } = Object.fromEntries(given);
    this.#signal = truthy(signal);
    this.#networks = await this.#step(() => networksOf(this.#context, networks));
    this.#options = Object.keys(this.#networks).length > 0 ? { ...options, networks: this.#networks } : options;
    this.#image = await this.#step(() => needImage(this.#context, this.ret, str(image), timeout));
    try {
      this.#current = (await this.#call("inspect_container", [this.#name]) as Values).Image ?? null;
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
    }
    if (this.#exists) this.#before = await this.#call("state", [this.#name]);
  }

  /** What a dry run says of a container that would be made. */
  #foresee(): never {
    if (truthy(this.#args.force)) this.ret.changes.forced_update = true;
    else this.ret.changes.image = { old: this.#current, new: this.#image };
    this.#end(null, `Container '${this.#name}' would be ${this.#exists ? "replaced" : "created"}`);
  }

  /** Ends the state for options that the daemon is never asked for. */
  #checkOptions(): void {
    const { image, ignore_collisions, validate_ip_addrs } = this.#args;
    const checks = { checked: truthy(validate_ip_addrs), ignoreCollisions: truthy(ignore_collisions) };
    const { networks: _, ...options } = this.#options;
    try {
      newContainer(str(image), options, checks);
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #make(): Promise<void> {
    const { skip_translate, ignore_collisions, validate_ip_addrs, client_timeout } = this.#args;
    const how = { skip_translate, ignore_collisions, validate_ip_addrs, client_timeout };
    const name = this.#exists ? null : this.#name;
    try {
      const made = await this.#call("create", [str(this.#args.image)], { name, ...how, ...this.#options });
      this.#fresh = made as Values;
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Ends the state for a container that cannot be made. */
  #refuse(error: unknown): never {
    const invalid = error instanceof CommandExecutionError &&
      (error.info as Values | undefined)?.invalid !== undefined;
    const hint =
      "\n\nIf you feel this information is incorrect, the skip_translate argument can be used to skip input " +
      "translation for the argument(s) identified as invalid. See the documentation for details.";
    const said = error instanceof CommandExecutionError ? commandError(error) : messageOf(error);
    this.#end(false, `${said}${invalid ? hint : ""}`);
  }

  /** Puts the new container into its networks. @returns how they differ from those of the one that is there */
  async #connect(): Promise<Differences> {
    const fresh = this.#fresh.Name;
    const before = await this.#call("inspect_container", [this.#exists ? this.#name : fresh]);
    for (const [network, place] of Object.entries(this.#networks)) {
      await this.#step(() => this.#call("connect_container_to_network", [fresh, network], place));
    }
    let after = await this.#call("inspect_container", [fresh]) as Values;
    if (this.#args.networks !== null) {
      const { Networks: all = {} } = (after.NetworkSettings ?? {}) as { Networks?: Values };
      const extra = Object.keys(all).filter((network) => !Object.hasOwn(this.#networks, network));
      for (const network of extra) await this.#call("disconnect_container_from_network", [fresh, network]);
      if (extra.length > 0) after = await this.#call("inspect_container", [fresh]) as Values;
    }
    return await this.#call("compare_container_networks", [before, after]) as Differences;
  }

  async #compare(): Promise<void> {
    const { VersionInfo: version = [] } = await this.#call("version", []) as { VersionInfo?: number[] };
    // From Docker 25 on a container that never ran has no such address.
    const ignore = (version[0] ?? 0) < 25 ? "Hostname" : "Hostname,MacAddress";
    const found = await this.#call("compare_containers", [this.#name, this.#fresh.Name], { ignore }) as Differences;
    if (Object.keys(found).length > 0) {
      this.#changed("container", found);
      if (this.#test) {
        this.ret.result = null;
        this.#comments.push(`Container '${this.#name}' would be replaced`);
        return;
      }
      this.#spare = false;
      await this.#replace();
      this.#changed("container_id", { added: this.#fresh.Id });
    } else if (this.#signal) await this.#sendSignal();
    else this.#comments.push(`Container '${this.#name}' is already configured as specified`);
  }

  async #sendSignal(): Promise<void> {
    const { watch_action: signal } = this.#args;
    if (this.#test) {
      this.#comments.push(`Signal ${str(signal)} would be sent to container`);
      return;
    }
    await this.#step(() => this.#call("signal", [this.#name], { signal }), "Failed to signal container: ");
    this.ret.changes.signal = signal;
    this.#comments.push(`Sent signal ${str(signal)} to container`);
  }

  /** Puts the new container in the place of the other. */
  async #replace(): Promise<void> {
    const { shutdown_timeout: timeout } = this.#args;
    const how = { stop: true, ...(timeout === null ? {} : { timeout }) };
    this.#changed("container_id", { removed: await this.#call("rm", [this.#name], how) });
    let renamed: unknown = false;
    try {
      renamed = await this.#call("rename", [this.#fresh.Name, this.#name]);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      this.#comments.push(`Failed to rename temp container: ${error.message}`);
    }
    if (!truthy(renamed)) this.#end(false, `Failed to replace container '${this.#name}'`);
    this.#comments.push(`Replaced container '${this.#name}'`);
  }

  /** Gives the container that stays its networks. */
  async #settleNetworks(changes: Differences): Promise<void> {
    const names = Object.keys(changes).sort();
    if (names.length === 0) return;
    this.#changed("container", { Networks: changes });
    if (this.#test) {
      this.ret.result = null;
      this.#comments.push("Network configuration would be updated");
      return;
    }
    if (!this.#spare) return;
    let failed = false;
    for (const network of names) {
      let [left, joined] = [false, false];
      try {
        if ((await this.#call("connected", [network]) as unknown[]).includes(this.#name)) {
          await this.#call("disconnect_container_from_network", [this.#name, network]);
          left = true;
        }
        const place = this.#networks[network];
        if (place !== undefined) {
          await this.#call("connect_container_to_network", [this.#name, network], place);
          joined = true;
        }
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        this.#comments.push(error.message);
        failed = true;
      }
      if (left && joined) this.#comments.push(`Reconnected to network '${network}' with updated configuration`);
      else if (left) this.#comments.push(`Disconnected from network '${network}'`);
      else if (joined) this.#comments.push(`Connected to network '${network}'`);
    }
    if (failed) this.#end(false);
  }

  async #start(): Promise<void> {
    const start = truthy(this.#args.start);
    let after: unknown;
    if (this.#spare ? start && this.#before !== "running" : !this.#exists || start) {
      if (this.#test) this.#end(null, "Container would be started");
      try {
        after = ((await this.#call("start", [this.#name]) as Values).state as Values).new;
      } catch (error) {
        this.#end(false, `Failed to start container '${this.#name}': '${messageOf(error)}'`);
      }
    } else after = await this.#call("state", [this.#name]);
    if (this.#before !== after) {
      this.ret.changes.state = { old: this.#before, new: after };
      if (this.#before !== null) {
        this.#comments.push(`State changed from '${str(this.#before)}' to '${str(after)}'`);
      }
    }
    if (this.#exists && this.#current !== this.#image) {
      this.#comments.push("Container has a new image");
      this.ret.changes.image = { old: this.#current, new: this.#image };
    }
    if (after !== "running" && start) {
      this.ret.result = false;
      this.#comments.push("Container is not running");
    }
  }
}

export const containerRunning = (context: StateContext, args: Args): Promise<StateReturn> =>
  new Running(context, args).run();

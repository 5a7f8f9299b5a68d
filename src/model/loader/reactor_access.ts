/** The reactor of the master on this host, for the runner `reactor`. */
export interface ReactorAccess {
  /** True if the configuration has a reactor. */
  readonly isConfigured: boolean;
  /**
   * Sends a command to the running reactor, by events of the master's bus.
   *
   * @returns the answer; undefined if none comes within half a minute
   */
  ask(
    operation: "list" | "add" | "delete" | "is_leader" | "set_leader" | "status",
    fields: Record<string, unknown>,
  ): Promise<Record<string, unknown> | undefined>;
  /**
   * The reactions that an event would cause.
   *
   * @param reactors SLS files to try. @default the files configured for the tag
   */
  test(tag: string, data: Record<string, unknown>, reactors: readonly string[] | undefined): Promise<unknown>;
}

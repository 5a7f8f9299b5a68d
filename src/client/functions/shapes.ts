/** Shapes that the returns of functions have in common. */

/** How one state ended. */
export interface StateResult {
  /** The `name` of the state. */
  name: string;
  /** True: it is as it should be. False: it failed. Null: with `test=True`, that it would be changed. */
  result: boolean | null;
  /** What it did, for people. */
  comment: string | string[];
  /** What it changed; most states have `old` and `new` of each thing. */
  changes: Record<string, unknown>;
  /** `__id__`, `__sls__`, `__run_num__`, `start_time`, `duration` in milliseconds, `warnings` and more, by the state. */
  [name: string]: unknown;
}

/**
 * What `state.apply` and its like return: by `<state>_|-<id>_|-<name>_|-<function>` how each state ended; or why none was
 * run, a line each.
 */
export type StateReturns = Record<string, StateResult> | string[];

/** A user of a host, as its passwd file and groups have it. */
export interface UserRecord {
  /** The name that it signs in with. */
  name: string;
  /** Its number. */
  uid: number;
  /** The number of its primary group. */
  gid: number;
  /** Names of its groups. */
  groups: string[];
  /** Its home directory. */
  home: string;
  /** Its shell. */
  shell: string;
  /** The field of the password: `x` where it is in the shadow file. */
  passwd: string;
  /** Its full name. */
  fullname: string;
  /** Room number. */
  roomnumber: string;
  /** Telephone at work. */
  workphone: string;
  /** Telephone at home. */
  homephone: string;
  /** What else is said of it. */
  other: string;
}

/** What a function takes, as `sys.argspec` returns it. */
export interface FunctionSignature {
  /** Names of its arguments, in their order. */
  args: string[] | null;
  /** Values of the last of them where they are not given. */
  defaults: unknown[] | null;
  /** Whether it takes any further values. */
  varargs: true | null;
  /** Whether it takes any further names. */
  kwargs: true | null;
}

/** Types that several functions return. */

/** The result of one state. */
export interface StateResult {
  /** The `name` of the state. */
  name: string;
  /** True: the state is correct or was applied. False: it failed. Null: with `test=True`, the state would change something. */
  result: boolean | null;
  /** What the state did, as text for people. */
  comment: string | string[];
  /** The changes; most states report `old` and `new` of each thing. */
  changes: Record<string, unknown>;
  /** Further fields, depending on the state: `__id__`, `__sls__`, `__run_num__`, `start_time`, `duration` in milliseconds, `warnings`. */
  [name: string]: unknown;
}

/**
 * The return of `state.apply` and similar functions: `<state>_|-<id>_|-<name>_|-<function>` → the result of each state; or, if no state
 * was run, the reasons, a line each.
 */
export type StateReturns = Record<string, StateResult> | string[];

/** A user of a host, from its passwd file and groups. */
export interface UserRecord {
  /** The login name. */
  name: string;
  /** The user number. */
  uid: number;
  /** The number of the primary group. */
  gid: number;
  /** The names of the user's groups. */
  groups: string[];
  /** The home directory. */
  home: string;
  /** The login shell. */
  shell: string;
  /** The password field: `x` if the password is in the shadow file. */
  passwd: string;
  /** The full name. */
  fullname: string;
  /** Room number. */
  roomnumber: string;
  /** Telephone at work. */
  workphone: string;
  /** Telephone at home. */
  homephone: string;
  /** Other information. */
  other: string;
}

/** The signature of a function, as `sys.argspec` returns it. */
export interface FunctionSignature {
  /** The names of the arguments, in their order. */
  args: string[] | null;
  /** The default values of the last arguments. */
  defaults: unknown[] | null;
  /** True if the function takes further positional arguments. */
  varargs: true | null;
  /** True if the function takes further keyword arguments. */
  kwargs: true | null;
}

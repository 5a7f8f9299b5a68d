/**
 * The reactor: which SLS files react to which events, what they call, and how it is kept that each event is handled once and none causes
 * itself for ever. How jobs, runners and wheel functions are really called is for others to know: it is passed in.
 */
export * from "./compile_reactions.ts";
export * from "./loop_guard.ts";
export * from "./manage_requests.ts";
export * from "./reaction_call.ts";
export * from "./reaction_journal.ts";
export * from "./reaction_record.ts";
export * from "./reactor.ts";
export * from "./reactor_manager.ts";
export * from "./reactor_rules.ts";

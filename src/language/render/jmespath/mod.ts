/** JMESPath, the language of the filter `json_query`: an expression is parsed once, and a search takes bounded time and memory. */
export { parseQuery } from "./parse.ts";
export type { Query, SearchBudget } from "./search.ts";
export { QueryError } from "./tokens.ts";

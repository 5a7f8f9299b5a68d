/** The refusal of a login, in the words of Salt's servers. */
export const LOGIN_FAILED = "Could not authenticate using provided credentials";

const CONTEXT = "the error of cmd.run names the variables and the input, as the releases before 3006.24 did";

/** Recorded cases that differ here, each with its reason. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  "globals-salt-calls-7": CONTEXT,
  "globals-salt-calls-15": CONTEXT,
  "globals-salt-calls-26": CONTEXT,
  "salt-filters-regex-5": "errors of regular expressions have words of their own, and count positions from 1",
  "salt-filters-regex-9": "an empty match is not followed by a longer one at the same place, as in JavaScript",
};

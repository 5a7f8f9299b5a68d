import { notYet } from "./not_yet.ts";

/** States of network interfaces, whose files each family of systems has in another form. */
export const states = notYet(
  "network.managed, routes and system are not here: write the files of the interfaces with file.managed",
);

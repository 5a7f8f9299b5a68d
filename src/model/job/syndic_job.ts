/** Field in the record of a job that was published below a syndic, not by this master: the syndic's name. */
export const SYNDIC_OWN = "syndic";

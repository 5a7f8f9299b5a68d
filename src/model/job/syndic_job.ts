/** The field of a job's record that names the syndic below which it was published: this master has not published it. */
export const SYNDIC_OWN = "syndic";

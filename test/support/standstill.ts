/** A busy computer may stand still for seconds: the time limit of a call that is not to fail because of that. */
export const maxStandstillSeconds = 60;

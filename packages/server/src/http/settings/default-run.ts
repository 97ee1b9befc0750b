/** The run of who names none. */
export const DEFAULT_RUN = 'default';

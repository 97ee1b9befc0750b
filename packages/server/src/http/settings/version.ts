/** Of this program, as it is told to others. */
export const SERVER_VERSION = '0.1.0';

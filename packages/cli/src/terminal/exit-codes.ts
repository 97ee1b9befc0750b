/** What the end of a command tells the shell. The guide of the command line has this table too. */
export const EXIT_CODES = Object.freeze({
  /** Done, or ended in order with Ctrl-C where that is the way to end it: servers, `up`, watching, following. */
  done: 0,
  /** Refused, failed, or found something wrong; one sentence on standard error says what, and what to do. */
  failed: 1,
  /** Typed in a way that cannot be understood: a word or an option that does not exist, or one that is missing. */
  usage: 2,
  /** A server or an environment was given what can never work; who watches it does not start it again. */
  refused: 78,
  /** Given up with Ctrl-C before it was done. */
  interrupted: 130,
});

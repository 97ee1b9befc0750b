/** Names that look like what a shell takes, so that the file can be read by one too. */
const NAME = /^[A-Z][A-Z0-9_]{0,99}$/;

/**
 * Names that change how programs are found, loaded or where this one keeps things. In a file that is read at every start
 * they would be a trap: whoever writes the file could run code, and the home would be named inside the home.
 */
const REFUSED =
  /^(?:PATH|HOME|SHELL|IFS|ENV|NODE_.*|LD_.*|DYLD_.*|PYTHON.*|LACHESIS_HOME|LACHESIS_PROGRAM|LACHESIS_CHILD_.*)$/;

/** Undefined for a good name, else what is wrong with it. */
export function refuseSecretName(name: string): string | undefined {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name.slice(0, 100))} is not a name: capital letters, digits and underscores, a letter first, such as TINKER_API_KEY`;
  }
  return REFUSED.test(name)
    ? `${name} is not kept here: it says how programs run and is no secret. Set it in your shell`
    : undefined;
}

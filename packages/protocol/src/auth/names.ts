/** The tenant of who works on a home without a token. */
export const LOCAL_TENANT = 'local';

/** What has a name that becomes part of a path, a file's name, a key or a line of a log. */
export type NamedThing = 'tenant' | 'run';

/** Names of runs are longer because those made by `lachesis train` hold the environment's name and the time. */
const LONGEST_NAME: Readonly<Record<NamedThing, number>> = Object.freeze({ tenant: 64, run: 100 });

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Whether a tenant or a run may be called so: it is a folder's name and a part of a URL without any escaping. */
export function isName(thing: NamedThing, name: string): boolean {
  return name.length <= LONGEST_NAME[thing] && NAME.test(name) && !name.includes('..');
}

/** The rule as a sentence, for whoever gave a name that is none. */
export const describeNames = (thing: NamedThing): string =>
  `letters, digits, dots, dashes and underscores, at most ${LONGEST_NAME[thing]}, ` +
  'beginning with a letter or a digit and without two dots in a row';

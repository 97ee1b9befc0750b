import module from 'node:module';

/** Name of a package, and the address of the module that has it installed. */
type Offers = Readonly<Record<string, string>>;

const offered = new Map<string, string>();
let isRegistered = false;

/**
 * Lets the file of an author use packages that this program came with when its own folder has none, so that a file in an
 * empty folder runs. One that is installed there goes first.
 */
export function offerPackages(offers: Offers): void {
  for (const [name, from] of Object.entries(offers)) offered.set(name, from);
  if (isRegistered) return;
  isRegistered = true;
  // Not by its name: a Node without it can still load what else is here.
  module.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const parentURL = offered.get(nameOf(specifier));
        // What is installed and broken is told as it is.
        if (parentURL === undefined || !isNotFound(error)) throw error;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
}

/** `@lachesis/sdk` of `@lachesis/sdk/environment`. */
const nameOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';

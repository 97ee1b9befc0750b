import { registerHooks } from 'node:module';

/** What the file of an environment imports, in a folder where nothing is installed. */
const OFFERED = /^(?:@lachesis\/sdk(?:\/|$)|zod$)/;

let isOffered = false;

/**
 * Lets an environment file use the SDK that this command came with when its own folder has none, so that a file in an empty
 * folder runs. One that is installed there goes first.
 */
export function offerPackages(): void {
  if (isOffered) return;
  isOffered = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!OFFERED.test(specifier) || !isNotFound(error)) throw error;
        // zod is a dependency of the SDK, and need not be one of ours.
        const parentURL = specifier === 'zod' ? import.meta.resolve('@lachesis/sdk/environment') : import.meta.url;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';

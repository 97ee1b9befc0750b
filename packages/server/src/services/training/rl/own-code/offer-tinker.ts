import { registerHooks } from 'node:module';

let isOffered = false;

/** Lets a file of an author's use the `@lachesis/tinker` that this server came with, where its own folder has none. */
export function offerTinker(): void {
  if (isOffered) return;
  isOffered = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (specifier !== '@lachesis/tinker') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

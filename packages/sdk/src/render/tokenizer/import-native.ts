import { RenderError } from '../errors/render-error.ts';
import type { NativePackage } from './native-package.ts';

/** Loads the optional package, or says what to install. */
export async function importNative(
  load: () => Promise<NativePackage> = () => import('tokenizers'),
): Promise<NativePackage> {
  try {
    return await load();
  } catch (cause) {
    throw new RenderError({
      kind: 'no-tokenizers-package',
      reason: 'The optional package tokenizers is not installed, or has no binary for this machine.',
      hint: 'Install it beside @lachesis/sdk: npm install tokenizers@0.23.2',
      cause,
    });
  }
}

import { createNamespaceProvider } from '../../../sandbox/namespace/create-namespace-provider.ts';
import { SandboxError } from '../../../sandbox/sandbox-error.ts';
import { findChromium, type FindChromiumOptions } from './find-chromium.ts';

/** What is missing here for a browser, as what to do about it; undefined where one can be started. */
export async function findBrowserProblem(options: FindChromiumOptions): Promise<string | undefined> {
  if (findChromium(options) === undefined) {
    return 'install Chromium (apt-get install chromium), or set LACHESIS_CHROMIUM or tools.browser: { executable: … }';
  }
  try {
    await import('playwright-core');
  } catch {
    // An optional peer: whoever has no browser tools does not need it.
    return 'install the driver of the browser: npm install playwright-core@1.65.0';
  }
  try {
    createNamespaceProvider();
  } catch (error) {
    if (SandboxError.isInstance(error))
      return `a browser runs in a namespace sandbox: ${error.message.replace(/\.$/, '')}`;
    throw error;
  }
  return undefined;
}

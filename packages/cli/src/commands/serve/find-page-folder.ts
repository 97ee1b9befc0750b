import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
/** Only a checkout has it. */
const SOURCE = resolve(PACKAGE, '..', '..', 'apps', 'dashboard');

/** Where the page of the control server lies, also before it was built: in the package, or where a checkout builds it into. */
export const findPageFolder = (): string =>
  existsSync(SOURCE) ? resolve(SOURCE, 'dist') : resolve(PACKAGE, 'dashboard');

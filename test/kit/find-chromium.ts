import { existsSync } from 'node:fs';

/** Debian's, as `.ci/setup` installs it. */
export const CHROMIUM = '/usr/bin/chromium';

export const hasChromium = (): boolean => existsSync(CHROMIUM);

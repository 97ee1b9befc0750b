import { existsSync } from 'node:fs';

/** Debian's, as `.ci/setup` installs it. */
const CHROMIUM = '/usr/bin/chromium';

/** The browser that suites and tests of the page drive; undefined where there is none. */
export const findChromium = (): string | undefined => (existsSync(CHROMIUM) ? CHROMIUM : undefined);

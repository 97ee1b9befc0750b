import { photographDashboard } from './photograph-dashboard.ts';
import { drawTerminalScreens } from './terminal-screens.ts';

/*
 * `pnpm screens [terminal|dashboard]`: what README and docs show, made from the real thing. Without a word both.
 */

const MAKERS: Readonly<Record<string, () => Promise<void>>> = {
  terminal: drawTerminalScreens,
  dashboard: photographDashboard,
};

const words = process.argv.slice(2);
const unknown = words.find((word) => !(word in MAKERS));
if (unknown !== undefined) {
  process.stderr.write(
    `There are no screens ${unknown}: say ${Object.keys(MAKERS).join(' or ')}, or nothing for all.\n`,
  );
  process.exit(1);
}
for (const [name, make] of Object.entries(MAKERS)) if (words.length === 0 || words.includes(name)) await make();

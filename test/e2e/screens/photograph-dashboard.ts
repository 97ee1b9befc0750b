import { createControlClient, createLibraryClient } from '@lachesis/sdk';
import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startControlServer } from '../../kit/start-control-server.ts';
import { planScenario } from '../../seed/scenarios.ts';
import { seedHome } from '../../seed/seed-home.ts';
import { buildPage } from '../dashboard/build-page.ts';
import { launch, openWatchedPage, showPage } from '../dashboard/open-pages.ts';
import { listPages } from '../dashboard/pages.ts';
import { findChromium } from '../../kit/find-chromium.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
/** All of them, to be looked at; nobody commits these. */
const ALL = join(repository, '.ci', 'logs', 'screens');
/** Those that pages open with. */
const PICTURES = join(repository, 'docs', 'pictures');
const SETTLE_MS = 600;
const MOST_BYTES = 150 * 1_024;

const WIDTHS = [
  { width: 1_440, height: 900 },
  { width: 390, height: 844 },
] as const;
const SCHEMES = ['light', 'dark'] as const;

/** Which page is in docs/pictures, and in which scheme. */
const SHOWN: Readonly<Record<string, 'dark' | 'light'>> = {
  now: 'light',
  'runs-forks': 'light',
  run: 'dark',
  step: 'light',
  'group-tokens': 'light',
  'compare-groups': 'light',
  'compare-rollouts': 'light',
  trajectory: 'light',
  rate: 'light',
  data: 'light',
  model: 'light',
  'lineage-model': 'light',
  system: 'light',
};

/** Opens every page of a seeded home in Chromium, light and dark, wide and narrow, and keeps what it shows. */
export async function photographDashboard(): Promise<void> {
  const program = findChromium();
  if (program === undefined) throw new Error('there is no Chromium: install it (apt install chromium) and try again');
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-screens-'));
  const home = join(folder, 'home');
  for (const place of [ALL, PICTURES]) await mkdir(place, { recursive: true });
  await buildPage();
  await seedHome({ home, plan: planScenario('busy', { isSmall: false }), onProgress: say });
  const { url: origin, process: server } = await startControlServer({ home });
  const browser = await launch(program);
  try {
    const pages = await listPages({
      api: createControlClient({ url: origin }),
      library: createLibraryClient({ url: origin }),
    });
    for (const scheme of SCHEMES) {
      for (const size of WIDTHS) {
        const { page, faults } = await openWatchedPage(browser, { origin, ...size, scheme });
        for (const [name, address] of pages) {
          await showPage(page, `${origin}${address}`);
          // Curves of rows come one by one, each by a call of its own.
          await page.waitForTimeout(SETTLE_MS);
          const bytes = await page.screenshot();
          await writeFile(join(ALL, `${name}-${size.width}-${scheme}.png`), bytes);
          if (size.width === WIDTHS[0].width && SHOWN[name] === scheme) await keep(name, bytes);
        }
        const found = [...faults.console, ...faults.policy, ...faults.elsewhere];
        say(
          `${pages.length} pages, ${scheme}, ${size.width} px: ${found.length} faults ${found.slice(0, 3).join('; ')}`,
        );
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
    await server.stop();
    await removeFolder(folder);
  }
}

async function keep(name: string, bytes: Buffer): Promise<void> {
  const file = join(PICTURES, `${name}.png`);
  await writeFile(file, bytes);
  const { size } = await stat(file);
  if (size > MOST_BYTES) say(`${name}.png has ${Math.round(size / 1_024)} KB, more than ${MOST_BYTES / 1_024}`);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

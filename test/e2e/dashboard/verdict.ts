import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { startControlServer } from '../../kit/start-control-server.ts';
import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { findChromium } from '../thumbs/open-browser.ts';
import { buildPage } from './build-page.ts';
import { launch, openWatchedPage } from './open-pages.ts';

const NAME = 'score of a prompt that was tried in the browser';
/** An environment is loaded in a process of its own for its list, its settings and its verdict. */
const LOADED_MS = 120_000;

export const verdict: Scenario = {
  name: 'verdict',
  title: 'one prompt, tried on an environment in the browser, has the verdict of its verifier',
  async run(context) {
    const program = await findChromium();
    if (program === undefined || !context.full) {
      const why = program === undefined ? 'there is no chromium here' : 'it is part of the long form';
      context.reportNotRun({ name: NAME, why, bar: 'score 1' });
      return;
    }
    await buildPage();
    const model = await startScriptedModel(() => ({ say: '7'.repeat(8) }));
    context.defer(() => model.close());
    const home = path.join(await context.scratch(), 'home');
    await mkdir(home);
    const { url: origin, process } = await startControlServer({
      home,
      env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: 'scripted', OPENAI_API_KEY: 'none' },
    });
    context.defer(async () => void (await process.stop()));
    const browser = await launch(program);
    context.defer(() => browser.close());
    const { page } = await openWatchedPage(browser, { origin, width: 1_440, height: 900, scheme: 'light' });
    await page.goto(`${origin}/environments?at=digits&view=try`);
    await page.getByRole('button', { name: 'Select digits' }).click({ timeout: LOADED_MS });
    await page.getByLabel('Prompt').fill('Say sevens.', { timeout: LOADED_MS });
    await page.getByLabel('The right answer').fill('7');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const said = (await page.locator('aside article b').textContent({ timeout: LOADED_MS })) ?? '';
    context.report({ name: NAME, figure: said, bar: 'score 1', ok: said === 'score 1' });
  },
};

import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { startScriptedModel } from '../../kit/start-scripted-model.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { findChromium } from '../../kit/find-chromium.ts';
import { launch } from './open-pages.ts';
import { openServer } from './open-server.ts';

const NAME = 'score of a prompt that was tried in the browser';
/** An environment is loaded in a process of its own for its list, its settings and its verdict. */
const LOADED_MS = 120_000;

export const verdict: Scenario = {
  name: 'verdict',
  title: 'one prompt, tried on an environment in the browser, has the verdict of its verifier',
  async run(context) {
    const program = findChromium();
    if (program === undefined || !context.full) {
      const why = program === undefined ? 'there is no chromium here' : 'it is part of the long form';
      context.reportNotRun({ name: NAME, why, bar: 'score 1' });
      return;
    }
    const model = await startScriptedModel(() => ({ say: '7'.repeat(8) }));
    context.defer(() => model.close());
    const home = path.join(await context.scratch(), 'home');
    await mkdir(home);
    const server = await openServer(context, {
      home,
      env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: 'scripted', OPENAI_API_KEY: 'none' },
    });
    const browser = await launch(program);
    context.defer(() => browser.close());
    const { page } = await server.open(browser, { width: 1_440, height: 900, scheme: 'light' });
    await page.goto(`${server.url}/environments?at=digits&view=try`);
    await page.getByRole('button', { name: 'Select digits' }).click({ timeout: LOADED_MS });
    await page.getByLabel('Prompt').fill('Say sevens.', { timeout: LOADED_MS });
    await page.getByLabel('The right answer').fill('7');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const said = (await page.locator('aside article b').textContent({ timeout: LOADED_MS })) ?? '';
    context.report({ name: NAME, figure: said, bar: 'score 1', ok: said === 'score 1' });
  },
};

import path from 'node:path';
import type { Page } from 'playwright-core';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
import { launch, openWatchedPage } from '../open-pages.ts';
import { KEYS, POINTER } from './hands.ts';
import { openStory, type StoryPlace } from './open-story.ts';
import { LONG_MS, tellStory, type Hands } from './tell-story.ts';

/** More than are ever made: a run of the story ends because it is stopped. */
const STEPS = { pointer: 200, keys: 300 } as const;
/** What was on the page when something did not come. */
const SHOT = path.resolve(import.meta.dirname, '../../../../.ci/logs/dashboard/story.png');

/** `pnpm e2e dashboard/story`: what the dashboard is for, done in a browser on a run of the real engine. */
export const story: Scenario = {
  name: 'story',
  title:
    'from packed packages, tokens on: a run is started, watched, read, rated and stopped in a browser, its models served and taught by what was rated; then the same by keys alone',
  async run(context) {
    const program = findChromium();
    if (program === undefined) {
      context.reportNotRun({ name: 'the story', why: 'there is no chromium here', bar: 'told' });
      return;
    }
    const place = await openStory(context);
    const browser = await launch(program);
    context.defer(() => browser.close());
    const address = await place.makeAddress();
    const { page, faults } = await openWatchedPage(browser, {
      ...{ origin: new URL(address).origin, width: 1_440, height: 900, scheme: 'light' },
    });
    page.setDefaultTimeout(LONG_MS);
    try {
      await page.goto(address);
      await tell(context, { page, place, name: 'pointer', hands: POINTER });
      if (context.full) {
        const run = await tell(context, { page, place, name: 'keys', hands: KEYS });
        await resume(context, page, run);
      } else {
        context.reportNotRun({
          name: 'keys: the same by keys alone, resumed',
          why: 'a second run: --full',
          bar: 'told',
        });
      }
    } catch (error) {
      await page.screenshot({ path: SHOT });
      throw error;
    }
    const found = [...faults.console, ...faults.policy, ...faults.elsewhere];
    for (const fault of found) context.log(fault);
    context.report({
      name: 'errors, refusals of the content policy, requests elsewhere',
      figure: String(found.length),
      bar: '0',
      ok: found.length === 0,
    });
  },
};

async function tell(
  context: ScenarioContext,
  { name, ...told }: { page: Page; place: StoryPlace; name: keyof typeof STEPS; hands: Hands },
): Promise<string> {
  const { done, run } = await tellStory({
    ...told,
    steps: STEPS[name],
    log: (text) => context.log(`${name}: ${text}`),
  });
  for (const line of done) context.report({ ...line, name: `${name}: ${line.name}` });
  return run;
}

/** A run that was stopped goes on, and is stopped again. */
async function resume(context: ScenarioContext, page: Page, run: string): Promise<void> {
  await page.goto(new URL(`/runs/${run}`, page.url()).href);
  const state = page.locator('.state-word');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click();
  await state.filter({ hasText: /starting|running/ }).waitFor();
  const resumed = await state.textContent();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  await state.filter({ hasText: 'stopped' }).waitFor();
  context.report({
    ...{
      name: 'resumed, and stopped again',
      figure: `${resumed}, stopped`,
      bar: 'starting or running, stopped',
      ok: true,
    },
  });
}

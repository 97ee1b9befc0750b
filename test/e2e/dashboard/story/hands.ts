import type { Page } from 'playwright-core';

import type { Hands } from './tell-story.ts';

const rail = (page: Page, name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

/** What the rows of a data set are. */
const KIND = 'label:has(> span:text-is("Kind")) select';

/** Who points and presses. */
export const POINTER: Hands = {
  async start(page, steps) {
    await page.getByRole('link', { name: 'Start a run' }).click();
    await page.getByRole('combobox').first().selectOption('digits');
    // The fields are those of the environment once the server has it.
    await page.waitForURL(/environment=digits/);
    const field = page.getByRole('textbox', { name: /^max_steps/ });
    await field.fill(String(steps));
    await field.blur();
    await page.locator('.estimate dd').first().getByText(String(steps), { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
  },
  async openStep(page) {
    const chart = page.locator('.chart[aria-label^="reward/mean"] .u-over');
    const box = await chart.boundingBox();
    if (box === null) throw new Error('the chart has no place on the page');
    // The last point is at the right edge.
    await chart.click({ position: { x: box.width - 2, y: box.height / 2 } });
  },
  openGroup: (page) => page.locator('.group-row .group-item').first().click(),
  showTokens: (page) => page.getByRole('button', { name: /^Tokens/ }).click(),
  async compare(page) {
    await page.getByRole('button', { name: /^Tokens/ }).click();
    await page
      .getByRole('button', { name: /^rollout \d/ })
      .nth(1)
      .click();
    await page.getByRole('button', { name: /^Compare/ }).click();
  },
  goToRating: (page) => rail(page, 'Rate').click(),
  goToPairs: (page) => page.getByRole('link', { name: 'pairs' }).click(),
  async stop(page, run) {
    await rail(page, 'Runs').click();
    await page.getByRole('link', { name: run }).first().click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  },
  async goToModel(page, model) {
    await rail(page, 'Models').click();
    await page.getByRole('link', { name: model, exact: true }).click();
    await page.waitForURL(({ pathname }) => decodeURIComponent(pathname) === `/models/${model}`);
  },
  async promote(page) {
    await page.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote', exact: true }).click();
  },
  async rollBack(page) {
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
  },
  async goToTrajectory(page, id) {
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('combobox', { name: /^Search/ }).fill(id);
    await page.getByRole('option', { name: id }).click();
  },
  async reroll(page) {
    await page
      .getByRole('navigation', { name: 'Parts of this trajectory' })
      .getByRole('link', { name: 're-roll' })
      .click();
    await page.getByRole('button', { name: 're-roll' }).click();
  },
  preferNew: (page) => page.getByRole('button', { name: 'new is better' }).click(),
  async makePairs(page, name) {
    await rail(page, 'Data').click();
    await page.getByRole('button', { name: 'Make a data set' }).click();
    await page.getByLabel('Name; a new version').fill(name);
    await page.locator(KIND).selectOption('preference');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
  },
  async goToRatingLineage(page, feedbackId) {
    await rail(page, 'Lineage').click();
    await page.getByLabel('Kind of thing').selectOption('feedback');
    await page.getByLabel('Its id or name').fill(feedbackId);
    await page.getByRole('button', { name: 'Show' }).click();
  },
  async follow(page, { kind, id }) {
    const box = page.locator(`.graph-box[data-key="${kind}:${id}"]`);
    const folded = page.locator(`.graph-box.kind-${kind}`, { hasText: /more/ });
    await box.or(folded).first().waitFor();
    if ((await box.count()) === 0) await folded.click();
    await box.click();
    await page.getByRole('link', { name: 'put it in the middle' }).click();
    await page.waitForURL(({ pathname }) => pathname === `/lineage/${kind}/${id}`);
  },
};

const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Presses Tab until what is meant has the focus, as somebody without a pointer does. */
async function tabTo(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`no Tab leads to ${selector}`);
}

/** The newest run with rollouts, from anywhere; with a name, once that one is the newest that the page knows of. */
async function goToNewestRun(page: Page, run = ''): Promise<void> {
  await press(page, 'g', 'r');
  await page.locator('[role=row][aria-rowindex="1"]', { hasText: run }).waitFor();
  // A training on a data set is a run too; its name is longer.
  for (let at = ''; !/^[a-z0-9]{8}$/.test(at);) {
    await press(page, 'j');
    await page.waitForURL(({ searchParams }) => (searchParams.get('at') ?? '') !== at);
    at = new URL(page.url()).searchParams.get('at') ?? '';
  }
  await page.locator('.run-row.at').waitFor();
  await press(page, 'Enter');
  await page.waitForURL(/\/runs\/[a-z0-9]{8}$/);
}

/** Who has no pointer. The run is a fork of the newest one. */
export const KEYS: Hands = {
  async start(page, steps) {
    await goToNewestRun(page);
    await page.locator('.run-facts').waitFor();
    await press(page, 'F');
    await page.getByText('the form has its settings').waitFor();
    await tabTo(page, 'label:has-text("max_steps") + input');
    await press(page, 'Control+a');
    await page.keyboard.type(String(steps));
    await press(page, 'Enter');
    await page.locator('.estimate dd').first().getByText(String(steps), { exact: true }).waitFor();
    // No key acts in a field of text: on to the next that is none.
    await tabTo(page, 'input[type=checkbox]');
    await press(page, 'S');
  },
  async openStep(page) {
    await press(page, '.');
    await page.getByText(/^at step \d/).waitFor();
    await press(page, 'Enter');
  },
  async openGroup(page) {
    await page.locator('.group-row').first().waitFor();
    await press(page, 'Enter');
  },
  showTokens: (page) => press(page, 't'),
  async compare(page) {
    await press(page, 't');
    await page
      .getByRole('heading', { name: /^Rollout \d/ })
      .first()
      .waitFor();
    await press(page, 'j');
    await page.waitForURL(/rollout=/);
    await press(page, '=');
  },
  goToRating: (page) => press(page, 'g', 'a'),
  async goToPairs(page) {
    await tabTo(page, '.tabs a:has-text("pairs")');
    await press(page, 'Enter');
  },
  async stop(page, run) {
    await goToNewestRun(page, run);
    await page.locator('.run-facts').waitFor();
    await press(page, 'S');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Enter');
  },
  async goToModel(page, model) {
    await press(page, 'g', 'm');
    const row = page.locator('tbody tr', { has: page.getByRole('link', { name: model, exact: true }) });
    await row.waitFor();
    for (let count = 0; count < 60 && (await row.getAttribute('class')) !== 'at'; count += 1) {
      const { search } = new URL(page.url());
      await press(page, 'j');
      await page.waitForURL((url) => url.search !== search);
    }
    await press(page, 'Enter');
    await page.waitForURL(({ pathname }) => decodeURIComponent(pathname) === `/models/${model}`);
  },
  async promote(page) {
    await page.getByRole('button', { name: 'Promote', exact: true }).waitFor();
    await press(page, 'P');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Enter');
  },
  async rollBack(page) {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press(page, 'B');
    await page.getByRole('dialog').waitFor();
    await press(page, 'Enter');
  },
  async goToTrajectory(page, id) {
    await press(page, 'Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(id);
    await page.getByRole('option', { name: id }).waitFor();
    await press(page, 'Enter');
    await page.waitForURL(new RegExp(`/trajectories/${id}`));
  },
  async reroll(page) {
    await page.locator('.virtual').first().waitFor();
    await press(page, 'r');
    await page.getByText('Nothing was sampled yet.').waitFor();
    await press(page, 'r');
  },
  preferNew: (page) => press(page, 'ArrowRight'),
  async makePairs(page, name) {
    await press(page, 'g', 'd');
    await page.getByRole('button', { name: 'Make a data set' }).waitFor();
    await press(page, 'n');
    await page.getByLabel('Name; a new version').waitFor();
    await page.keyboard.type(name);
    await tabTo(page, KIND);
    await page.keyboard.type('pairs');
    await tabTo(page, 'button.primary[type=submit]');
    await press(page, 'Enter');
  },
  async goToRatingLineage(page, feedbackId) {
    await press(page, 'g', 'l');
    await tabTo(page, 'select[aria-label="Kind of thing"]');
    await page.keyboard.type('feedback');
    await press(page, 'Tab');
    await page.keyboard.type(feedbackId);
    await press(page, 'Enter');
    await page.waitForURL(/\/lineage\/feedback\//);
  },
  async follow(page, { kind, id }) {
    const key = `${kind}:${id}`;
    await page.locator('.graph-box.middle').waitFor();
    // From the first to the last, through those that are folded together.
    for (let count = 0; count < 60; count += 1) {
      const at = new URL(page.url()).searchParams.get('at');
      if (at === key) break;
      if (at?.endsWith(`:${kind}`) === true && (await page.locator(`[data-key="${at}"]`).count()) > 0) {
        await press(page, 'Enter');
        await page.locator(`[data-key="${key}"]`).waitFor();
      } else {
        await press(page, 'j');
        await page.waitForURL(({ searchParams }) => searchParams.get('at') !== at);
      }
    }
    await press(page, 'Enter');
    await page.waitForURL(({ pathname }) => pathname === `/lineage/${kind}/${id}`);
  },
};

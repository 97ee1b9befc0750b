import { costSchemas } from '@lachesis/protocol';
import { createControlClient, createLibraryClient } from '@lachesis/sdk';
import type { Page } from 'playwright-core';

import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { LIBRARY } from '../../seed/fill-library.ts';

const SHOWN_MS = 30_000;
const { model, dataset } = LIBRARY;

type Same = (name: string, figure: string, expected: string) => void;

/** Promotes and rolls back, and makes a data set, by keys; what the page then says is what the API says. */
export async function actOnLibrary(context: ScenarioContext, origin: string, page: Page): Promise<void> {
  const same: Same = (name, figure, expected) =>
    context.report({ name, figure, bar: expected, ok: figure === expected });
  await serve(origin, page, same);
  await makeSet(origin, page, same);
  await readCosts(origin, page, same);
  await followLineage(origin, page, same);
  await checkAudit(origin, page, same);
}

async function serve(origin: string, page: Page, same: Same): Promise<void> {
  const control = createControlClient({ url: origin });
  const servedNow = async (): Promise<number | undefined> => {
    const { models } = await control.listModels({ name: model });
    return models.find(({ is_promoted: isServed }) => isServed)?.version;
  };
  await page.goto(`${origin}/models/${model}@3`);
  await page.getByRole('button', { name: 'Promote' }).waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('P');
  await page.getByRole('dialog').waitFor({ timeout: SHOWN_MS });
  await page.keyboard.type('better on held-out rows');
  await page.keyboard.press('Enter');
  await page.locator('.page-title', { hasText: 'served' }).waitFor({ timeout: SHOWN_MS });
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: SHOWN_MS });
  same('served after promoting in the browser', `${model}@${await servedNow()}`, `${model}@3`);

  await page.keyboard.press('B');
  await page.getByRole('dialog').waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: SHOWN_MS });
  await page
    .getByRole('link', { name: `${model}@1` })
    .first()
    .waitFor({ timeout: SHOWN_MS });
  same('served after rolling back', `${model}@${await servedNow()}`, `${model}@1`);
}

async function makeSet(origin: string, page: Page, same: Same): Promise<void> {
  await page.goto(`${origin}/data`);
  await page.getByRole('button', { name: 'Make a data set' }).waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('n');
  await page.getByLabel('Name; a new version').fill('liked');
  await page.getByLabel('Model', { exact: true }).fill('tiny');
  await page.getByLabel('Rating from').fill('0.75');
  await page.keyboard.press('Enter');
  const said = (await page.getByText('liked@1 has').textContent({ timeout: SHOWN_MS })) ?? '';
  const made = await createLibraryClient({ url: origin }).readDataset('liked@1');
  same('data set made in the browser', said.trim(), `liked@1 has ${made?.row_count ?? 'no'} rows.`);
}

async function readCosts(origin: string, page: Page, same: Same): Promise<void> {
  const costs = costSchemas.reply.parse(await (await fetch(`${origin}/v1/costs`)).json());
  await page.goto(`${origin}/cost`);
  const unknown = await page.locator('tr', { hasText: 'other/large' }).textContent({ timeout: SHOWN_MS });
  const without = await page.locator('dt:text-is("Without a price") + dd').textContent({ timeout: SHOWN_MS });
  same('trajectories without a price on the page', `${without}`, String(costs.total.without_cost));
  same('a model without a price', unknown?.includes('unknown') === true ? 'unknown' : `${unknown}`, 'unknown');
}

/** From a rated chat to what forgetting it would touch, before it is done. */
async function followLineage(origin: string, page: Page, same: Same): Promise<void> {
  const rows = createLibraryClient({ url: origin }).readDatasetRows(`${dataset}@1`);
  const trajectory = (await rows.next()).value?.trajectory_id ?? '';
  await rows.return(undefined);
  const { forward, names } = await createControlClient({ url: origin }).readLineage(`trajectory:${trajectory}`);
  const models = forward.nodes.filter(({ kind }) => kind === 'model').map(({ id }) => names[id] ?? id);
  await page.goto(`${origin}/lineage/trajectory/${trajectory}`);
  const touched = page.locator('.forgetting li', { hasText: 'models' }).locator('span').last();
  const said = (await touched.textContent({ timeout: SHOWN_MS })) ?? '';
  same('models that forgetting would touch', said.split(':')[0] ?? '', models.join(', '));
  for (const kind of ['trajectory', 'dataset']) {
    await page.keyboard.press('j');
    await page.waitForURL(new RegExp(`at=${kind}`), { timeout: SHOWN_MS });
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/lineage\/dataset/, { timeout: SHOWN_MS });
}

async function checkAudit(origin: string, page: Page, same: Same): Promise<void> {
  await page.goto(`${origin}/system?view=audit`);
  const said = (await page.locator('.note[role=status]').textContent({ timeout: SHOWN_MS })) ?? '';
  const check = (await (await fetch(`${origin}/v1/audit/check`)).json()) as { is_whole: boolean };
  same('the chain of the audit log on the page', String(said.includes('is whole')), String(check.is_whole));
}

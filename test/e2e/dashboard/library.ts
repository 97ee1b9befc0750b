import { costSchemas } from '@lachesis/protocol';
import type { Page } from 'playwright-core';

import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { LIBRARY } from '../../seed/fill-library.ts';
import type { DashboardServer } from './open-server.ts';

const SHOWN_MS = 30_000;
const { model, dataset } = LIBRARY;

type Same = (name: string, figure: string, expected: string) => void;

/** Promotes and rolls back, and makes a data set, by keys; what the page then says is what the API says. */
export async function actOnLibrary(context: ScenarioContext, server: DashboardServer, page: Page): Promise<void> {
  const same: Same = (name, figure, expected) =>
    context.report({ name, figure, bar: expected, ok: figure === expected });
  await serve(server, page, same);
  await makeSet(server, page, same);
  await readCosts(server, page, same);
  await followLineage(server, page, same);
  await checkAudit(server, page, same);
}

async function serve(server: DashboardServer, page: Page, same: Same): Promise<void> {
  const servedNow = async (): Promise<number | undefined> => {
    const { models } = await server.api.listModels({ name: model });
    return models.find(({ is_promoted: isServed }) => isServed)?.version;
  };
  await page.goto(`${server.url}/models/${model}@3`);
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

async function makeSet(server: DashboardServer, page: Page, same: Same): Promise<void> {
  await page.goto(`${server.url}/data`);
  await page.getByRole('button', { name: 'Make a data set' }).waitFor({ timeout: SHOWN_MS });
  await page.keyboard.press('n');
  await page.getByLabel('Name; a new version').fill('liked');
  await page.getByLabel('Model', { exact: true }).fill('tiny');
  await page.getByLabel('Rating from').fill('0.75');
  await page.keyboard.press('Enter');
  const said = (await page.getByText('liked@1 has').textContent({ timeout: SHOWN_MS })) ?? '';
  const made = await server.library.readDataset('liked@1');
  same('data set made in the browser', said.trim(), `liked@1 has ${made?.row_count ?? 'no'} rows.`);
}

async function readCosts(server: DashboardServer, page: Page, same: Same): Promise<void> {
  const costs = costSchemas.reply.parse(await server.ask('/v1/costs'));
  await page.goto(`${server.url}/cost`);
  const unknown = await page.locator('tr', { hasText: 'other/large' }).textContent({ timeout: SHOWN_MS });
  const without = await page.locator('dt:text-is("Without a price") + dd').textContent({ timeout: SHOWN_MS });
  same('trajectories without a price on the page', `${without}`, String(costs.total.without_cost));
  same('a model without a price', unknown?.includes('unknown') === true ? 'unknown' : `${unknown}`, 'unknown');
}

/** From a rated chat to what forgetting it would touch, before it is done. */
async function followLineage(server: DashboardServer, page: Page, same: Same): Promise<void> {
  const rows = server.library.readDatasetRows(`${dataset}@1`);
  const trajectory = (await rows.next()).value?.trajectory_id ?? '';
  await rows.return(undefined);
  const { forward, names } = await server.api.readLineage(`trajectory:${trajectory}`);
  const models = forward.nodes.filter(({ kind }) => kind === 'model').map(({ id }) => names[id] ?? id);
  await page.goto(`${server.url}/lineage/trajectory/${trajectory}`);
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

async function checkAudit(server: DashboardServer, page: Page, same: Same): Promise<void> {
  await page.goto(`${server.url}/system?view=audit`);
  const said = (await page.locator('.note[role=status]').textContent({ timeout: SHOWN_MS })) ?? '';
  const check = await server.ask<{ is_whole: boolean }>('/v1/audit/check');
  same('the chain of the audit log on the page', String(said.includes('is whole')), String(check.is_whole));
}

import { createControlClient, createLibraryClient } from '@lachesis/sdk';
import { LIBRARY } from '../../seed/fill-library.ts';
import { RUNS } from '../../seed/scenarios.ts';

type PageAddress = readonly [name: string, address: string];

const [{ run }, { run: other }] = RUNS;
const STEP = 12;
const { model, dataset } = LIBRARY;

const LIBRARY_PAGES: readonly PageAddress[] = [
  ['data', `/data?at=${dataset}@1`],
  ['data-rows', `/data?at=${dataset}@1&view=rows`],
  ['data-held-out', `/data?at=${LIBRARY.heldOut}@1&view=recipe`],
  ['data-make', '/data?make=1&name=liked&min_rating=0.75'],
  ['models', '/models'],
  ['model', `/models/${model}@3`],
  ['model-gates', `/models/${model}@2?view=gates`],
  ['model-history', `/models/${model}@1?view=history`],
  ['model-settings', `/models/${model}@3?view=settings`],
  ['cost', '/cost'],
  ['cost-days', '/cost?by=day&days=7'],
  ['lineage', '/lineage'],
  ['lineage-model', `/lineage/model/${model}@3`],
  ['lineage-data', `/lineage/dataset/${dataset}@1?whole=trajectory`],
  ['system', '/system'],
  ['system-queue', '/system?view=queue'],
  ['system-tokens', '/system?view=tokens'],
  ['system-audit', '/system?view=audit'],
  ['environments', '/environments?at=digits'],
  ['environment-try', '/environments?at=digits&view=try'],
];

const RUN_PAGES: readonly PageAddress[] = [
  ['now', '/'],
  ['runs', `/runs?at=${run}&marked=${other}`],
  ['run', `/runs/${run}?step=${STEP}`],
  ['run-steps', `/runs/${run}?view=steps`],
  ['run-why', `/runs/${run}?view=why`],
  ['run-events', `/runs/${run}?view=events`],
  ['run-logs', `/runs/${run}?view=logs`],
  ['run-settings', `/runs/${run}?view=settings`],
  ['step', `/runs/${run}/steps/${STEP}`],
  ['start', '/start'],
  ['compare', '/compare'],
  ['compare-runs', `/compare?runs=${run},${other}`],
  ['trajectories', '/trajectories'],
  ['rate', '/rate'],
  ['rate-pairs', '/rate?mode=pairs'],
];

/** Every page, on what a seeded home has. Some addresses hold an id, for which the server is asked. */
export async function listPages(origin: string): Promise<PageAddress[]> {
  return [...RUN_PAGES, ...(await findReadingPages(origin)), ...LIBRARY_PAGES, ['design', '/design']];
}

async function findReadingPages(origin: string): Promise<PageAddress[]> {
  const step = await createControlClient({ url: origin }).readStep(run, STEP);
  const [left, right] = step.groups.map(({ group_id: id }) => id);
  const { trajectories } = await createLibraryClient({ url: origin }).listTrajectories({ limit: 2 });
  const [first, second] = trajectories.map(({ trajectory_id: id }) => id);
  const group = `/runs/${run}/groups/${left}`;
  return [
    ['group', group],
    ['group-tokens', `${group}?view=tokens`],
    ['compare-rollouts', `/compare?run=${run}&group=${left}&a=0&b=1`],
    ['compare-groups', `/compare?groups=${run}/${left},${run}/${right}`],
    ['compare-models', `/compare?models=${model}@2,${model}@3`],
    ['trajectory', `/trajectories/${first}`],
    ['compare-trajectories', `/compare?a=${first}&b=${second}`],
  ];
}

import type { ControlClient, LibraryClient } from '@lachesis/sdk';
import { LIBRARY } from '../../seed/fill-library.ts';
import { RUNS } from '../../seed/scenarios.ts';

type PageAddress = readonly [name: string, address: string];

const [{ run }, { run: shorter }] = RUNS;
const STEP = 20;
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
  ['runs', `/runs?at=${run}&marked=${shorter}`],
  ['runs-forks', '/runs?tree=1'],
  ['run', `/runs/${run}?step=${STEP}`],
  ['run-steps', `/runs/${run}?view=steps`],
  ['run-why', `/runs/${run}?view=why`],
  ['run-events', `/runs/${run}?view=events`],
  ['run-logs', `/runs/${run}?view=logs`],
  ['run-settings', `/runs/${run}?view=settings`],
  ['step', `/runs/${run}/steps/${STEP}`],
  ['start', '/start'],
  ['compare', '/compare'],
  ['compare-runs', `/compare?runs=${run},${shorter}`],
  ['trajectories', '/trajectories'],
  ['rate', '/rate'],
  ['rate-pairs', '/rate?mode=pairs'],
];

/** Every page, on what a seeded home has. Some addresses hold an id, for which the server is asked. */
export async function listPages(clients: Clients): Promise<PageAddress[]> {
  return [...RUN_PAGES, ...(await findReadingPages(clients)), ...LIBRARY_PAGES, ['design', '/design']];
}

interface Clients {
  readonly api: ControlClient;
  readonly library: LibraryClient;
}

async function findReadingPages({ api: control, library }: Clients): Promise<PageAddress[]> {
  const [first] = (await control.readStep(run, STEP)).groups;
  const { sequences } = await control.readGroup(run, first?.group_id ?? '');
  const sorted = sequences.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0));
  const [best, worst] = [sorted[0]?.rollout, sorted.at(-1)?.rollout];
  // The same task some steps later: what became of it.
  const { steps } = await control.listSteps(run, { item: first?.item ?? '' });
  const later = await control.readStep(run, Math.max(...steps.map(({ step }) => step)));
  const again = later.groups.find(({ item }) => item === first?.item);
  const { trajectories } = await library.listTrajectories({ filter: { text: 'invoice' } });
  const [talk, other] = trajectories.toSorted((left, right) => right.turn_count - left.turn_count);
  const group = `/runs/${run}/groups/${first?.group_id}`;
  return [
    ['group', group],
    ['group-tokens', `${group}?view=tokens`],
    ['compare-rollouts', `/compare?run=${run}&group=${first?.group_id}&a=${best}&b=${worst}`],
    ['compare-groups', `/compare?groups=${run}/${first?.group_id},${run}/${again?.group_id}`],
    ['compare-models', `/compare?models=${model}@1,${model}@2,${model}@3`],
    ['trajectory', `/trajectories/${talk?.trajectory_id}`],
    ['trajectory-feedback', `/trajectories/${talk?.trajectory_id}?view=feedback`],
    ['compare-trajectories', `/compare?a=${talk?.trajectory_id}&b=${other?.trajectory_id}`],
  ];
}

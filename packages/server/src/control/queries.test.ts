import { createIdSource, runListSchema, runMetricsSchema, type RunList, type RunMetrics } from '@lachesis/protocol';
import { createTrainingRun, findOrCreateRun, recordMetricPoints, type Store } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createControlBench, type ControlBench } from './bench.fixture.ts';

let bench: ControlBench;
const ids = createIdSource();

const createRun = (store: Store, shortId: string, environment: string) =>
  createTrainingRun({
    ...{ store, tenantId: 'local', environment, ids, config: { values: {} }, details: () => ({}) },
    processes: () => ({
      api: { logPath: '/a', port: 1 },
      trainer: { logPath: '/b', port: 2 },
      env: { logPath: '/c', port: null },
    }),
    nextShortId: () => shortId,
  });

beforeAll(async () => {
  const fill = async (store: Store) => {
    for (const [index, environment] of ['toy', 'maths', 'toy', 'maths', 'toy'].entries())
      await createRun(store, `run0000${index}`, environment);
    const { runId } = await findOrCreateRun({ store, tenantId: 'local', name: 'run00000' });
    const points = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ series: 'train/loss', step: index + 1, at: index, value: index === 654 ? 50 : 1 },
    }));
    const rewards = points.map((point) => ({ ...point, series: 'reward/mean', value: 0.5 }));
    await recordMetricPoints({ store, tenantId: 'local', runId, points: [...points, ...rewards] });
  };
  bench = await createControlBench({}, fill, {}, { pageFolder: tmpdir() });
});

afterAll(() => bench[Symbol.asyncDispose]());

const listRuns = async (query: string): Promise<RunList> =>
  runListSchema.parse((await bench.call('GET', `/runs?${query}`)).json);

test('runs are listed by environment, page after page', async () => {
  const first = await listRuns('environment=toy&limit=2');
  expect(first.runs.map(({ run_id: id }) => id)).toEqual(['run00004', 'run00002']);
  const last = await listRuns(`environment=toy&limit=2&before=${first.next}`);
  expect([last.runs.map(({ run_id: id }) => id), last.next]).toEqual([['run00000'], null]);
  expect((await listRuns('environment=toy&status=failed')).count).toBe(0);
});

test('a history that is thinned out tells the lowest and the highest of what it leaves out', async () => {
  const read = async (query: string): Promise<RunMetrics> =>
    runMetricsSchema.parse((await bench.call('GET', `/runs/run00000/metrics?${query}`)).json);
  const thin = await read('limit=10');
  expect(thin.history).toHaveLength(10);
  expect(thin.history[6]).toEqual({ step: 700, 'train/loss': 1.49, 'reward/mean': 0.5 });
  expect(thin.ranges).toEqual([{ step: 700, 'train/loss': [1, 50] }]);
  const whole = await read('limit=1000&series=train/loss');
  expect([whole.history.length, whole.ranges]).toEqual([1_000, undefined]);
  expect(whole.history[654]).toEqual({ step: 655, 'train/loss': 50 });
});

test('a stretch says which of its steps made the lowest and the highest', async () => {
  const read = async (query: string): Promise<unknown> =>
    (await bench.call('GET', `/runs/run00000/metrics/extremes?${query}`)).json;
  expect(await read('series=train/loss&from=601&to=700')).toEqual({
    ...{ run_id: 'run00000', series: 'train/loss' },
    ...{ lowest: { step: 601, value: 1 }, highest: { step: 655, value: 50 } },
  });
  expect(await read('series=none&from=1&to=9')).toMatchObject({ lowest: null, highest: null });
});

test('a query that does not fit is refused and not guessed at', async () => {
  const refused = ['/runs?state=failed', '/runs/run00000/events?after=x', '/runs/run00000/metrics?limit=0'];
  for (const url of [...refused, '/runs/run00000/metrics/extremes?series=train/loss&from=1']) {
    expect([url, (await bench.call('GET', url)).status]).toEqual([url, 422]);
  }
});

test('the OpenAPI document says of every route what it does, takes and gives', async () => {
  interface Operation {
    summary?: string;
    parameters?: { name: string; in: string }[];
    requestBody?: { content: Record<string, { schema: object }> };
    responses: { 200: { content: Record<string, { schema: object }> } };
  }
  const { paths } = (await bench.call('GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, Operation>>;
  };
  const unsaid: string[] = [];
  for (const route of bench.control.routes) {
    const path = route.path.replaceAll(/:([a-z_]+)/g, '{$1}');
    const operation = paths[path]?.[route.method.toLowerCase()];
    const isEmpty = (content: Record<string, { schema: object }> = {}): boolean =>
      Object.entries(content).some(
        ([type, { schema }]) => /json$|event-stream/.test(type) && Object.keys(schema).length === 0,
      );
    const isMissing = operation === undefined || !operation.summary?.endsWith('.');
    if (isMissing || isEmpty(operation.requestBody?.content) || isEmpty(operation.responses[200].content))
      unsaid.push(`${route.method} ${path}`);
  }
  // Lines of rows have the shape their data set has.
  expect(unsaid).toEqual(['GET /v1/datasets/{ref}/rows']);
  expect(paths['/runs']?.['get']?.parameters?.map(({ name }) => name)).toEqual([
    'status',
    'environment',
    'limit',
    'before',
  ]);
});

test('the pages of the protocol name every route with its scope', async () => {
  const read = (name: string) => readFile(new URL(`../../../../docs/protocols/${name}`, import.meta.url), 'utf8');
  const pages = `${await read('control.md')}\n${await read('library.md')}`;
  const rows = pages.split('\n').filter((line) => line.startsWith('| `'));
  const missing = bench.control.routes.filter(({ method, path, scope }) => {
    const shown = path.replaceAll(/:[a-z_]+/g, '{}');
    return !rows.some((row) => {
      const flat = row.replaceAll(/\{[^}]*\}/g, '{}');
      const names = [...flat.matchAll(/`((?:GET|POST|DELETE|PUT) )?(\/[^\s`?]*)/g)].map((match) => match[2]);
      return (
        row.includes(method) &&
        names.includes(shown) &&
        flat.includes(scope === 'public' ? '| none |' : `| \`${scope}\` |`)
      );
    });
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

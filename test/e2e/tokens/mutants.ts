import { createToken, findTrainingRun } from '@lachesis/store';
import { readControlSettings } from '@lachesis/server';
import { createLog } from '@lachesis/server/processes';
import { buildControl } from '../../../packages/server/src/control/build.ts';
import { setTimeout as sleep } from 'node:timers/promises';

import { findStrangeRows } from './find-strange-rows.ts';
import { CLI, type Place } from './start-up.ts';
import { openHome } from './tenants.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROGRAM = { file: process.execPath, arguments: ['--conditions=lachesis-source', CLI] };
const SEEN_MS = 240_000;

const settingsOf = ({ home, recipe }: Place) =>
  readControlSettings({ home, recipe, port: 0, logLevel: 'silent' }, {}).values;

/** A control server that puts its own token on every call, whoever is asked. Gives the token that must not be seen. */
export async function askWithOneToken(place: Place, env: Environment): Promise<string> {
  await using store = await openDisposable(place.home);
  const make = async (name: string) =>
    (await createToken({ store: store.value, tenantId: 'local', name, scopes: ['admin'] })).token;
  const [own, caller] = [await make('of the server'), await make('of the caller')];
  const control = await buildControl({
    settings: settingsOf(place),
    log: createLog({ name: 'mutant', level: 'silent' }),
    ...{ env, program: PROGRAM },
    replace: {
      runs: {
        isSupervising: false,
        stations: (real) => ({
          ...real,
          fetch: (input, init) => fetch(input, { ...init, headers: { authorization: `Bearer ${own}` } }),
        }),
      },
    },
  });
  try {
    await control.app.inject({
      ...{ method: 'POST', url: '/test/inference', payload: { prompts: ['hi'] } },
      headers: { host: 'localhost', authorization: `Bearer ${caller}` },
    });
    return own;
  } finally {
    await control.close();
  }
}

/** A control server whose trainers are not told whose runs they train. Gives the rows that carry a tenant who started nothing. */
export async function trainAsLocal(place: Place, env: Environment): Promise<readonly string[]> {
  await using store = await openDisposable(place.home);
  // Processes of a run work where their control server was started, and leave files there.
  const repository = process.cwd();
  process.chdir(place.project);
  const tenantId = 'acme';
  const { token } = await createToken({ store: store.value, tenantId, name: 'x', scopes: ['run:admin'] });
  const control = await buildControl({
    settings: settingsOf(place),
    log: createLog({ name: 'mutant', level: 'silent' }),
    ...{ env, program: PROGRAM },
    replace: {
      runs: {
        plan: (real) => async (run, ports) => {
          const plan = await real(run, ports);
          const { trainer } = plan.processes;
          if (trainer === undefined) throw new Error('a run that is rewarded has a trainer');
          const given = trainer.arguments.slice(0, trainer.arguments.indexOf('--tenant'));
          return { ...plan, processes: { ...plan.processes, trainer: { ...trainer, arguments: given } } };
        },
      },
    },
  });
  const headers = { host: 'localhost', authorization: `Bearer ${token}` };
  const call = async (method: 'GET' | 'POST', url: string, payload?: object): Promise<Record<string, unknown>> =>
    (await control.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })).json();
  try {
    const { run_id: shortId } = (await call('POST', '/runs', { environment: 'watched' })) as { run_id: string };
    const until = performance.now() + SEEN_MS;
    let { strange } = findStrangeRows(place.home);
    for (; strange.length === 0 && performance.now() < until; { strange } = findStrangeRows(place.home))
      await sleep(300);
    await call('POST', `/runs/${shortId}/stop`);
    for (;;) {
      const run = await findTrainingRun({ store: store.value, tenantId, shortId });
      if (run === undefined || run.endedAt !== null || performance.now() > until) return strange;
      await sleep(200);
    }
  } finally {
    process.chdir(repository);
    await control.close();
  }
}

async function openDisposable(home: string) {
  const value = await openHome(home);
  return { value, [Symbol.asyncDispose]: () => value.close() };
}

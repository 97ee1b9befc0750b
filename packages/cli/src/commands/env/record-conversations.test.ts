import { listTrajectories, openHome } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { drainHome } from '../../flags/library/drain-home.ts';
import { openConversationRecording } from './record-conversations.ts';

test('what an environment evaluated is in the library, with its model and its score, and nothing learns from it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-env-'));
  vi.stubEnv('LACHESIS_HOME', home);
  vi.stubEnv('LACHESIS_URL', undefined);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  });
  const now = (): number => Date.parse('2026-11-17T01:50:12Z');
  const recording = openConversationRecording({ mode: 'evaluate', environment: 'digits', now });
  const messages = [
    { role: 'user' as const, content: 'Send digits.' },
    { role: 'assistant' as const, content: '1111' },
  ];
  recording.add({ task: 'one', model: 'm1', messages, outcome: { kind: 'scored', reward: 0.5 } });
  recording.add({ task: 'one', model: 'm2', messages, outcome: { kind: 'abstained', reason: 'no answer' } });
  const source = await recording.close();
  expect(source).toBe('evaluation:digits@20261117-015012');
  await using local = await openHome({ home });
  const { store } = local;
  await drainHome({ local, place: { home } });
  const page = await listTrajectories({
    store,
    tenantId: 'local',
    filter: { source: source! },
    limit: 9,
    order: 'oldest',
  });
  expect(page.trajectories).toMatchObject([
    { model: 'm1', outcome: 'scored', reward: 0.5, consent: 'evaluate', title: 'Send digits.' },
    { model: 'm2', outcome: 'abstained', reward: null, reason: 'no answer', split: 'evaluation' },
  ]);
});

test('a run without a conversation opens nothing and names nothing', async () => {
  expect(await openConversationRecording({ mode: 'process', environment: 'digits' }).close()).toBeUndefined();
});

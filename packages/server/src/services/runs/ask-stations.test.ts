import { expect, test } from 'vitest';
import { createStationProbe, type StationProbeOptions } from './ask-stations.ts';

function openProbe(change: Partial<StationProbeOptions> = {}) {
  const asked: string[] = [];
  let now = 0;
  const probe = createStationProbe({
    findEngineUrl: async () => 'http://engine/',
    ...{ engineKey: undefined, gatewayUrl: 'http://gateway', isConfigured: false, monotonic: () => now },
    hasPolicy: async () => false,
    fetch: async (url) => {
      asked.push((url as URL).href);
      return Response.json({ supported_models: [{ model_name: 'tiny' }] });
    },
    ...change,
  });
  return { probe, asked, pass: (ms: number) => (now += ms) };
}

test('engine and gateway are asked, and not again for a while', async () => {
  const { probe, asked, pass } = openProbe();
  expect(await probe.look()).toEqual({ engine: 'ready', inference: 'ready' });
  await probe.look();
  expect(asked).toEqual(['http://engine/api/v1/healthz', 'http://gateway/health']);
  pass(5_000);
  await probe.look();
  expect(asked).toHaveLength(4);
  expect(await probe.findFirstModel()).toBe('tiny');
});

test('what is not there, does not answer or is not asked has a word each', async () => {
  const away: Partial<StationProbeOptions> = { fetch: () => Promise.reject(new Error('refused')) };
  expect(await openProbe(away).probe.look()).toEqual({ engine: 'away', inference: 'away' });
  expect(await openProbe(away).probe.findFirstModel()).toBeUndefined();
  const none = { findEngineUrl: () => Promise.reject(new Error('none')), gatewayUrl: undefined };
  expect(await openProbe(none).probe.look()).toEqual({ engine: 'none', inference: 'none' });
  const managed = { findEngineUrl: async () => undefined, gatewayUrl: undefined, isConfigured: true };
  expect(await openProbe(managed).probe.look()).toEqual({ engine: 'managed', inference: 'configured' });
  const running = { gatewayUrl: undefined, hasPolicy: async () => true };
  expect((await openProbe(running).probe.look()).inference).toBe('ready');
});

test('the engine is shown its key, and nobody else is', async () => {
  const shown: [string, string | null][] = [];
  const { probe } = openProbe({
    engineKey: 'tml-mine',
    fetch: async (url, init) => {
      shown.push([(url as URL).host, new Headers(init?.headers).get('x-api-key')]);
      return Response.json({ supported_models: [{ model_name: 'tiny' }] });
    },
  });
  await probe.look();
  await probe.findFirstModel();
  expect(shown).toEqual([
    ['engine', 'tml-mine'],
    ['gateway', null],
    ['engine', 'tml-mine'],
  ]);
});

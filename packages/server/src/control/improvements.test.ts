import { startImprovement } from '@lachesis/store';
import { expect, test } from 'vitest';
import { createControlBench, makeToken } from './bench.fixture.ts';

test('a plan that a server does not take is refused before anything is written', async () => {
  await using bench = await createControlBench();
  const judge = { base_url: 'http://169.254.169.254/v1', model: 'j', rubric: 'r', rubric_name: 'r.md' };
  for (const [plan, reason] of [
    [{}, /model/],
    [{ model: 'm', method: 'rl' }, /method/],
    [{ model: 'm', judge }, /169\.254/],
    [{ model: 'm', judge, rules: [] }, /choose one/],
    [{ model: 'm', rules: [{ name: 'r', when: { regex: '(' }, score: 1 }] }, /regex/],
    [{ model: 'm', base_model: 'models' }, /not a folder/],
    [{ model: 'm', base_model: '/etc' }, /not a folder/],
    [{ model: 'm', base_model: '../other' }, /not a folder/],
    [{ model: 'm', training: { tokenizer: '/etc' } }, /tokenizer/],
    [{ model: 'm', training: { initial_state: 'tinker://other/weights/1' } }, /initial_state/],
    [{ model: 'm', training: { no_such: 1 } }, /no_such/],
    [{ model: 'm\u0000' }, /model is letters/],
  ] as const) {
    const { status, text } = await bench.call('POST', '/improvements', { body: plan });
    expect({ status, text }).toEqual({ status: 422, text: expect.stringMatching(reason) });
  }
  // This one was not started as a program.
  expect(await bench.call('POST', '/improvements', { body: { model: 'm' } })).toMatchObject({
    status: 409,
    text: expect.stringContaining('cannot start processes'),
  });
  expect((await bench.call('GET', '/improvements')).json).toEqual({ improvements: [] });
});

test('who may not write ratings has no rules and no judge write them', async () => {
  await using bench = await createControlBench();
  const rules = [{ name: 'polite', when: { contains: 'please' }, score: 1 }];
  const judge = { base_url: 'https://example.com/v1', model: 'j', rubric: 'r', rubric_name: 'r.md' };
  const token = await makeToken(bench.store, 'a', ['run:admin']);
  for (const body of [
    { model: 'm', rules },
    { model: 'm', judge },
  ]) {
    expect(await bench.call('POST', '/improvements', { body, token })).toMatchObject({
      status: 403,
      text: expect.stringContaining('feedback:write'),
    });
  }
  // 409: this one was not started as a program.
  const rater = await makeToken(bench.store, 'a', ['run:admin', 'feedback:write']);
  expect((await bench.call('POST', '/improvements', { body: { model: 'm', rules }, token: rater })).status).toBe(409);
  expect((await bench.call('POST', '/improvements', { body: { model: 'm' }, token })).status).toBe(409);
});

test('improvements are looked at and ended by their tenant alone', async () => {
  await using bench = await createControlBench();
  const [a, b] = [
    await makeToken(bench.store, 'a', ['run:admin', 'view']),
    await makeToken(bench.store, 'b', ['admin']),
  ];
  const { improvement } = await startImprovement({
    ...{ store: bench.store, tenantId: 'a', model: 'm', stage: 'collect', plan: { model: 'm' } },
  });
  const id = improvement.improvementId;
  for (const ref of [id, id.slice(0, 13), 'm']) {
    expect((await bench.call('GET', `/improvements/${ref}`, { token: b })).status).toBe(404);
    expect((await bench.call('POST', `/improvements/${ref}/stop`, { token: b })).status).toBe(404);
    expect((await bench.call('POST', `/improvements/${ref}/resume`, { token: b })).status).toBe(404);
    const { json } = await bench.call('GET', `/improvements/${ref}`, { token: a });
    expect(json).toMatchObject({ improvement_id: id, state: 'interrupted', outcome: null });
  }
  const { json } = await bench.call('POST', `/improvements/${id.slice(0, 13)}/stop`, { token: a });
  expect(json).toMatchObject({ state: 'ended', outcome: 'stopped', reason: 'it was asked for' });
  // What has ended stays so.
  expect((await bench.call('POST', `/improvements/${id}/resume`, { token: a })).json).toEqual(json);
});

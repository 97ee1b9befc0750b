import path from 'node:path';
import { expect, test } from 'vitest';
import { placeOutput } from './place-output.ts';

const variables = { LACHESIS_HOME: '/h' };
const place = (url: string, evaluations?: string) =>
  placeOutput({
    name: 'digits',
    config: { rollout_server_url: url, data_dir_to_save_evals: evaluations },
    variables,
  });

test('what an environment writes for a run lies with the run, so that two runs share no file', () => {
  const [first, second] = [place('http://h:8000/run/rl-a'), place('http://h:8000/run/rl-b')];
  expect(first.folder).toBe('/h/runs/rl-a/environments/digits');
  expect(second.folder).toBe('/h/runs/rl-b/environments/digits');
  expect(first.evaluationFolder(5)).toBe('/h/runs/rl-a/environments/digits/evals/step-5');
  expect(first.evaluationFolder(5)).not.toBe(second.evaluationFolder(5));
});

test('evaluations of two runs do not overwrite each other in a folder that was named either', () => {
  expect(place('http://h:8000/run/rl-a', '/evals').evaluationFolder(5)).toBe('/evals/rl-a/step-5');
  expect(place('http://h:8000/run/rl-b', '/evals').evaluationFolder(5)).toBe('/evals/rl-b/step-5');
});

test('an environment that was started alone writes where it stands', () => {
  for (const url of ['http://h:8000', 'http://h:8000/', 'http://h:8000/run/..', 'http://h:8000/run/a%2Fb']) {
    const alone = place(url);
    expect([alone.run, alone.folder]).toEqual([undefined, path.join('data', 'digits')]);
    expect(alone.evaluationFolder(5)).toBe(path.join('data', 'evals', 'digits', 'step-5'));
  }
});

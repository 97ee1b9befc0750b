import type { GroupPayload } from '@lachesis/protocol/codec';
import { expect, test } from 'vitest';
import { createTemperatureWatch } from './watch-temperature.ts';

import { estimators } from '../advantages.ts';
import { convertBatch } from '../datums/convert-batch.ts';
import { makeGroup } from '../datums/group.fixture.ts';
import { compareLogprobs } from './compare-logprobs.ts';
import { findAlarms } from './find-alarms.ts';

const LIMITS = { drift_alarm: 0.05, kl_alarm: 0.1, ratio_alarm: 20 };
const bounds = { low: 0.8, high: 1.2 };

function sequencesOf(policyRanges?: number[]) {
  const groups = [
    makeGroup(
      [
        { tokens: [1, 2, 3], logprobs: [1, -1, -2], score: 1 },
        { tokens: [1, 4], logprobs: [1, -3], score: 0 },
      ],
      policyRanges === undefined ? {} : { policyRanges },
    ),
  ];
  return convertBatch({ groups, estimate: estimators.mean_centred, maxTokens: 10 }).sequences;
}

test('equals its formulas over the trained tokens', () => {
  const logprobs = [Float32Array.of(-1.5, -2), Float32Array.of(-2)];
  const got = compareLogprobs({ sequences: sequencesOf(), logprobs, policyVersion: 0, bounds });
  const d = [-0.5, 0, 1];
  const average = (f: (x: number) => number) => d.reduce((sum, x) => sum + f(x), 0) / d.length;
  expect(got.tokens).toBe(3);
  expect(got.samplerMean).toBeCloseTo(-2);
  expect(got.trainerMean).toBeCloseTo(-5.5 / 3);
  expect(got.kl1).toBeCloseTo(average((x) => -x));
  expect(got.kl2).toBeCloseTo(average((x) => x * x) / 2);
  expect(got.kl3).toBeCloseTo(average((x) => Math.exp(x) - 1 - x));
  expect(got.ratioMean).toBeCloseTo(average(Math.exp));
  expect(got.ratioMax).toBeCloseTo(Math.E);
  expect(got.clipFraction).toBeCloseTo(2 / 3);
  expect(got.driftTokens).toBe(0);
});

test('drift is taken from tokens of the newest policy alone', () => {
  const sequences = sequencesOf([0, 1, 3, 7, 1, 1, 2, 6]);
  const logprobs = [Float32Array.of(-1.25, -2.25), Float32Array.of(-9)];
  expect(compareLogprobs({ sequences, logprobs, policyVersion: 7, bounds })).toMatchObject({
    drift: 0.25,
    driftTokens: 2,
  });
});

test('an alarm names the number, its limit and what to do', () => {
  const quiet = compareLogprobs({
    sequences: sequencesOf(),
    logprobs: [Float32Array.of(-1, -2), Float32Array.of(-3)],
    policyVersion: 0,
    bounds,
  });
  expect(findAlarms(quiet, LIMITS)).toEqual([]);
  const loud = { ...quiet, tokens: 100, driftTokens: 100, drift: 0.2, kl3: Number.NaN, ratioMax: 21 };
  expect(findAlarms(loud, LIMITS).map(({ name, limit }) => [name, limit])).toEqual([
    ['drift', 0.05],
    ['kl', 0.1],
    ['ratio', 20],
  ]);
  expect(findAlarms({ ...loud, driftTokens: 3, tokens: 3 }, LIMITS).map(({ name }) => name)).toEqual(['ratio']);
});

test('a temperature other than 1 is told of once, and what cannot be read is none', () => {
  const said: string[] = [];
  const watch = createTemperatureWatch((message) => void said.push(message));
  const groupAt = (text?: string): GroupPayload =>
    ({ json: text === undefined ? undefined : { generation_params: new TextEncoder().encode(text) } }) as GroupPayload;
  watch([groupAt(), groupAt('{'), groupAt('null'), groupAt('{"temperature":1.0}')]);
  expect(said).toEqual([]);
  watch([groupAt('{"temperature":1}'), groupAt('{"temperature":0.6}')]);
  watch([groupAt('{"temperature":0.6}')]);
  expect(said).toEqual([expect.stringContaining('sampled at temperature 0.6')]);
});

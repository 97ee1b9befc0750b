import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { composeBody, findGroupIds } from './compose-body.ts';
import { loadTemplates } from './load-templates.ts';
import { makeTemplate } from './make-template.ts';

const shape = { sequences: 4, tokens: 32, count: 3 };

describe('bodies', () => {
  it('are one gzip stream of valid JSON with an id of their own', async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), 'lachesis-bodies-'));
    const templates = await loadTemplates({ ...shape, cacheFolder });
    const body = composeBody({ id: 17, envId: 5, templates });
    const text = gunzipSync(body.wire);
    expect(text.length).toBe(body.inflatedBytes);
    expect(findGroupIds(Buffer.concat([text, text]))).toEqual([17, 17]);
    const group = JSON.parse(text.toString()) as Record<string, unknown>;
    expect(group['env_id']).toBe(5);
    expect(group['tokens']).toHaveLength(4);
    expect(group['inference_logprobs']).toHaveLength(4);
    expect(text.toString()).toContain('"scores": [0.0, 1.0, 0.0, 1.0]');
    await rm(cacheFolder, { recursive: true });
  });

  it('are the same from the cache as when made', async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), 'lachesis-bodies-'));
    const made = await loadTemplates({ ...shape, cacheFolder });
    const cached = await loadTemplates({ ...shape, cacheFolder });
    expect(cached).toEqual(made);
    expect(new Set(cached.map(({ gzipped }) => gzipped.toString('hex'))).size).toBe(shape.count);
    await rm(cacheFolder, { recursive: true });
  });

  it('mask the prompt, a quarter of each sequence', () => {
    const { masks, tokens } = JSON.parse(`{${makeTemplate({ sequences: 1, tokens: 8 }, 1)}`) as Record<
      string,
      number[][]
    >;
    expect(masks?.[0]?.slice(0, 2)).toEqual([-100, -100]);
    expect(masks?.[0]?.slice(2)).toEqual(tokens?.[0]?.slice(2));
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  TinkerConflictError,
  TinkerNotFoundError,
  TinkerValidationError,
  WeightsError,
  downloadAdapter,
  parseTinkerPath,
  planDeleteCheckpoint,
  planListCheckpoints,
  readCheckpointList,
} from '@lachesis/tinker';
import {
  planListRuns,
  planPublishCheckpoint,
  planUnpublishCheckpoint,
  planWeightsInfo,
} from '../../../../packages/tinker/src/weights/request-plans.ts';

import { RANK } from '../servers/subject.ts';
import type { Subject } from '../servers/subject.ts';
import { expectDroppedKnob, expectError, expectStatus } from './expect.ts';
import type { RowChecks } from './row.ts';

export const existingName: RowChecks = {
  async skyrl(subject) {
    const { training } = subject;
    await training.saveState('taken');
    for (const overwrite of [false, true]) {
      const error = await expectError(training.saveState('taken', { overwrite }), TinkerConflictError);
      assert.equal(error.conflict, 'exists');
    }
    expectDroppedKnob(subject, 'save_weights', 'overwrite');
    await training.optimStep({ learningRate: 0 });
  },
  async tuft({ training }) {
    const first = await training.saveState('taken');
    const second = await training.saveState('taken');
    assert.equal(second.path, first.path);
  },
};

/** Samples one token from a checkpoint, by the path as the server gave it. */
async function sampleFrom({ service }: Subject, modelPath: string): Promise<void> {
  const sampler = await service.createSampler({ modelPath, eosTokens: [2] });
  const prompt = Int32Array.of(5, 6, 7);
  const { sequences } = await sampler.sample({ prompt, params: { maxTokens: 4, seed: 1 } });
  assert.equal(sequences.length, 1);
  await sampler.close();
}

export const samplerPath: RowChecks = {
  async skyrl(subject) {
    const { training } = subject;
    const { path } = await training.saveForSampler('named');
    assert.equal(path, `tinker://${training.model.modelId}/named`);
    assert.equal(parseTinkerPath(path).kind, undefined);
    await sampleFrom(subject, path);
  },
  async tuft(subject) {
    const { training } = subject;
    const { path } = await training.saveForSampler('named');
    assert.equal(path, `tinker://${training.model.modelId}/sampler_weights/named`);
    await sampleFrom(subject, path);
  },
};

export const weightsInfo: RowChecks = {
  async skyrl({ training, service }) {
    const { path } = await training.saveState('described');
    const info = await service.request(planWeightsInfo(path));
    assert.deepEqual(info, { base_model: training.model.baseModel, is_lora: true, lora_rank: RANK });
    await training.saveForSampler('described-sampler');
    const samplerWeights = path.replace('weights/described', 'sampler_weights/described-sampler');
    await expectError(service.request(planWeightsInfo(samplerWeights)), TinkerValidationError, /weights/);
    const resumed = await service.createTrainingFromState(path);
    assert.equal(resumed.model.rank, RANK);
    await resumed.close();
  },
  async tuft({ training, service }) {
    const { path } = await training.saveState('described');
    const { path: samplerWeights } = await training.saveForSampler('described-sampler');
    for (const each of [path, samplerWeights]) {
      assert.equal((await service.request(planWeightsInfo(each)))['lora_rank'], RANK);
    }
    const resumed = await service.createTrainingFromState(path);
    assert.equal(resumed.model.rank, RANK);
    await resumed.close();
  },
};

async function listOwn({ training, service }: Subject): Promise<void> {
  const { path } = await training.saveState('listed');
  const { modelId: run } = training.model;
  const { checkpoints } = readCheckpointList(await service.request(planListCheckpoints({ run })));
  assert.ok(checkpoints.some((checkpoint) => checkpoint.path === path && checkpoint.type === 'training'));
  assert.ok(Array.isArray((await service.request(planListRuns({ limit: 5 })))['training_runs']));
}

export const listings: RowChecks = {
  async skyrl(subject) {
    await listOwn(subject);
    await expectError(subject.service.request(planListCheckpoints()), TinkerNotFoundError);
    expectStatus(await subject.ask('GET', 'sessions'), 404);
  },
  async tuft(subject) {
    await listOwn(subject);
    const { checkpoints } = readCheckpointList(await subject.service.request(planListCheckpoints()));
    assert.ok(checkpoints.length > 0);
    expectStatus(await subject.ask('GET', 'sessions'), 200);
  },
};

async function inScratch(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-tinker-rows-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const archive: RowChecks = {
  async skyrl({ ask, training, server }) {
    const { path } = await training.saveForSampler('archived');
    const run = `training_runs/${training.model.modelId}/checkpoints`;
    expectStatus(await ask('GET', `${run}/sampler_weights/archived/archive`), 405);
    expectStatus(await ask('GET', `${run}/archived/archive`), 302);
    await inScratch(async (folder) => {
      const destination = join(folder, 'adapter');
      await downloadAdapter({ path, destination, server: { baseUrl: server.url } });
      const config = JSON.parse(await readFile(join(destination, 'adapter_config.json'), 'utf8')) as {
        r: number;
        lora_alpha: number;
      };
      assert.deepEqual([config.r, config.lora_alpha], [RANK, 32]);
    });
  },
  async tuft({ ask, training, server }) {
    const { path } = await training.saveForSampler('archived');
    const typed = await ask(
      'GET',
      `training_runs/${training.model.modelId}/checkpoints/sampler_weights/archived/archive`,
    );
    expectStatus(typed, 302);
    assert.match(typed.headers.get('location') ?? '', /^file:/);
    await inScratch(async (folder) => {
      const refused = downloadAdapter({
        path,
        destination: join(folder, 'adapter'),
        server: { baseUrl: server.url, headers: () => ({ 'x-api-key': server.apiKey ?? '' }) },
      });
      // A server could name any file of this machine.
      await expectError(refused, WeightsError, /file on a disk/);
    });
  },
};

export const publish: RowChecks = {
  async skyrl({ training, service }) {
    const { path } = await training.saveState('published');
    await expectError(service.request(planPublishCheckpoint(path)), TinkerNotFoundError);
  },
  async tuft({ ask, training, service }) {
    const { path } = await training.saveState('published');
    await service.request(planPublishCheckpoint(path));
    // Its route to delete a checkpoint comes first and takes `publish` for a part of the name.
    const { path: route } = planUnpublishCheckpoint(path);
    expectStatus(await ask('DELETE', route.replace('api/v1/', '')), 500);
  },
};

export const deleteCheckpoint: RowChecks = {
  async skyrl({ ask, training, service }) {
    const { path } = await training.saveState('deleted');
    expectStatus(await ask('DELETE', `training_runs/${training.model.modelId}/checkpoints/deleted`), 400);
    await service.request(planDeleteCheckpoint(path));
    await expectError(service.request(planDeleteCheckpoint(path)), TinkerNotFoundError);
  },
  async tuft({ ask, training, service }) {
    const { path } = await training.saveState('deleted');
    await service.request(planDeleteCheckpoint(path));
    await training.saveState('deleted-bare');
    const bare = `training_runs/${training.model.modelId}/checkpoints/deleted-bare`;
    expectStatus(await ask('DELETE', bare), 204);
    expectStatus(await ask('DELETE', bare), 500);
  },
};

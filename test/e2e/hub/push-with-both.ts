import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { pushToHub } from '../../../packages/sdk/src/hub/push-to-hub.ts';
import { startPushHub, type PushHub } from '../../../packages/sdk/src/hub/testing/start-push-hub.fixture.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

const run = promisify(execFile);
const REPOSITORY = 'me/mine';

const THEIRS = `import sys
from huggingface_hub import HfApi
api = HfApi()
api.create_repo(sys.argv[1], repo_type='dataset', private=True, exist_ok=True)
api.upload_folder(repo_id=sys.argv[1], repo_type='dataset', folder_path=sys.argv[2])
`;

export interface PushOptions {
  readonly card: string;
  readonly large: Buffer;
  readonly token: string;
  /** Holds `huggingface_hub`. */
  readonly python: string;
}

/** One folder, pushed by ours and by the official Python client: the same files in one commit. */
export async function pushWithBoth(context: ScenarioContext, options: PushOptions): Promise<void> {
  const { card, large, token, python } = options;
  const directory = await context.scratch();
  await mkdir(join(directory, 'data'));
  const files = ['data/train-00000-of-00001.parquet', 'README.md'] as const;
  await writeFile(join(directory, files[0]), large);
  await writeFile(join(directory, files[1]), card);
  await using hub = await startPushHub({ failures: 2, chunkBytes: 10_000 });
  await pushToHub({
    ...{ directory, files, repository: REPOSITORY, token, isPublic: false, hubUrl: hub.url },
    wait: () => Promise.resolve(),
  });
  const sent = await readFile(join(directory, files[0]));
  const hasLarge = [...hub.stored.values()].some((bytes) => bytes.equals(sent));
  const ours = listCommits(hub);
  context.report({
    name: 'a push through two failures',
    figure: `${ours.length} commit, the large file ${hasLarge ? 'whole, in parts' : 'not whole'}`,
    bar: '1, whole',
    ok: ours.length === 1 && hasLarge,
  });
  await using other = await startPushHub({ chunkBytes: 10_000 });
  await run(python, ['-c', THEIRS, REPOSITORY, directory], {
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: directory, HF_HOME: await context.scratch() },
      // Its newer way for large files is another protocol, which ours does not speak.
      ...{ HF_ENDPOINT: other.url, HF_TOKEN: token, HF_HUB_DISABLE_XET: '1' },
    },
  });
  const theirs = listCommits(other);
  const isSame = JSON.stringify(ours) === JSON.stringify(theirs);
  context.report({
    name: 'the same push by huggingface_hub',
    figure: `${theirs.length} commit of ${theirs[0]?.length ?? 0} files, ${isSame ? 'the same' : 'other'} paths, hashes and bytes`,
    bar: '1 commit of 2 files, the same',
    ok: isSame && theirs.length === 1 && theirs[0]?.length === files.length,
  });
}

/** Of each commit: the files, with their bytes or the hash of them. */
function listCommits({ calls }: PushHub): string[][] {
  return calls
    .filter(({ path }) => path.includes('/commit/'))
    .map(({ body }) => {
      const lines = body.split('\n').filter((line) => line !== '');
      return lines
        .map((line) => JSON.parse(line) as { key: string; value: Record<string, string> })
        .filter(({ key }) => key !== 'header')
        .map(({ key, value }) => `${key} ${value['path']} ${value['oid'] ?? value['content']}`)
        .toSorted();
    });
}

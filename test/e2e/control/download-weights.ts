import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startProcess } from '../../kit/start-process.ts';
import { CLI, type Stack } from './start-stack.ts';

export interface DownloadWeightsOptions {
  readonly stack: Stack;
  readonly home: string;
  readonly project: string;
  readonly runId: string;
  /** As the recipe says. */
  readonly rank: number;
}

const DOWNLOAD_MS = 60_000;

/** `lachesis weights download`, then a look into the folder: the rank of the recipe, and matrices that training moved. */
export async function downloadWeights(options: DownloadWeightsOptions): Promise<{ figure: string; ok: boolean }> {
  const { stack, home, project, runId, rank } = options;
  const folder = join(project, 'checkpoints', runId);
  await using download = await startProcess({
    command: process.execPath,
    args: [
      ...['--conditions=lachesis-source', CLI, 'weights', 'download', runId, '--to', folder],
      ...['--server', stack.controlUrl, '--home', home],
    ],
    name: 'lachesis weights download',
    cwd: project,
    env: { TINKER_BASE_URL: undefined, TINKER_API_KEY: undefined, LACHESIS_TOKEN: undefined },
  });
  const timer = setTimeout(() => void download.stop(), DOWNLOAD_MS);
  const { code } = await download.exited;
  clearTimeout(timer);
  if (code !== 0) return { figure: `exit code ${code}: ${download.logs().slice(-500)}`, ok: false };
  const config = JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8')) as { r?: number };
  const { tensors, moved } = await countMoved(join(folder, 'adapter_model.safetensors'));
  return {
    figure: `rank ${config.r}, ${moved} of ${tensors} matrices B are not zero`,
    ok: config.r === rank && tensors > 0 && moved > 0,
  };
}

/** LoRA begins with B = 0: one that is not has been trained. */
async function countMoved(file: string): Promise<{ tensors: number; moved: number }> {
  await using handle = await open(file);
  const bytes = await handle.readFile();
  const size = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + size)) as Record<string, { data_offsets?: [number, number] }>;
  const spans = Object.entries(header).flatMap(([name, { data_offsets: span }]) =>
    name.includes('lora_B') && span !== undefined ? [span] : [],
  );
  const start = 8 + size;
  const moved = spans.filter(([from, to]) => bytes.subarray(start + from, start + to).some((byte) => byte !== 0));
  return { tensors: spans.length, moved: moved.length };
}

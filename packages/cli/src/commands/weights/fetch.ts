import { createTinkerClient, downloadAdapter, WeightsError, type WeightsServer } from '@lachesis/tinker';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { readHome } from '../../flags/engine.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { findRunId } from '../../runs/find-run.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { writeJson } from '../../terminal/screen.ts';
import { findWeights, readWeightsPath, type FoundWeights } from './find.ts';

export interface DownloadWeightsArguments {
  run: string;
  step: number | undefined;
  to?: string | undefined;
  overwrite?: boolean | undefined;
  'base-model'?: string | undefined;
  'engine-url'?: string | undefined;
  'allow-file-urls'?: boolean | undefined;
  home?: string | undefined;
  server?: string | undefined;
  token?: string | undefined;
  json?: boolean | undefined;
}

const HASH_CHARACTERS = 12;

/** Finds the weights of a run and brings them here. */
export async function downloadWeights(args: DownloadWeightsArguments): Promise<void> {
  const { runId, found, engine } = await findNamedWeights(args);
  const { signal, hurry } = listenForShutdown();
  hurry.addEventListener('abort', () => process.exit(EXIT_CODES.interrupted));
  const destination = args.to ?? chooseFolder(found);
  const adapter = await downloadAdapter({
    path: found.path,
    destination,
    server: engine,
    overwrite: args.overwrite === true,
    allowFileUrls: args['allow-file-urls'] === true,
    ...(args['base-model'] === undefined ? {} : { baseModel: args['base-model'] }),
    signal,
  }).catch((error: unknown) => fail(describeWeightsError(error, { engine, found, destination })));
  const { directory, rank, targetModules, header, warnings } = adapter;
  if (args.json === true) {
    writeJson({
      ...{ run_id: runId, step: found.step, weights_path: found.path, directory, rank, warnings },
      ...{ target_modules: targetModules, tensors: header.tensors.size },
    });
    return;
  }
  for (const warning of warnings) process.stderr.write(`lachesis: ${warning}\n`);
  process.stdout.write(
    `${directory}\n  ${runId === null ? '' : `run ${runId}, step ${found.step}, `}${found.path}\n  rank ${rank}, ${header.tensors.size} tensors, modules ${targetModules.join(', ')}\n`,
  );
}

/** A path is what it says; the weights of a run are where its server says. A run that is not there is told before an engine is. */
async function findNamedWeights(
  args: DownloadWeightsArguments,
): Promise<{ runId: string | null; found: FoundWeights; engine: WeightsServer }> {
  const named = readWeightsPath(args.run);
  if (named !== undefined && args.step !== undefined) {
    fail('--step goes with a run; a tinker:// path names the weights of one step.');
  }
  if (named !== undefined) return { runId: null, found: named, engine: await findEngineServer(args) };
  return await withControl(args, async (client) => {
    const id = await findRunId(client, args.run);
    const engine = await findEngineServer(args);
    return { runId: id, found: await findWeights({ client, runId: id, step: args.step, engine }), engine };
  });
}

/** One folder for each set of weights, however often it is asked for. */
const chooseFolder = ({ path }: FoundWeights): string =>
  join('checkpoints', createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARACTERS));

async function findEngineServer(args: DownloadWeightsArguments): Promise<WeightsServer> {
  const url = await findEngineUrl({ tinker: { base_url: args['engine-url'] } }, { home: readHome(args) });
  return createTinkerClient({ baseUrl: url });
}

function describeWeightsError(
  error: unknown,
  { engine, found, destination }: { engine: WeightsServer; found: FoundWeights; destination: string },
): string {
  if (!WeightsError.isInstance(error)) return error instanceof Error ? error.message : String(error);
  const { reason, status, message } = error;
  if (reason === 'exists')
    return `${destination} is there already. Choose another folder with --to, or replace it with --overwrite.`;
  if (reason === 'no-archive' || status === 404) {
    return `the engine at ${engine.baseUrl} does not have ${found.path}. Is it the one the run trained on? Name it with --engine-url.`;
  }
  if (status === 401 || status === 403) {
    return `the Tinker server at ${engine.baseUrl} refuses the key (${status}). Set TINKER_API_KEY to one that is good there: \`lachesis config set TINKER_API_KEY\` keeps it.`;
  }
  if (reason === 'abandoned') {
    process.stderr.write('lachesis: the download was broken off. The same command goes on where it was.\n');
    process.exit(EXIT_CODES.interrupted);
  }
  return message;
}

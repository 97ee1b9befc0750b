import type { TrainingRun } from '@lachesis/store';
import { readRunDetails } from '../details.ts';
import { keyedHeaders } from '../engine-address.ts';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck } from './run-preflight.ts';

export interface EngineCheckParts {
  fetch: typeof fetch;
  /** Sent to the engine as its key, when there is one. */
  apiKey?: string | undefined;
  /** Loads a tokenizer by the name or the folder of its model, and throws the reason when it cannot. */
  loadTokenizer: (place: string) => Promise<void>;
}

const ASK_MS = 15_000;

/** Engine, model and tokenizer. Each is skipped on the managed service, which says so itself when the trainer connects. */
export function createEngineChecks(parts: EngineCheckParts): PreflightCheck[] {
  return [
    {
      ...{ name: 'engine', limitMs: ASK_MS, fix: 'Look at the engine: `lachesis engine status`.' },
      async run(run, signal) {
        const url = engineOf(run);
        if (url === null) return { state: 'skipped', message: 'The managed service is used.' };
        await askEngine(parts, `${url}/api/v1/healthz`, signal);
        return { state: 'passed', message: `The engine at ${url} answers.` };
      },
    },
    {
      ...{ name: 'model', limitMs: ASK_MS, fix: 'Look at what the engine serves: `lachesis engine status`.' },
      async run(run, signal) {
        const url = engineOf(run);
        if (url === null) return { state: 'skipped', message: 'The managed service is used.' };
        const { wanted, served } = await findModel(parts, run, url, signal);
        return { state: 'passed', message: `The engine serves ${wanted ?? served[0] ?? 'a model'}.` };
      },
    },
    {
      name: 'tokenizer',
      limitMs: 60_000,
      fix: 'Name the folder of the tokenizer as tokenizer_name of the recipe, or fetch it once into the hub cache.',
      async run(run, signal) {
        const place = await findModelName(parts, run, signal);
        if (place === undefined) return { state: 'skipped', message: 'The model has no name to find a tokenizer by.' };
        await parts.loadTokenizer(place);
        return { state: 'passed', message: `The tokenizer of ${place} loads.` };
      },
    },
  ];
}

const engineOf = ({ details }: TrainingRun): string | null =>
  readRunDetails(details).engineUrl?.replace(/\/+$/, '') ?? null;

/** Undefined: the first one the engine has. */
export function modelOf({ config }: TrainingRun): string | undefined {
  const { recipe } = config as { recipe?: { env?: Record<string, unknown>; tinker?: Record<string, unknown> } };
  const named = [
    recipe?.tinker?.['base_model'],
    recipe?.tinker?.['tinker_model_name'],
    recipe?.env?.['tokenizer_name'],
  ];
  const name = named.find((each): each is string => typeof each === 'string' && each !== '');
  return name === 'engine' ? undefined : name;
}

/** The name of the run's model, as its tokenizer is found by it; undefined when nobody says. */
export async function findModelName(
  parts: Pick<EngineCheckParts, 'apiKey' | 'fetch'>,
  run: TrainingRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = engineOf(run);
  if (url === null) return modelOf(run);
  const { wanted, served } = await findModel(parts, run, url, signal);
  return wanted ?? served[0];
}

async function findModel(
  parts: Pick<EngineCheckParts, 'apiKey' | 'fetch'>,
  run: TrainingRun,
  url: string,
  signal: AbortSignal,
): Promise<{ wanted: string | undefined; served: string[] }> {
  const reply = await askEngine(parts, `${url}/api/v1/get_server_capabilities`, signal);
  const { supported_models: listed } = (await reply.json()) as { supported_models?: { model_name?: unknown }[] };
  const served = (listed ?? []).flatMap(({ model_name: name }) => (typeof name === 'string' ? [name] : []));
  const wanted = modelOf(run);
  if (wanted === undefined ? served.length > 0 : served.includes(wanted)) return { wanted, served };
  throw new PreflightFailure({
    message:
      wanted === undefined
        ? `The engine at ${url} serves no model.`
        : `The engine at ${url} does not serve ${wanted}; it serves ${served.join(', ') || 'nothing'}.`,
    fix: 'Start an engine with that model, or start the control server with a recipe for what it serves: base_model of the section tinker, where "engine" takes the first one.',
  });
}

async function askEngine(
  { fetch: send, apiKey }: Pick<EngineCheckParts, 'apiKey' | 'fetch'>,
  url: string,
  signal: AbortSignal,
): Promise<Response> {
  const fix =
    'Start it with `lachesis engine up`, or name another one with TINKER_BASE_URL and start the control server again.';
  let reply: Response;
  try {
    // Not followed elsewhere: whoever is named there would be sent the key.
    reply = await send(url, { signal, redirect: 'manual', headers: keyedHeaders(apiKey) });
  } catch (cause) {
    signal.throwIfAborted();
    throw new PreflightFailure({ message: `The engine does not answer at ${new URL(url).origin}.`, fix, cause });
  }
  if (reply.ok) return reply;
  await reply.arrayBuffer();
  throw new PreflightFailure({
    message: `The engine answers ${reply.status} to ${url}.`,
    fix: reply.status === 401 || reply.status === 403 ? 'Set TINKER_API_KEY to a key that is good there.' : fix,
  });
}

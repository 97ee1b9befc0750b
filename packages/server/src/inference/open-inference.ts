import { createIdSource, findProviderVariable } from '@lachesis/protocol';
import type { HubProgress } from '@lachesis/sdk/render';
import { findModel, findPromoted, type Home } from '@lachesis/store';
import { createTinkerClient } from '@lachesis/tinker';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { CircuitBreaker } from './calls/circuit-breaker.ts';
import {
  createInferenceStation,
  type InferenceStation,
  type TokenBackend,
  type UpstreamBackend,
} from './create-station.ts';
import { createStorePolicyMemory } from './policy/memory.ts';
import type { CallRecorder } from './recording/call-recorder.ts';
import { TinkerConnection } from './tinker/tinker-connection.ts';
import { createTinkerSource } from './tinker/tinker-source.ts';
import { readModelNames } from './upstream/map-model.ts';
import { createSendUpstream } from './upstream/send-upstream.ts';
import type { InferenceSettings } from '../http/settings/inference-settings.ts';
import { openRecording } from './recording/open-recording.ts';
import { SettingError } from '../http/settings/setting-error.ts';
import { findTokenizer } from '../services/models/find-tokenizer.ts';

export interface OpenInferenceOptions {
  settings: InferenceSettings;
  home: Home;
  registry: Registry;
  log: Logger;
  env?: Readonly<Record<string, string | undefined>>;
  replace?: InferenceReplacements | undefined;
}

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface InferenceReplacements {
  recorder?: (real: CallRecorder) => CallRecorder;
}

/** Joins the real parts of the inference station, without a socket: for its own process and for the trainer's. */
export async function openInference(options: OpenInferenceOptions): Promise<InferenceStation> {
  const { settings, registry, log } = options;
  const ids = createIdSource();
  const isUpstream = settings.upstreamUrl !== undefined;
  if (isUpstream && settings.model !== undefined) {
    throw new SettingError(
      `setting model is ${settings.model}: a server that passes requests on to ${settings.upstreamUrl} has no weights of its own. ` +
        'Give --engine-url instead of --upstream-url.',
    );
  }
  const breaker = new CircuitBreaker({
    name: isUpstream ? 'the upstream server' : 'the engine',
    monotonic: () => performance.now(),
  });
  const backend = isUpstream ? openUpstream(options, settings.upstreamUrl ?? '') : await openTinker(options, breaker);
  const recording = settings.capture ? await openRecording(options) : undefined;
  const station = createInferenceStation({
    settings,
    backend,
    breaker,
    registry,
    log,
    nextId: () => ids.next(),
    now: Date.now,
    recordingProblem: recording?.problem,
    recorder:
      recording === undefined ? undefined : (options.replace?.recorder?.(recording.recorder) ?? recording.recorder),
  });
  return {
    ...station,
    async close() {
      await station.close();
      await recording?.close();
    },
  };
}

const TELL_EVERY_MS = 2_000;

async function openTinker(
  { settings, home: { store }, log }: OpenInferenceOptions,
  breaker: CircuitBreaker,
): Promise<TokenBackend> {
  const { engineUrl, model, maxModelLength: givenLength } = settings;
  const connection = new TinkerConnection({
    createClient: (onEvent) => createTinkerClient({ baseUrl: engineUrl, onEvent }),
    onTrouble: (reason) => breaker.noteFailure(reason),
    log,
  });
  const { baseModel, maxLength } = await findBaseModel(settings, connection);
  const tokenizer = await findTokenizer(settings.tokenizer ?? baseModel, createProgressLog(log));
  const maxModelLength = givenLength ?? maxLength;
  return {
    kind: 'tinker',
    tokenizer,
    baseModel,
    maxModelLength,
    // Two servers of one home may serve two names; each goes on with its own.
    memory: createStorePolicyMemory({
      ...{ store, tenantId: settings.tenant },
      run: model === undefined ? settings.run : `${settings.run}/${model}`,
    }),
    promoted:
      model === undefined
        ? undefined
        : {
            name: model,
            read: () => findPromoted({ store, tenantId: settings.tenant, name: model }),
            async nameOf(modelVersionId) {
              const found = await findModel({ store, tenantId: settings.tenant, ref: modelVersionId });
              return found === undefined ? undefined : `${found.name}@${found.version}`;
            },
          },
    source: createTinkerSource({
      connection,
      eosTokens: [...tokenizer.stopTokens],
      // A model may have more ids than its tokenizer; the engine's own check is then the tighter one.
      vocabularySize: undefined,
      maxLength: maxModelLength,
      timeoutMs: settings.requestTimeoutSeconds * 1000,
    }),
  };
}

/** Named by the settings, or the only one the engine offers. */
async function findBaseModel(
  { baseModel, engineUrl }: InferenceSettings,
  connection: TinkerConnection,
): Promise<{ baseModel: string; maxLength: number | undefined }> {
  // With a name and a tokenizer the engine may still be starting: its weights are tried until it answers.
  const service = await connection.open().catch((error: unknown) => {
    if (baseModel !== undefined) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingError(
      `${engineUrl === undefined ? 'the managed Tinker service' : `the Tinker server ${engineUrl}`} does not answer (${reason}). ` +
        'Start one with `lachesis engine up`, give its address with --engine-url, or name the model with --base-model to wait for it.',
    );
  });
  const offered = service?.models ?? [];
  const name = baseModel ?? (offered.length === 1 ? offered[0]?.name : undefined);
  if (name === undefined) {
    const names = offered.map((model) => model.name);
    throw new SettingError(
      names.length === 0
        ? 'the Tinker server does not say which models it has; name one with --base-model'
        : `the Tinker server has ${names.length} models; name one with --base-model: ${names.slice(0, 20).join(', ')}`,
    );
  }
  return { baseModel: name, maxLength: offered.find((model) => model.name === name)?.maxLength };
}

/** A line now and then while files come from the hub: a first start may take a minute. */
function createProgressLog(log: OpenInferenceOptions['log']): (progress: HubProgress) => void {
  let toldAt = 0;
  return ({ path, receivedBytes, totalBytes }) => {
    const now = performance.now();
    if (now - toldAt < TELL_EVERY_MS && receivedBytes < totalBytes) return;
    toldAt = now;
    log.info({ path, received: receivedBytes, total: totalBytes }, 'fetching the tokenizer from the hub');
  };
}

function openUpstream({ settings, env = process.env }: OpenInferenceOptions, url: string): UpstreamBackend {
  const models = readModelNames(settings.upstreamModels);
  if ('refused' in models) {
    throw new SettingError(`setting upstreamModels has ${JSON.stringify(models.refused)}: it must be asked=upstream`);
  }
  const send = createSendUpstream({ maxSockets: settings.maxInFlight });
  return { kind: 'upstream', send, url, apiKey: findApiKey(url, env), models, close: send.close };
}

/** The key for an upstream: its own variable, or the one its provider's tools use. */
function findApiKey(url: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const own = env['LACHESIS_UPSTREAM_API_KEY'];
  if (own !== undefined) return own === '' ? undefined : own;
  const name = findProviderVariable(url);
  const key = name === undefined ? undefined : env[name];
  return key === '' ? undefined : key;
}

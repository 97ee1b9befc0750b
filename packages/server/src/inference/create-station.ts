import { LachesisError, type ActivePolicy, type PolicyPublication, type PolicyState } from '@lachesis/protocol';
import { TOOL_CALL_FORMATS } from '@lachesis/protocol/names';
import type { Tokenizer } from '@lachesis/sdk/render';
import type { Logger } from 'pino';
import { basename, isAbsolute } from 'node:path';
import type { Registry } from 'prom-client';
import type { Route } from '../http/route.ts';
import type { InferenceSettings } from '../http/settings/inference-settings.ts';
import type { CircuitBreaker } from './calls/circuit-breaker.ts';
import { InFlightLimit } from './calls/in-flight-limit.ts';
import { createGenerateRoute } from './generate/generate-route.ts';
import { createHealthRoutes } from './health-routes.ts';
import { InferenceMetrics } from './metrics.ts';
import { createMisdirectedRoutes } from './misdirected-routes.ts';
import { createChatRoute } from './openai/chat-route.ts';
import { createCompletionRoute } from './openai/completion-route.ts';
import { createModelsRoute } from './openai/models-route.ts';
import type { HandlerDeps } from './openai/deps.ts';
import { PolicyHolder } from './policy/holder.ts';
import type { PolicyMemory } from './policy/memory.ts';
import { PromotedFollower, readFirstPromoted, type PromotedModels } from './policy/promoted-follower.ts';
import { createServedModels } from './policy/served-models.ts';
import { createPolicyRoutes } from './policy/routes.ts';
import type { WeightsSource } from './policy/weights-source.ts';
import { noRecorder, type CallRecorder } from './recording/call-recorder.ts';
import { withTrajectoryPaths } from './recording/trajectory-paths.ts';
import { toLachesisError } from './tinker/to-lachesis-error.ts';
import { PolicySampler } from './tokens/policy-sampler.ts';
import { TokenTexts } from './tokens/token-texts.ts';
import { findOwner } from './upstream/find-owner.ts';
import type { ModelNames } from './upstream/map-model.ts';
import type { SendUpstream } from './upstream/send-upstream.ts';
import { TokenAsker } from './upstream/token-asker.ts';
import { createUpstreamRoutes, toUpstreamError } from './upstream/routes.ts';

/** Weights of our own, sampled token by token. */
export interface TokenBackend {
  kind: 'tinker';
  source: WeightsSource;
  tokenizer: Tokenizer;
  baseModel: string;
  memory: PolicyMemory;
  /** The name in the registry whose promoted version is served; without it, what is published. */
  promoted?: PromotedModels | undefined;
  maxModelLength: number | undefined;
}

/** Somebody else's server. */
export interface UpstreamBackend {
  kind: 'upstream';
  send: SendUpstream;
  /** With its `/v1`. */
  url: string;
  apiKey: string | undefined;
  models: ModelNames;
  close?: () => void;
}

export interface InferenceStationOptions {
  settings: InferenceSettings;
  backend: TokenBackend | UpstreamBackend;
  breaker: CircuitBreaker;
  registry: Registry;
  log: Logger;
  nextId: () => string;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Where calls are recorded; nowhere when left out. */
  recorder?: CallRecorder | undefined;
  /** Why calls cannot be recorded; a station that should and cannot is not ready. */
  recordingProblem?: (() => string | undefined) | undefined;
}

export interface InferenceStation {
  /** Completions, policy and health; what another station answers is in `misdirected`. */
  routes: Route[];
  misdirected: Route[];
  publish(publication: PolicyPublication): Promise<ActivePolicy>;
  readPolicy(): PolicyState;
  close(): Promise<void>;
}

/** Serves completions. It listens nowhere: a process mounts its routes. */
export function createInferenceStation(options: InferenceStationOptions): InferenceStation {
  const { settings, backend, breaker, registry, recorder = noRecorder } = options;
  const limit = new InFlightLimit(settings.maxInFlight);
  const metrics = new InferenceMetrics(registry, {
    inFlight: () => limit.count,
    isBackendUp: () => breaker.state !== 'open',
  });
  const common = { limit, metrics };
  // Half open is healthy: who waits for health before calling would otherwise never make the call that tries.
  const circuitProblem = (): string | undefined =>
    breaker.state === 'open' ? breaker.reason : options.recordingProblem?.();
  const health = { inFlight: () => limit.count, wandb: { project: settings.wandbProject, group: settings.wandbGroup } };
  const misdirected = createMisdirectedRoutes(settings);

  if (backend.kind === 'upstream') {
    const timeoutMs = settings.requestTimeoutSeconds * 1000;
    const asker = new TokenAsker({
      asking: settings.upstreamTokens,
      findOwner: () => findOwner(backend),
      monotonic: () => performance.now(),
    });
    const refuse = async (): Promise<never> => {
      throw new LachesisError({
        code: 'conflict',
        message: `this server passes requests on to ${backend.url} and has no weights of its own`,
        hint: 'Publish to an inference server that was started with --engine-url.',
      });
    };
    const state = (): PolicyState => ({ active: null, history: [] });
    return {
      routes: [
        ...createUpstreamRoutes({
          ...common,
          ...backend,
          recorder,
          asker,
          breaker,
          timeoutMs,
          toError: toUpstreamError,
        }),
        ...createPolicyRoutes({ publish: refuse, readState: state }, (error) => error),
        ...createHealthRoutes({
          ...health,
          backend: 'upstream',
          problem: circuitProblem,
          policyVersion: () => undefined,
        }),
      ],
      misdirected,
      publish: refuse,
      readPolicy: state,
      close: async () => backend.close?.(),
    };
  }

  const { promoted, baseModel } = backend;
  const holder = new PolicyHolder({
    ...(promoted === undefined
      ? {}
      : { readFirst: (history: readonly ActivePolicy[]) => readFirstPromoted({ promoted, baseModel }, history) }),
    source: backend.source,
    memory: backend.memory,
    baseModel: backend.baseModel,
    now: options.now,
    log: options.log,
    onSwitch: (policy) => {
      metrics.switches.inc();
      metrics.policyVersion.set(policy.policy_version);
      options.log.info({ policy: policy.policy_version, path: policy.model_path, step: policy.step }, 'policy served');
    },
  });
  holder.start();
  const follower = promoted && new PromotedFollower({ promoted, baseModel, holder, log: options.log });
  follower?.start();
  const publish = promoted === undefined ? holder.publish.bind(holder) : refuseWhileFollowing(promoted);
  // A folder of this machine is nobody else's business.
  const modelName = promoted?.name ?? (isAbsolute(baseModel) ? basename(baseModel) : baseModel);
  const deps: HandlerDeps = {
    ...common,
    toError: toLachesisError,
    station: new PolicySampler({
      tokenizer: backend.tokenizer,
      holder,
      breaker,
      metrics,
      defaultMaxTokens: settings.defaultMaxTokens,
      maxModelLength: backend.maxModelLength,
    }),
    texts: new TokenTexts(backend.tokenizer),
    modelName,
    models: createServedModels({ holder, modelName, promoted }),
    toolFormat: readToolFormat(settings.toolCallParser),
    separatesReasoning: settings.separateReasoning,
    recorder,
    nextId: options.nextId,
    now: options.now,
  };
  return {
    routes: [
      ...withTrajectoryPaths([
        createChatRoute(deps),
        createCompletionRoute(deps),
        createModelsRoute(deps),
        createGenerateRoute(deps),
      ]),
      ...createPolicyRoutes({ publish, readState: () => holder.state }, toLachesisError),
      ...createHealthRoutes({
        ...health,
        backend: 'tinker',
        problem: () => holder.problem ?? circuitProblem(),
        policyVersion: () => holder.state.active?.policy_version ?? null,
      }),
    ],
    misdirected,
    publish,
    readPolicy: () => holder.state,
    async close() {
      // Both at once: a publication of the follower ends when the holder closes.
      await Promise.all([follower?.close(), holder.close()]);
    },
  };
}

const refuseWhileFollowing =
  ({ name }: PromotedModels) =>
  async (): Promise<never> => {
    throw new LachesisError({
      code: 'conflict',
      message: `this server serves what is promoted under the name ${name}`,
      hint: `Promote a version with \`lachesis models promote ${name}@version\`, or publish to a server without --model.`,
    });
  };

function readToolFormat(name: string): HandlerDeps['toolFormat'] {
  if (name === 'none') return null;
  return TOOL_CALL_FORMATS.find((format) => format === name);
}

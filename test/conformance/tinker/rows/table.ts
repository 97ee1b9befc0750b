import { absentEndpoints, apiKey, clientConfig, unknownFields } from './access.ts';
import { capabilities, getInfo, sessionExpiry } from './facts.ts';
import { jobFailure, pending, unknownFuture } from './futures.ts';
import { adamParams, losses, mixedLosses } from './losses.ts';
import { createModel, lora } from './models.ts';
import { sequenceOrder, sequenceRepeat } from './order.ts';
import {
  chunkMetrics,
  extraInputs,
  forwardEndpoint,
  metricNames,
  resultEncoding,
  tensorShapes,
  trainingBody,
} from './passes.ts';
import type { RowChecks, RowId } from './row.ts';
import {
  backpressure,
  images,
  maxTokens,
  promptLogprobs,
  sampleRepeat,
  sampleWithoutSession,
  sequenceIds,
  stop,
  unnamedSampler,
} from './sampling.ts';
import { archive, deleteCheckpoint, existingName, listings, publish, samplerPath, weightsInfo } from './saves.ts';

/** A check for every row and server; the compiler sees to it that none is forgotten. */
export const ROW_CHECKS: Readonly<Record<RowId, RowChecks>> = {
  'api-key': apiKey,
  'unknown-fields': unknownFields,
  'client-config': clientConfig,
  'absent-endpoints': absentEndpoints,
  'training-body': trainingBody,
  'forward-endpoint': forwardEndpoint,
  'result-encoding': resultEncoding,
  'tensor-shapes': tensorShapes,
  'extra-inputs': extraInputs,
  losses,
  'mixed-losses': mixedLosses,
  'chunk-metrics': chunkMetrics,
  'metric-names': metricNames,
  'adam-params': adamParams,
  lora,
  'create-model': createModel,
  'sequence-order': sequenceOrder,
  'sequence-repeat': sequenceRepeat,
  'existing-name': existingName,
  'sampler-path': samplerPath,
  'unnamed-sampler': unnamedSampler,
  'sample-without-session': sampleWithoutSession,
  'sequence-ids': sequenceIds,
  'sample-repeat': sampleRepeat,
  stop,
  'max-tokens': maxTokens,
  backpressure,
  'prompt-logprobs': promptLogprobs,
  images,
  'job-failure': jobFailure,
  pending,
  'unknown-future': unknownFuture,
  capabilities,
  'get-info': getInfo,
  'weights-info': weightsInfo,
  listings,
  archive,
  publish,
  'delete-checkpoint': deleteCheckpoint,
  'session-expiry': sessionExpiry,
};

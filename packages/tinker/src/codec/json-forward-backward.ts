import { TinkerProtocolError } from '../errors/client-errors.ts';
import type { ForwardBackwardOutput, ForwardBackwardRequest } from './datum.ts';
import { chunksToJson } from './json-input.ts';
import { tensorFromJson, tensorToJson, toFloat } from './json-tensor.ts';

/** The JSON form of a training request, for servers that do not read protobuf. `forward` has an address of its own there. */
export function forwardBackwardToJson(request: ForwardBackwardRequest): Record<string, unknown> {
  const { modelId, seqId, datums, loss, config, forwardOnly } = request;
  const input = {
    data: datums.map((datum) => ({
      model_input: { chunks: chunksToJson(datum.chunks ?? datum.tokens) },
      loss_fn_inputs: Object.fromEntries(
        Object.entries(datum.inputs).map(([name, tensor]) => [name, tensorToJson(tensor)]),
      ),
    })),
    loss_fn: loss,
    ...(config === undefined ? {} : { loss_fn_config: config }),
  };
  return {
    model_id: modelId,
    seq_id: seqId,
    [forwardOnly === true ? 'forward_input' : 'forward_backward_input']: input,
  };
}

export function forwardBackwardOutputFromJson(value: unknown): ForwardBackwardOutput {
  // SkyRL answers `null` for an empty result.
  const { loss_fn_output_type: type, loss_fn_outputs: outputs, metrics } = (value ?? {}) as Record<string, unknown>;
  if (outputs !== undefined && outputs !== null && !Array.isArray(outputs)) {
    throw new TinkerProtocolError({ reason: 'loss_fn_outputs is no list' });
  }
  return {
    outputType: typeof type === 'string' ? (type.split(':').at(-1) ?? '') : '',
    outputs: ((outputs ?? []) as Record<string, unknown>[]).map((output) =>
      Object.fromEntries(Object.entries(output).map(([name, tensor]) => [name, tensorFromJson(tensor, name)])),
    ),
    metrics: readMetrics(metrics),
  };
}

/** Metrics that are numbers; anything else a server adds is left out. */
export function readMetrics(value: unknown): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const [name, metric] of Object.entries((value ?? {}) as Record<string, unknown>)) {
    if (metric === null || typeof metric === 'number' || metric === 'NaN') metrics[name] = toFloat(metric, name);
  }
  return metrics;
}

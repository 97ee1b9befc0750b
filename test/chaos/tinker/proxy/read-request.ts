import { decodeForwardBackwardRequest } from '../../../../packages/tinker/src/testing/server-codec.fixture.ts';
import { keyOfLearningRate, keyOfName, keyOfTokens } from '../load/operation-key.ts';

/** A request as the proxy sees it: what it is for, and which operation of the load it belongs to. */
export interface TinkerRequest {
  /** Without `/api/v1/`; `forward` for a pass without gradients. */
  readonly path: string;
  readonly modelId: string | undefined;
  readonly seqId: number | undefined;
  /** The operation of the load, such as `optim_step:12`; undefined for everything else. */
  readonly key: string | undefined;
}

export function readTinkerRequest(url: string, body: Uint8Array, isProtobuf: boolean): TinkerRequest {
  const path = url.replace(/^\/api\/v1\//, '').split('?')[0] ?? '';
  if (isProtobuf) {
    const { modelId, seqId, datums, forwardOnly } = decodeForwardBackwardRequest(body);
    const operation = forwardOnly === true ? 'forward' : 'forward_backward';
    return { path: operation, modelId, seqId, key: keyOfTokens(operation, datums[0]?.tokens) };
  }
  const fields = body.byteLength === 0 ? {} : (JSON.parse(Buffer.from(body).toString('utf8')) as Fields);
  return {
    path,
    modelId: typeof fields['model_id'] === 'string' ? fields['model_id'] : undefined,
    seqId: typeof fields['seq_id'] === 'number' ? fields['seq_id'] : undefined,
    key: readKey(path, fields),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readKey(path: string, fields: Fields): string | undefined {
  switch (path) {
    case 'optim_step':
      return keyOfLearningRate((fields['adam_params'] as { learning_rate: number }).learning_rate);
    case 'save_weights':
      return keyOfName('save_weights', fields['path']);
    case 'load_weights':
      return keyOfName('load_weights', fields['path']);
    case 'asample': {
      const { chunks } = fields['prompt'] as { chunks: readonly { tokens: number[] }[] };
      return keyOfTokens('asample', chunks[0]?.tokens);
    }
    default:
      return undefined;
  }
}

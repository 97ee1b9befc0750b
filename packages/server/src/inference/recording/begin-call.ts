import { HEADERS } from '@lachesis/protocol';
import type { CallEndpoint } from '@lachesis/sdk/capture';
import type { RouteCall } from '../../http/route.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import type { GuardParts } from '../calls/guard-completion.ts';
import { readCallLabels } from './call-labels.ts';
import type { CallRecorder, OpenCall } from './call-recorder.ts';
import { describeThrown } from './describe-error.ts';

export interface BeginCallOptions {
  recorder: CallRecorder;
  routeCall: Pick<RouteCall, 'request' | 'reply' | 'principal'>;
  endpoint: CallEndpoint;
  body: unknown;
  upstream: string | null;
}

/** Begins the record of a request; undefined when it is left out. */
export function beginCall({ recorder, routeCall, endpoint, body, upstream }: BeginCallOptions): OpenCall | undefined {
  const { request, reply, principal } = routeCall;
  const labels = readCallLabels(request);
  const open = recorder.begin({ endpoint, body, labels, tenantId: principal.tenantId, upstream });
  if (open === undefined) return undefined;
  reply.header(HEADERS.recorded, 'true');
  reply.header(HEADERS.trajectoryId, open.trajectoryId);
  reply.header(HEADERS.turnId, open.turnId);
  return open;
}

/** Records a completion of our own weights. `answer` says when the reply is whole; what it throws is recorded here. */
export async function recordCompletion<T>(
  { recorder, toError }: Pick<GuardParts, 'toError'> & { recorder: CallRecorder },
  {
    routeCall,
    call,
    endpoint,
    body,
  }: { routeCall: RouteCall; call: CompletionCall; endpoint: CallEndpoint; body: unknown },
  answer: (open: OpenCall | undefined) => Promise<T>,
): Promise<T> {
  const open = beginCall({ recorder, routeCall, endpoint, body, upstream: null });
  try {
    return await answer(open);
  } catch (error) {
    if (call.signal.aborted) open?.interrupted(undefined);
    else open?.failed(describeThrown(toError(error)));
    throw error;
  }
}

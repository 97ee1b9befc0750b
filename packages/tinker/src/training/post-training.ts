import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { ForwardBackwardRequest } from '../codec/datum.ts';
import { encodeForwardBackward } from '../codec/encode-forward-backward.ts';
import { forwardBackwardToJson } from '../codec/json-forward-backward.ts';
import { TinkerValidationError } from '../errors/server-errors.ts';
import { readText, toObject } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { Deadline } from '../transport/deadline.ts';
import type { Call } from '../transport/transport.ts';

const compress = promisify(zstdCompress);

/** A request in the form in which it is sent. */
export interface PreparedTraining {
  readonly request: ForwardBackwardRequest;
  readonly form: ServerLink['trainingBody'];
  readonly call: Promise<Call>;
}

/** Encodes a request before its turn. */
export function prepareTraining(link: ServerLink, request: ForwardBackwardRequest): PreparedTraining {
  const call = toCall(link, request);
  // Told to whoever posts it; nobody may.
  call.catch(() => undefined);
  return { request, form: link.trainingBody, call };
}

/** Posts one training request in the form the server reads, and learns that form from its refusal. */
export async function postTraining(options: {
  link: ServerLink;
  request: ForwardBackwardRequest;
  /** The same request, encoded before; of no use in a form that the server has refused meanwhile. */
  prepared?: PreparedTraining | undefined;
  deadline: Deadline;
  onAmbiguous: () => void;
}): Promise<{ requestId: string }> {
  const { link, request, prepared, deadline, onAmbiguous } = options;
  const operation = request.forwardOnly === true ? 'forward' : 'forward_backward';
  let wasAmbiguous = false;
  const noteAmbiguous = (): void => {
    wasAmbiguous = true;
    onAmbiguous();
  };
  const send = async (): Promise<{ requestId: string }> => {
    const isReady = prepared?.request === request && prepared.form === link.trainingBody;
    const call = await (isReady ? prepared.call : toCall(link, request));
    const size = call.bytes?.byteLength ?? 0;
    const giveBack = await link.trainingDispatch.take(size, deadline, { operation, waitingFor: 'room to send' });
    try {
      const reply = await link.transport.request(call, { deadline, operation, onAmbiguous: noteAmbiguous });
      // After an attempt with an open end something may still be reading the bytes.
      if (call.bytes !== undefined && !wasAmbiguous) link.bodyMemory.giveBack(call.bytes);
      return { requestId: readText(toObject(reply, operation), 'request_id', operation) };
    } finally {
      giveBack();
    }
  };
  try {
    return await send();
  } catch (error) {
    if (link.trainingBody !== 'protobuf' || !refusesProtobuf(error)) throw error;
    link.trainingBody = 'json';
    return send();
  }
}

async function toCall(link: ServerLink, request: ForwardBackwardRequest): Promise<Call> {
  if (link.trainingBody === 'json') {
    const path = request.forwardOnly === true ? 'forward' : 'forward_backward';
    return { path, json: forwardBackwardToJson(request) };
  }
  const bytes = encodeForwardBackward(request, link.bodyMemory);
  const headers = { 'content-type': 'application/x-protobuf' };
  if (!link.flags.compressesTraining) return { path: 'forward_backward', bytes, headers };
  const packed = await compress(bytes);
  link.bodyMemory.giveBack(bytes);
  return {
    path: 'forward_backward',
    bytes: new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength),
    headers: { ...headers, 'content-encoding': 'zstd' },
  };
}

/** 415, or the parser of a server that reads every body as JSON. */
const refusesProtobuf = (error: unknown): boolean =>
  TinkerValidationError.isInstance(error) &&
  (error.status === 415 || (error.status === 422 && /json/i.test(error.message)));

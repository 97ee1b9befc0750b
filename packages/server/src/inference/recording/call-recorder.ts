import type { CallEndpoint, CallError, CallOutcome, CollectedReply } from '@lachesis/sdk/capture';
import type { CallLabels } from './call-labels.ts';

/** One call as it begins. */
export interface BegunCall {
  endpoint: CallEndpoint;
  /** The request as JSON, unchecked: what cannot be read is recorded as empty. */
  body: unknown;
  labels: CallLabels;
  tenantId: string;
  /** The host that answers; null for weights of our own. */
  upstream: string | null;
}

/** A call under way. It ends once: what is said after the first end has no effect. */
export interface OpenCall {
  /** Under these its caller finds it, once the record is in the store. */
  readonly trajectoryId: string;
  readonly turnId: string;
  /** The first piece of the reply has come. */
  begun(): void;
  /** The reply is whole. Returns when the record would survive the end of this process. */
  complete(reply: CollectedReply): void;
  /** The caller left, or the reply broke off, with an error where one was said. */
  interrupted(reply: CollectedReply | undefined, error?: CallError): void;
  /** There is no reply. */
  failed(error: CallError): void;
  /** Any of these three. */
  end(outcome: CallOutcome): void;
}

/** Records calls. It never throws and never waits: an agent must not fail because it is recorded. */
export interface CallRecorder {
  /** Undefined for a call that is left out. */
  begin(call: BegunCall): OpenCall | undefined;
}

/** Records nothing. */
export const noRecorder: CallRecorder = { begin: () => undefined };

import type { CallRecord, Consent, EndRecord, MessagesRecord } from '@lachesis/protocol';

/** What a record says about itself and not about the call. */
export interface RecordLabels {
  /** The application's key for the conversation. Without one the server finds it by what the call continues. */
  trajectory?: string | null | undefined;
  /** On whose behalf, so that their records can be found and forgotten. */
  user?: string | null | undefined;
  tags?: readonly string[] | undefined;
  /** What the person allowed; `none` leaves it out. Default `train`. */
  consent?: Consent | 'none' | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

type Envelope = 'record_id' | 'recorder' | 'sequence' | 'at' | keyof RecordLabels;

type Draft<R> = Omit<R, Envelope> & RecordLabels & { record_id?: string | undefined };

/** A record as the application knows it; the recorder adds who, when and in which order. */
export type RecordDraft = Draft<CallRecord> | Draft<MessagesRecord> | Draft<EndRecord>;

export type CallDraft = Draft<CallRecord>;

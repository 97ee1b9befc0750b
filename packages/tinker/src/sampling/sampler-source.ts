import type { Deadline } from '../transport/deadline.ts';

/** A sampling session in use. */
export interface HeldSession {
  samplingSessionId: string;
  release(): void;
}

/** Where samples of a sampler are sent. */
export interface SamplerSource {
  /** The session, kept in place until it is released. */
  acquire(deadline: Deadline): Promise<HeldSession>;
  close(): Promise<void>;
}

/** A session the server keeps apart from training: nothing has to be held. */
export const fixedSource = (samplingSessionId: string): SamplerSource => ({
  acquire: () => Promise.resolve({ samplingSessionId, release: () => undefined }),
  close: () => Promise.resolve(),
});

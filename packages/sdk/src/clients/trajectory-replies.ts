import type { EnvironmentRegistrationReply } from '@lachesis/protocol';
import { z } from 'zod';

/** What an environment is told when it is let in. */
export type RegisteredEnvironment = Omit<Extract<EnvironmentRegistrationReply, { status: 'success' }>, 'status'>;

export const disconnectReplySchema = z.object({ status: z.string(), error: z.string().optional() });

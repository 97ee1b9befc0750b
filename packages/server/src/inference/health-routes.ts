import { wandbInfoReplySchema } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/route.ts';

export interface HealthParts {
  backend: 'tinker' | 'upstream';
  /** Why completions cannot be answered; undefined when they can. */
  problem: () => string | undefined;
  policyVersion: () => number | null | undefined;
  inFlight: () => number;
  wandb: { project: string | undefined; group: string | undefined };
}

const healthSchema = z.object({
  status: z.enum(['ok', 'unavailable']),
  problem: z.string().optional(),
  backend: z.enum(['tinker', 'upstream']),
  policy_version: z.int().nullable().optional(),
  in_flight: z.int(),
});

/** Whether completions are answered, and where metrics go. */
export function createHealthRoutes(parts: HealthParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      scope: 'public',
      summary: 'Whether completions are answered: 200 or 503.',
      reply: healthSchema,
      handle: async ({ reply }): Promise<z.infer<typeof healthSchema>> => {
        const problem = parts.problem();
        const version = parts.policyVersion();
        reply.code(problem === undefined ? 200 : 503);
        return {
          status: problem === undefined ? 'ok' : 'unavailable',
          ...(problem === undefined ? {} : { problem }),
          backend: parts.backend,
          ...(version === undefined ? {} : { policy_version: version }),
          in_flight: parts.inFlight(),
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/wandb_info',
      scope: 'run:status',
      audit: 'none',
      summary: 'The W&B group and project of the run, or null.',
      reply: wandbInfoReplySchema,
      handle: async () => ({ group: parts.wandb.group ?? null, project: parts.wandb.project ?? null }),
    }),
  ];
}

import type { Route } from '../../platform/http/route.ts';

export interface HealthParts {
  backend: 'tinker' | 'upstream';
  /** Why completions cannot be answered; undefined when they can. */
  problem: () => string | undefined;
  policyVersion: () => number | null | undefined;
  inFlight: () => number;
  wandb: { project: string | undefined; group: string | undefined };
}

/** Whether completions are answered, and where metrics go. */
export function createHealthRoutes(parts: HealthParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      scope: 'public',
      perRun: false,
      summary: 'Whether completions are answered: 200 or 503.',
      handle: async ({ reply }) => {
        const problem = parts.problem();
        const version = parts.policyVersion();
        return reply.code(problem === undefined ? 200 : 503).send({
          status: problem === undefined ? 'ok' : 'unavailable',
          ...(problem === undefined ? {} : { problem }),
          backend: parts.backend,
          ...(version === undefined ? {} : { policy_version: version }),
          in_flight: parts.inFlight(),
        });
      },
    },
    {
      method: 'GET',
      path: '/wandb_info',
      scope: 'run:status',
      audit: 'none',
      perRun: false,
      summary: 'The W&B group and project of the run, or null.',
      handle: async () => ({ group: parts.wandb.group ?? null, project: parts.wandb.project ?? null }),
    },
  ];
}

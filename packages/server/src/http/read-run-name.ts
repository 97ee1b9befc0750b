import { LachesisError } from '@lachesis/protocol';
import { describeNames, isName } from '@lachesis/protocol/names';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_RUN } from './settings/default-run.ts';

/** The run named in the path, or the default one. */
export function readRunName(request: FastifyRequest): string {
  const { run } = request.params as { run?: string };
  if (run === undefined) return DEFAULT_RUN;
  if (isName('run', run)) return run;
  throw new LachesisError({
    code: 'not-found',
    message: `${JSON.stringify(run)} is not a run name`,
    hint: `Run names are ${describeNames('run')}.`,
  });
}

import { LachesisError } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/route.ts';

type Call = readonly [Route['method'], string];

const TRAJECTORY_API: readonly Call[] = [
  ['POST', '/register'],
  ['POST', '/register-env'],
  ['POST', '/disconnect-env'],
  ['POST', '/scored_data'],
  ['POST', '/scored_data_list'],
  ['GET', '/batch'],
  ['GET', '/info'],
  ['GET', '/status'],
  ['GET', '/status-env'],
  ['GET', '/latest_example'],
  ['GET', '/reset_data'],
  ['PUT', '/v1/registration'],
  ['POST', '/v1/groups'],
  ['POST', '/v1/batches'],
  ['GET', '/v1/ledger'],
  ['GET', '/v1/events'],
  ['GET', '/v1/quarantine'],
];

const CONTROL: readonly Call[] = [
  ['GET', '/environments'],
  ['POST', '/environments/:name/select'],
  ['GET', '/config'],
  ['POST', '/config'],
  ['GET', '/runs'],
  ['POST', '/runs'],
  ['GET', '/runs/:id'],
  ['POST', '/runs/:id/stop'],
  ['GET', '/runs/:id/metrics'],
  ['POST', '/test/inference'],
];

/** Calls that belong to another station are told where it is: three ports are easily mixed up. */
export function createMisdirectedRoutes(addresses: { trajectoryApiUrl: string; controlUrl: string }): Route[] {
  const point = (station: string, url: string, calls: readonly Call[]): Route[] =>
    calls.map(([method, path]) =>
      defineRoute({
        method,
        path,
        scope: 'public',
        summary: `A call of the ${station}, answered with its address.`,
        reply: z.never(),
        handle: async ({ request }) => {
          const [asked = path] = request.url.split('?', 1);
          throw new LachesisError({
            code: 'not-found',
            message: `${method} ${path} is a call of the ${station}, and this is the inference server`,
            hint: `Send it to ${url.replace(/\/+$/, '')}${asked}`,
          });
        },
      }),
    );
  return [
    ...point('trajectory API', addresses.trajectoryApiUrl, TRAJECTORY_API),
    ...point('control API', addresses.controlUrl, CONTROL),
  ];
}

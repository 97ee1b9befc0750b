import { QueryClient } from '@tanstack/react-query';
import { RequestError } from './request.ts';

/** The cache of answers. What was refused stays refused; a server that is away is asked again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => error instanceof RequestError && isAway(error) && failures < 2,
        retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4_000),
        refetchOnWindowFocus: true,
      },
    },
  });
}

/** Whether the same call may succeed later without anybody doing anything. */
export const isAway = ({ status }: RequestError): boolean => status === undefined || status === 429 || status >= 502;

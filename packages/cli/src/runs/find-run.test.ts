import { ClientError } from '@lachesis/sdk';
import { expect, it } from 'vitest';
import { makeRun } from './run.fixture.ts';
import { findRunId, matchRunId } from './find-run.ts';

const ids = ['k3v9x2ab', 'k3zz0000', 'abcdefgh'];

/** A server with these runs, two on a page. */
function serve(known: readonly string[]) {
  const runs = known.map((runId) => makeRun({ run_id: runId }));
  return {
    async readRun(runId: string) {
      const found = runs.find((run) => run.run_id === runId);
      if (found !== undefined) return found;
      throw new ClientError({ code: 'not-found', call: 'GET /', reason: 'none', status: 404, retryable: false });
    },
    async listRuns({ before }: { before?: string | undefined } = {}) {
      const from = before === undefined ? 0 : known.indexOf(before) + 1;
      const page = runs.slice(from, from + 2);
      return { runs: page, count: page.length, next: from + 2 < runs.length ? (page.at(-1)?.run_id ?? null) : null };
    },
  };
}

it('takes the beginning of one id, in capitals too', () => {
  expect(matchRunId('k3v', ids)).toBe('k3v9x2ab');
  expect(matchRunId('ABC', ids)).toBe('abcdefgh');
});

it('refuses the beginning of several, and names them', () => {
  expect(() => matchRunId('k3', ids)).toThrow('2 runs begin with "k3": k3v9x2ab, k3zz0000');
});

it('says which id was meant, and guesses no further than it can', () => {
  expect(() => matchRunId('k3v9x2ac', ids)).toThrow('Did you mean k3v9x2ab?');
  expect(() => matchRunId('qqqqqqqq', ids)).toThrow(/^there is no run "qqqqqqqq"\. `lachesis runs list`/);
  expect(() => matchRunId('', ids)).toThrow('there is no run ""');
  expect(() => matchRunId('a', [])).toThrow('no run was started here yet');
});

it('finds a run on a later page, a whole id at once, and the newest when none is named', async () => {
  const server = serve(ids);
  expect(await findRunId(server, 'abc')).toBe('abcdefgh');
  expect(await findRunId(server, 'k3zz0000')).toBe('k3zz0000');
  expect(await findRunId(server, undefined)).toBe('k3v9x2ab');
  await expect(findRunId(server, 'abcdefgx')).rejects.toThrow('Did you mean abcdefgh?');
  await expect(findRunId(serve([]), undefined)).rejects.toThrow('no run was started here yet');
});

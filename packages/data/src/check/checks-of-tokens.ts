import type { RecordTokens } from '@lachesis/protocol';
import type { Check, CheckedRow, RowFinding } from './check.ts';
import { listToolParts } from './list-tool-parts.ts';

function readTokens({ record }: CheckedRow): RecordTokens | undefined {
  return record.kind === 'conversation' ? (record.tokens ?? undefined) : undefined;
}

export const missingLogprobsCheck: Check = {
  name: 'missing-logprobs',
  severity: 'error',
  what: 'The rows have no logprobs although the set has tokens: they cannot be trained on policy, and importance ratios would be wrong.',
  fix: 'Train them as text (SFT, DPO), leave them out, or record through a backend that gives token ids and logprobs.',
  start() {
    const without: RowFinding[] = [];
    let hasTokens = false;
    return {
      see(row) {
        const tokens = readTokens(row);
        if (tokens === undefined) {
          if (row.record.kind === 'conversation') {
            without.push({ row: row.index, id: row.record.id, detail: 'it has no tokens while other rows have' });
          }
          return [];
        }
        hasTokens = true;
        if (tokens.logprobs === null) return ['it has tokens and no logprobs'];
        const [wanted, found] = [tokens.token_ids.length, tokens.logprobs.length];
        return wanted === found ? [] : [`it has ${wanted} tokens and ${found} logprobs`];
      },
      // A set of text alone is not missing anything.
      end: () => (hasTokens ? without : []),
    };
  },
};

export const maskCoverageCheck: Check = {
  name: 'mask-coverage',
  severity: 'error',
  what: 'The mask does not say which tokens the model wrote.',
  fix: 'Export the rows again from their trajectories; the mask is made from the replies there.',
  start: () => ({
    see(row) {
      const tokens = readTokens(row);
      if (tokens === undefined) return [];
      const { token_ids: ids, mask, logprobs } = tokens;
      if (mask.length !== ids.length) return [`${ids.length} tokens and a mask of ${mask.length}`];
      const trained = mask.reduce<number>((sum, value) => sum + value, 0);
      if (trained === 0) return ['no token is trained'];
      if (trained === mask.length) return ['every token is trained, those of the prompt too'];
      const outside = logprobs?.findIndex((value, index) => value !== 0 && mask[index] === 0) ?? -1;
      return outside === -1 ? [] : [`token ${outside} has a logprob, and the mask says the model did not write it`];
    },
  }),
};

/** No sampler gives a token it thinks this unlikely: e^-100 is under one in 10^43. */
const LOWEST_LOGPROB = -100;

/** Rounding in the sampler's own type may put a certain token a little over 0. */
const HIGHEST_LOGPROB = 1e-3;

export const absurdLogprobsCheck: Check = {
  name: 'absurd-logprobs',
  severity: 'error',
  what: 'Logprobs are not finite, positive, or lower than a sampler can give; one of them can spoil a whole step.',
  fix: 'Leave the rows out and look at the backend: a wrong alignment of tokens and logprobs looks like this.',
  start: () => ({
    see(row) {
      const logprobs = readTokens(row)?.logprobs ?? [];
      // JSON has no NaN and no infinity: they arrive as null.
      const at = logprobs.findIndex(
        (value: number | null) =>
          value === null || !Number.isFinite(value) || value > HIGHEST_LOGPROB || value < LOWEST_LOGPROB,
      );
      return at === -1 ? [] : [`the logprob of token ${at} is ${String(logprobs[at])}`];
    },
  }),
};

export const overContextCheck: Check = {
  name: 'over-context',
  severity: 'error',
  what: 'The rows are longer than the context; a trainer cuts them, often in the middle of a reply.',
  fix: 'Raise the length, compress the rows, or leave them out (`--max-tokens`).',
  start: ({ contextTokens }) => ({
    see({ length }) {
      if (length.tokens <= contextTokens) return [];
      return [`${length.isEstimate ? 'about ' : ''}${length.tokens} tokens, the context holds ${contextTokens}`];
    },
  }),
};

export const mixedModelsCheck: Check = {
  name: 'mixed-models',
  severity: 'error',
  what: 'Token rows come from more than one model: ids of one tokenizer mean nothing to another, and logprobs of one policy are not those of another.',
  fix: 'Make one set per model (`--model`), or drop the tokens and train as text.',
  start() {
    const rows: RowFinding[] = [];
    const counts = new Map<string, number>();
    return {
      see(row) {
        if (row.record.kind !== 'conversation' || row.record.tokens === null) return [];
        const model = row.record.model ?? 'an unnamed model';
        counts.set(model, (counts.get(model) ?? 0) + 1);
        rows.push({ row: row.index, id: row.record.id, detail: model });
        return [];
      },
      end() {
        if (counts.size < 2) return [];
        const main = [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
        return rows
          .filter(({ detail }) => detail !== main)
          .map((finding) => ({ ...finding, detail: `it is from ${finding.detail}, most rows are from ${main}` }));
      },
    };
  },
};

export const droppedToolsCheck: Check = {
  name: 'dropped-tools',
  severity: 'error',
  what: 'The chat template of the model leaves out tools or calls that the rows have: they would be learnt as if they were not there.',
  fix: 'Train a model whose template has them (`--tokenizer` names another), or take the rows without tools.',
  start: ({ template }) => ({
    see({ record }) {
      const dropped = listToolParts(record).filter((part) => template?.drops.includes(part) === true);
      return dropped.length === 0 ? [] : [`the template of ${template?.place} leaves out its ${dropped.join(' and ')}`];
    },
  }),
};

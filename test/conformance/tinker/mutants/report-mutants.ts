import { MANAGED_PROFILE } from '@lachesis/tinker';

import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { runRows } from '../rows/run-rows.ts';
import type { RowId } from '../rows/row.ts';
import { openSubject } from '../servers/subject.ts';
import type { OpenSubjectOptions, ServerAddress } from '../servers/subject.ts';

interface Mutant {
  readonly name: string;
  readonly options: OpenSubjectOptions;
  /** Rows that such a client must not pass. */
  readonly rows: readonly RowId[];
}

const TAKES_IT_FOR_MANAGED = { client: { profile: MANAGED_PROFILE } };

const MUTANTS: Readonly<Record<ServerAddress['name'], readonly Mutant[]>> = {
  skyrl: [
    {
      name: 'skyrl taken for the managed service',
      options: TAKES_IT_FOR_MANAGED,
      rows: ['stop', 'max-tokens', 'existing-name', 'adam-params'],
    },
  ],
  tuft: [
    {
      name: 'tuft taken for the managed service',
      options: TAKES_IT_FOR_MANAGED,
      rows: ['stop', 'max-tokens', 'sequence-repeat', 'unknown-fields'],
    },
    {
      name: 'a field nobody asked for',
      options: {
        prepare: (wire) => {
          wire.changeRequest = (path, json) => (path === 'asample' ? { ...json, topk_sample_logprobs: 0 } : json);
        },
      },
      rows: ['unnamed-sampler', 'sequence-ids', 'prompt-logprobs'],
    },
  ],
};

/** Clients with a seeded fault: the rows must find each of them out. */
export async function reportMutants(context: ScenarioContext, server: ServerAddress): Promise<void> {
  for (const { name, options, rows } of MUTANTS[server.name]) {
    await using subject = await openSubject(server, options);
    const outcomes = await runRows(subject, rows);
    const passed = outcomes.filter(({ result }) => result !== 'failed').map(({ row }) => row);
    context.report({
      name: `mutant ${name}`,
      figure: `${rows.length - passed.length} of ${rows.length} rows fail${passed.length === 0 ? '' : `; passed: ${passed.join(', ')}`}`,
      bar: 'caught by each',
      ok: passed.length === 0,
    });
  }
}

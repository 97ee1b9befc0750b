import type { FeedbackAgreement } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  by: { type: 'string', description: 'judge or rule (default: judge)' },
  author: { type: 'string', description: 'this judge or rule alone' },
  ...libraryFlags,
} as const;

export const feedbackAgreementCommand = defineCommand({
  meta: { name: 'agreement', description: 'How far judges, or rules, say what people say.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { by = 'judge', author } = args;
    if (by !== 'judge' && by !== 'rule') fail('--by wants judge or rule.');
    await withLibrary(args, async (library) => {
      const { agreement: reports } = await library.readAgreement({ by, author });
      if (args.json === true) writeJson({ by, agreement: reports });
      else if (reports.length === 0)
        process.stdout.write(`no ${by} has rated anything; \`lachesis feedback ${by}\` does\n`);
      else process.stdout.write(reports.map((report) => `${describe(report)}\n`).join(''));
    });
  },
});

function describe({ author, n, agreement, kappa, distance, table }: FeedbackAgreement['agreement'][number]): string {
  if (n === 0) return `${author}: nothing was rated both by it and by people`;
  const share = `${((agreement ?? 0) * 100).toFixed(0)} % agreement`;
  const beyond = kappa === null ? 'kappa undefined (one side always says the same)' : `kappa ${kappa.toFixed(2)}`;
  return (
    `${author}: ${share}, ${beyond}, mean distance ${(distance ?? 0).toFixed(2)}, n ${n}\n` +
    `  both good ${table.bothGood}, people alone ${table.peopleGood}, it alone ${table.othersGood}, both bad ${table.bothBad}`
  );
}

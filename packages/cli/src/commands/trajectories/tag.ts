import { CONSENTS, type Consent } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  id: { type: 'positional', required: true, description: 'the id that `trajectories list` shows' },
  add: { type: 'string', description: 'tags to add, separated by commas' },
  remove: { type: 'string', description: 'tags to remove, separated by commas' },
  consent: { type: 'string', description: `what may be done with it: ${CONSENTS.join(', ')}` },
  ...libraryFlags,
} as const;

export const trajectoriesTagCommand = defineCommand({
  meta: { name: 'tag', description: 'Add and remove tags, or change what may be done with a trajectory.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const change = {
      ...(args.add === undefined ? {} : { add: readTags(args.add) }),
      ...(args.remove === undefined ? {} : { remove: readTags(args.remove) }),
      ...(args.consent === undefined ? {} : { consent: readConsent(args.consent) }),
    };
    if (Object.keys(change).length === 0) fail('there is nothing to change. Give --add, --remove or --consent.');
    await withLibrary(args, async (library) => {
      const { trajectory_id: id, tags, consent } = await library.changeTags(args.id, change);
      if (args.json === true) writeJson({ trajectory_id: id, tags, consent });
      else process.stdout.write(`${id}: ${tags.length === 0 ? 'no tags' : tags.join(', ')}; consent ${consent}\n`);
    });
  },
});

function readTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  if (tags.some((tag) => tag === '' || tag.length > 100)) fail('a tag has 1 to 100 letters.');
  return tags;
}

function readConsent(text: string): Consent {
  const found = CONSENTS.find((consent) => consent === text);
  return found ?? fail(`--consent wants one of ${CONSENTS.join(', ')}.`);
}
